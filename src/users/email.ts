import { AppError } from '../errors.ts';

const lengthMax = 254;

/** @returns an e-mail address as it is stored and looked up */
export function normalizeEmail(given: string): string {
  return given.trim().normalize('NFC').toLowerCase();
}

/**
 * An address that is to be stored. Local names like `admin@localhost` are fine: nothing is sent there.
 * @throws AppError `validation_failed`
 */
export function readEmail(given: string): string {
  const email = normalizeEmail(given);
  if (/^[^\s@]+@[^\s@]+$/.test(email) && email.length <= lengthMax) return email;
  throw new AppError('validation_failed', 'Validation failed', {
    email: ['must be an e-mail address'],
  });
}
