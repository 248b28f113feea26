import { AppError } from '../errors.ts';

/**
 * One way to write a host: lower case, punycode, no port, no trailing dot.
 * @throws AppError `validation_failed` when it is no host name
 */
export function normalizeDomain(given: string): string {
  const host = URL.parse(`http://${given.trim()}`);
  const name = host?.hostname.replace(/\.$/, '') ?? '';
  const plain =
    host !== null && host.pathname === '/' && host.username === '' && host.search === '';
  if (!plain || name === '' || name.length > 253) {
    throw new AppError('validation_failed', 'Validation failed', {
      domain: [`${JSON.stringify(given)} is not a host name`],
    });
  }
  return name;
}
