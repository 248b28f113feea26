import { type Command, Option } from 'commander';
import { createPasswords } from '../auth/passwords.ts';
import { NewPassword, type UserRecord } from '../auth/schema.ts';
import {
  changeUser,
  createUser,
  findUser,
  findUserByEmail,
  listUsers,
  type Membership,
  normalizeEmail,
  removeUser,
  type UserWithSites,
  userRecord,
} from '../auth/users.ts';
import type { Queries } from '../database/open.ts';
import type { SiteRole, UserRole } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { problemsOf } from '../http/validation.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print, table } from './output.ts';

const enter = /[\r\n]/;
const interrupt = '\u0003';
const endOfInput = '\u0004';
const erase = /[\u007f\b]/;

/**
 * A new password: the first line of standard input, or asked for twice at a terminal that doesn't show it.
 * @throws AppError `bad_usage` without a terminal; `validation_failed` for one that is too short or too long;
 *   `operation_failed` when the two differ, or it was broken off
 */
async function askNewPassword(fromStandardInput: boolean | undefined): Promise<string> {
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

type Role = 'admin' | SiteRole;

interface PasswordOptions extends CommonOptions {
  readonly passwordStdin?: boolean;
}

interface CreateOptions extends PasswordOptions {
  readonly email: string;
  readonly role?: Role;
  readonly site?: string[];
}

interface UpdateOptions extends CommonOptions {
  readonly email?: string;
  readonly role?: Role;
  readonly site?: string[];
  readonly leave?: string[];
}

/** `lectern user create|list|update|disable|enable|password|remove` */
export function userCommand(): Command {
  const user = group('user', 'users: who may sign in to the dashboard');
  const role = () =>
    new Option('--role <role>', 'admin of everything, or editor or viewer of --site').choices([
      'admin',
      'editor',
      'viewer',
    ]);
  const site = (description: string) => new Option('--site <site>', description).argParser(gather);
  const ofUser = (name: string, description: string) =>
    command(name, description).argument('<user>', 'e-mail address or id');
  const passwordStdin = ['--password-stdin', 'take the password from standard input'] as const;
  user.addCommand(
    command('create', 'add a user; asks for the password')
      .requiredOption('--email <email>', 'e-mail address to sign in with')
      .addOption(role())
      .addOption(site('id or slug; may be repeated (viewer unless --role says more)'))
      .option(...passwordStdin)
      .action(create),
  );
  user.addCommand(command('list', 'all users').action(list));
  user.addCommand(
    ofUser('update', 'change address, role or sites of a user')
      .option('--email <email>', 'new e-mail address')
      .addOption(role())
      .addOption(site('site to have that role in; may be repeated'))
      .option('--leave <site>', 'site to have no part in any more; may be repeated', gather)
      .action(update),
  );
  user.addCommand(
    ofUser('disable', 'end all sessions and let nobody in').action(setDisabled(true)),
  );
  user.addCommand(ofUser('enable', 'let a disabled user in again').action(setDisabled(false)));
  user.addCommand(
    ofUser('password', 'set a new password; all sessions end')
      .option(...passwordStdin)
      .action(setPassword),
  );
  user.addCommand(ofUser('remove', 'remove a user for good').action(remove));
  return user;
}

async function create(options: CreateOptions): Promise<void> {
  const role = options.role ?? 'viewer';
  const isAdmin = role === 'admin';
  if (!isAdmin && options.role !== undefined && options.site === undefined) {
    throw new AppError('bad_usage', `--role ${role} needs --site`);
  }
  const passwordHash = await newPasswordHash(options);
  const user = await withDatabase(options, (database) =>
    database.write(async (db) =>
      createUser(db, null, {
        email: options.email,
        passwordHash,
        role: isAdmin ? 'admin' : 'member',
        memberships: isAdmin ? [] : await memberships(db, options.site, role),
      }),
    ),
  );
  printUser(options, user);
}

async function list(options: CommonOptions): Promise<void> {
  const users = await withDatabase(options, ({ read }) => listUsers(read));
  print(options.json, users.map(userRecord), () =>
    table(
      users.map(userRecord).map((user) => ({
        id: user.id,
        email: user.email,
        role: user.role,
        sites: sitesLine(user) || null,
        disabled: user.disabled,
        'last sign-in': user.last_sign_in_at,
      })),
      'no user yet: lectern user create --role admin --email EMAIL',
    ),
  );
}

async function update(who: string, options: UpdateOptions): Promise<void> {
  if ((options.role === 'editor' || options.role === 'viewer') && options.site === undefined) {
    throw new AppError('bad_usage', `--role ${options.role} needs --site`);
  }
  if (options.site !== undefined && (options.role ?? 'admin') === 'admin') {
    throw new AppError('bad_usage', '--site needs --role editor or viewer');
  }
  const user = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const before = await findNamed(db, who);
      return changeUser(db, null, before.id, {
        email: options.email,
        role: accountRole(options.role),
        memberships: await changedMemberships(db, before, options),
      });
    }),
  );
  printUser(options, user);
}

