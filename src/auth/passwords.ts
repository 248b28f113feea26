import { randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import { AppError } from '../errors.ts';

/** 64 MiB and about 0.1 s of a core for each hash. */
const argon2Options = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const;
/** Limits the memory of concurrent sign-ins. */
const maxConcurrentHashes = 2;
const maxWaitingHashes = 200;

/** Hashes and checks passwords away from the event loop, few at a time. */
export interface PasswordHasher {
  /** @throws AppError `busy` when too many wait already */
  hash(password: string): Promise<string>;
  /**
   * Takes the same time without a hash, so that it does not reveal whether an address is known.
   * @throws AppError `busy` when too many wait already
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswordHasher(): PasswordHasher {
  const queue = new PQueue({ concurrency: maxConcurrentHashes });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxWaitingHashes)
      throw new AppError('busy', 'Too many concurrent sign-ins. Try again in a few seconds.');
    return queue.add(work);
  };
  const hash = (password: string): Promise<string> => Bun.password.hash(normalizePassword(password), argon2Options);
  let nobodys: Promise<string> | undefined;
  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: (password, known) =>
      inTurn(async () => {
        // Created at the first sign-in of any user, which reveals nothing either.
        nobodys ??= hash(randomBytes(32).toString('base64'));
        const isRight = await Bun.password.verify(normalizePassword(password), known ?? (await nobodys));
        return isRight && known !== undefined;
      }),
  };
}

/** The same letters however a keyboard composes them. */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}
