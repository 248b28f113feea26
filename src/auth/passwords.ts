import { randomBytes } from 'node:crypto';
import PQueue from 'p-queue';
import { AppError } from '../errors.ts';

/** 64 MiB and about 0.1 s of a core for each hash. */
const parameters = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const;
/** So that a rush of sign-ins takes no more memory than two of them. */
const atOnceMax = 2;
const waitingMax = 200;

/** Hashes and checks passwords away from the event loop, few at a time. */
export interface Passwords {
  /** @throws AppError `busy` when too many wait already */
  hash(password: string): Promise<string>;
  /**
   * Takes as long without a hash as with one: nobody learns by it whether an address is known.
   * @throws AppError `busy` when too many wait already
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswords(): Passwords {
  const queue = new PQueue({ concurrency: atOnceMax });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= waitingMax) throw new AppError('busy', 'Too many sign-ins at once');
    return queue.add(work);
  };
  const hash = (password: string): Promise<string> =>
    Bun.password.hash(plain(password), parameters);
  let nobodys: Promise<string> | undefined;
  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: (password, known) =>
      inTurn(async () => {
        // Made at the first sign-in whoever that is, so that it tells nothing either.
        nobodys ??= hash(randomBytes(32).toString('base64'));
        const isRight = await Bun.password.verify(plain(password), known ?? (await nobodys));
        return isRight && known !== undefined;
      }),
  };
}

/** The same letters however a keyboard composes them. */
function plain(password: string): string {
  return password.normalize('NFKC');
}
