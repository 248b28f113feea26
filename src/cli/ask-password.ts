import { AppError } from '../errors.ts';
import { problemsOf } from '../http/validate.ts';
import { NewPassword } from '../users/schema.ts';

const enter = /[\r\n]/;
const interrupt = '\u0003';
const endOfInput = '\u0004';
const erase = /[\u007f\b]/;

/**
 * A new password: the first line of standard input, or asked for twice at a terminal that doesn't show it.
 * @throws AppError `bad_usage` without a terminal; `validation_failed` for one that is too short or too long;
 *   `operation_failed` when the two differ, or it was broken off
 */
export async function askNewPassword(fromStandardInput: boolean | undefined): Promise<string> {
  const password = fromStandardInput === true ? await firstLine() : await askTwice();
  const { body: problems } = problemsOf(NewPassword, password);
  if (problems !== undefined) {
    throw new AppError('validation_failed', `The password ${problems.join(', ')}`);
  }
  return password;
}

async function firstLine(): Promise<string> {
  return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? '';
}

async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new AppError('bad_usage', 'no terminal to ask for the password: use --password-stdin');
  }
  const password = await askHidden('Password: ');
  if ((await askHidden('Again: ')) === password) return password;
  throw new AppError('operation_failed', 'The two passwords differ');
}

/** Asks on standard error, so that what a script takes from standard output stays clean. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (settle: () => void): void => {
      stdin.off('data', read);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const read = (chunk: string): void => {
      for (const letter of chunk) {
        if (enter.test(letter)) {
          end(() => resolve(typed.join('')));
          return;
        }
        if (letter === interrupt || letter === endOfInput) {
          end(() => reject(new AppError('operation_failed', 'Nothing was changed')));
          return;
        }
        typed = erase.test(letter) ? typed.slice(0, -1) : [...typed, letter];
      }
    };
    stdin.on('data', read);
  });
}