function setDisabled(disabled: boolean) {
  return async (who: string, options: CommonOptions): Promise<void> => {
    const user = await withDatabase(options, (database) =>
      database.write(async (db) =>
        changeUser(db, null, (await findNamed(db, who)).id, { disabled }),
      ),
    );
    printUser(options, user);
  };
}

async function setPassword(who: string, options: PasswordOptions): Promise<void> {
  // Before anybody types a password for nothing.
  await withDatabase(options, ({ read }) => findNamed(read, who));
  const passwordHash = await newPasswordHash(options);
  const user = await withDatabase(options, (database) =>
    database.write(async (db) =>
      changeUser(db, null, (await findNamed(db, who)).id, { passwordHash }),
    ),
  );
  printUser(options, user);
}

async function remove(who: string, options: CommonOptions): Promise<void> {
  const id = await withDatabase(options, (database) =>
    database.write(async (db) => {
      const user = await findNamed(db, who);
      await removeUser(db, null, user.id);
      return user.id;
    }),
  );
  print(options.json, { id, removed: true }, () => `user ${id} is removed`);
}

async function newPasswordHash(options: PasswordOptions): Promise<string> {
  return createPasswords().hash(await askNewPassword(options.passwordStdin));
}

function accountRole(role: Role | undefined): UserRole | undefined {
  if (role === undefined) return undefined;
  return role === 'admin' ? 'admin' : 'member';
}

async function findNamed(db: Queries, who: string): Promise<UserWithSites> {
  const id = /^\d{1,15}$/.test(who)
    ? Number(who)
    : (await findUserByEmail(db, normalizeEmail(who)))?.id;
  const user = id === undefined ? undefined : await findUser(db, id);
  if (user === undefined) throw new AppError('not_found', `There is no user ${who}`);
  return user;
}

async function changedMemberships(
  db: Queries,
  before: UserWithSites,
  { site, leave = [], role }: UpdateOptions,
): Promise<Membership[]> {
  const roles = new Map(before.sites.map((one) => [one.id, one.role]));
  for (const one of leave) roles.delete((await findSite(db, one)).id);
  if (role === 'editor' || role === 'viewer') {
    for (const { siteId } of await memberships(db, site, role)) roles.set(siteId, role);
  }
  return [...roles].map(([siteId, siteRole]) => ({ siteId, role: siteRole }));
}

async function memberships(
  db: Queries,
  sites: readonly string[] = [],
  role: SiteRole,
): Promise<Membership[]> {
  const found: Membership[] = [];
  for (const site of sites) found.push({ siteId: (await findSite(db, site)).id, role });
  return found;
}

function printUser(options: CommonOptions, user: UserWithSites): void {
  const shown = userRecord(user);
  print(options.json, shown, () =>
    Object.entries({ ...shown, sites: sitesLine(shown) || '-' })
      .map(([name, value]) => `${name.padEnd(18)} ${value ?? '-'}`)
      .join('\n'),
  );
}

function sitesLine({ role, sites }: UserRecord): string {
  if (role === 'admin') return 'all';
  return sites.map((site) => `${site.slug} (${site.role})`).join(', ');
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}
