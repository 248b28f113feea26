import { type Command, Option } from 'commander';
import { NewPassword, type PasswordLink, type UserRecord } from '../auth/schema.ts';
import { createPasswordHasher, createPasswordLink, inviteUser } from '../auth/sign-in.ts';
import {
  createUser,
  deleteUser,
  findUser,
  findUserByEmail,
  listUsers,
  normalizeEmail,
  type SiteRoleAssignment,
  toUserRecord,
  type UserWithSites,
  updateUser,
} from '../auth/users.ts';
import { buildServerUrl } from '../config.ts';
import type { Queries } from '../database/database.ts';
import type { SiteRole, UserRole } from '../database/schema.ts';
import { AppError, notFound, operationFailed } from '../errors.ts';
import { findFieldErrors } from '../http/validation.ts';
import { findSite } from '../sites/store.ts';
import {
  type CommonOptions,
  collectValues,
  createCommand,
  createGroup,
  listAction,
  loadConfig,
  withDatabase,
  withExistingDatabase,
  writeDatabase,
} from './command.ts';
import { getIo, printRecord, printResult, printSecret } from './output.ts';

const ENTER = /[\r\n]/;
const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
const ERASE = /[\u007f\b]/;

/**
 * Reads a new password: the first line of standard input, or two hidden prompts on the terminal.
 * @throws AppError `bad_usage` without a terminal; `validation_failed` for one that is too short or too long;
 *   `operation_failed` when the two differ, or the prompt was cancelled
 */
async function promptNewPassword(fromStandardInput: boolean | undefined): Promise<string> {
  const password = fromStandardInput === true ? await readFirstLine() : await promptTwice();
  const { body: problems } = findFieldErrors(NewPassword, password);
  if (problems !== undefined) {
    throw new AppError('validation_failed', `The password ${problems.join(', ')}`);
  }
  return password;
}

async function readFirstLine(): Promise<string> {
  return (await getIo().stdin.text()).split(/\r?\n/)[0] ?? '';
}

async function promptTwice(): Promise<string> {
  if (!getIo().stdin.isTTY) {
    throw new AppError('bad_usage', 'Password prompt failed: no terminal. Use --password-stdin.');
  }
  const password = await promptHidden('Password: ');
  if ((await promptHidden('Again: ')) === password) return password;
  throw operationFailed('Passwords do not match');
}

/** Prompts on standard error, so that scripts can read standard output. */
function promptHidden(question: string): Promise<string> {
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
        if (ENTER.test(letter)) {
          end(() => resolve(typed.join('')));
          return;
        }
        if (letter === INTERRUPT || letter === END_OF_INPUT) {
          end(() => reject(operationFailed('Cancelled: nothing was changed')));
          return;
        }
        typed = ERASE.test(letter) ? typed.slice(0, -1) : [...typed, letter];
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

interface InviteOptions extends LinkOptions {
  readonly email: string;
  readonly role?: Role;
  readonly site?: string[];
}

interface LinkOptions extends CommonOptions {
  readonly baseUrl?: string;
}

interface UpdateOptions extends CommonOptions {
  readonly email?: string;
  readonly role?: Role;
  readonly site?: string[];
  readonly leave?: string[];
}

export function userCommand(): Command {
  const role = () =>
    new Option('--role <role>', 'admin (all sites), or editor or viewer of --site').choices([
      'admin',
      'editor',
      'viewer',
    ]);
  const ofUser = (name: string, description: string) =>
    createCommand(name, description).argument('<user>', 'email address or id');
  const baseUrl = ['--base-url <url>', 'address of the dashboard (default: the setting of the server)'] as const;
  const passwordStdin = ['--password-stdin', 'read the password from standard input'] as const;
  return createGroup('user', 'manage dashboard users', [
    createCommand('create', 'create a user; prompts for the password')
      .requiredOption('--email <email>', 'email address for sign-in')
      .addOption(role())
      .option('--site <site>', 'id or slug; repeatable (default role: viewer)', collectValues)
      .option(...passwordStdin)
      .action(create),
    createCommand('invite', 'create a user and a link by which they choose a password; works once, for 3 days')
      .requiredOption('--email <email>', 'email address for sign-in')
      .addOption(role())
      .option('--site <site>', 'id or slug; repeatable (default role: viewer)', collectValues)
      .option(...baseUrl)
      .action(invite),
    ofUser('reset-link', 'create a link by which a user chooses a new password; works once, for 3 days')
      .option(...baseUrl)
      .action(createResetLink),
    createCommand('list', 'list users').action(list),
    ofUser('update', 'update the email address, role or sites of a user')
      .option('--email <email>', 'new email address')
      .addOption(role())
      .option('--site <site>', 'site to grant the role on; repeatable', collectValues)
      .option('--leave <site>', 'site to revoke the role on; repeatable', collectValues)
      .action(update),
    ofUser('disable', 'disable a user and end all sessions').action(setDisabled(true)),
    ofUser('enable', 'enable a disabled user').action(setDisabled(false)),
    ofUser('password', 'set a new password and end all sessions')
      .option(...passwordStdin)
      .action(setPassword),
    ofUser('remove', 'delete a user').action(remove),
  ]);
}

async function create(options: CreateOptions): Promise<void> {
  checkRole(options);
  const passwordHash = await hashNewPassword(options);
  const user = await withDatabase(options, (database) =>
    database.write('server', async (db) => createUser(db, null, { ...(await toNewUser(db, options)), passwordHash })),
  );
  printUser(options, user);
}

function checkRole({ role, site }: Pick<CreateOptions, 'role' | 'site'>): void {
  if (role === undefined || role === 'admin' || site !== undefined) return;
  throw new AppError('bad_usage', `--role ${role} needs --site`);
}

async function toNewUser(
  db: Queries,
  { email, role = 'viewer', site }: Pick<CreateOptions, 'email' | 'role' | 'site'>,
) {
  if (role === 'admin') return { email, role, siteRoles: [] };
  return { email, role: 'member' as const, siteRoles: await resolveSiteRoles(db, site, role) };
}

async function invite(options: InviteOptions): Promise<void> {
  checkRole(options);
  await printLink(options, async (db, baseUrl) => inviteUser(db, null, await toNewUser(db, options), baseUrl));
}

async function createResetLink(who: string, options: LinkOptions): Promise<void> {
  await printLink(options, async (db, baseUrl) => {
    const { id } = await requireUser(db, who);
    return createPasswordLink(db, null, id, baseUrl);
  });
}

async function printLink(
  options: LinkOptions,
  create: (db: Queries, baseUrl: string) => Promise<PasswordLink>,
): Promise<void> {
  const flags = options.baseUrl === undefined ? {} : { base_url: options.baseUrl };
  const { baseUrl, host, port } = loadConfig(options, flags);
  const link = await writeDatabase(options, (db) => create(db, baseUrl ?? buildServerUrl(host, port)));
  printSecret(options.json, link, link.url, `Link for ${link.user.email}, valid until ${link.expires_at}. Pass it on`);
}

const list = listAction(
  async (db) => (await listUsers(db)).map(toUserRecord),
  ({ id, email, disabled, invited, last_sign_in_at, ...user }) => ({
    ...{ id, email, role: formatRole(user) },
    ...{ disabled, 'last sign-in': invited ? 'invited' : last_sign_in_at },
  }),
  'No users. Create one: lectern user create --role admin --email EMAIL',
);

async function update(who: string, options: UpdateOptions): Promise<void> {
  checkRole(options);
  if (options.site !== undefined && (options.role ?? 'admin') === 'admin') {
    throw new AppError('bad_usage', '--site needs --role editor or viewer');
  }
  await changeUser(who, options, async (db, before) => ({
    email: options.email,
    role: toAccountRole(options.role),
    siteRoles: await updateSiteRoles(db, before, options),
  }));
}

function setDisabled(disabled: boolean) {
  return (who: string, options: CommonOptions) => changeUser(who, options, () => ({ disabled }));
}

async function setPassword(who: string, options: PasswordOptions): Promise<void> {
  // Fails before the prompt.
  await withExistingDatabase(options, ({ read }) => requireUser(read, who));
  const passwordHash = await hashNewPassword(options);
  await changeUser(who, options, () => ({ passwordHash }));
}

type UserChanges = Parameters<typeof updateUser>[3];

async function changeUser(
  who: string,
  options: CommonOptions,
  readChanges: (db: Queries, before: UserWithSites) => UserChanges | Promise<UserChanges>,
): Promise<void> {
  const user = await writeDatabase(options, async (db) => {
    const before = await requireUser(db, who);
    return updateUser(db, null, before.id, await readChanges(db, before));
  });
  printUser(options, user);
}

async function remove(who: string, options: CommonOptions): Promise<void> {
  const id = await writeDatabase(options, async (db) => {
    const user = await requireUser(db, who);
    await deleteUser(db, null, user.id);
    return user.id;
  });
  printResult(options.json, { id, removed: true }, () => `User ${id} removed`);
}

async function hashNewPassword(options: PasswordOptions): Promise<string> {
  return createPasswordHasher().hash(await promptNewPassword(options.passwordStdin));
}

function toAccountRole(role: Role | undefined): UserRole | undefined {
  if (role === undefined) return undefined;
  return role === 'admin' ? 'admin' : 'member';
}

async function requireUser(db: Queries, who: string): Promise<UserWithSites> {
  const id = /^\d{1,15}$/.test(who) ? Number(who) : (await findUserByEmail(db, normalizeEmail(who)))?.id;
  const user = id === undefined ? undefined : await findUser(db, id);
  if (user === undefined) throw notFound('User', who);
  return user;
}

async function updateSiteRoles(
  db: Queries,
  before: UserWithSites,
  { site, leave = [], role }: UpdateOptions,
): Promise<SiteRoleAssignment[]> {
  const roles = new Map(before.sites.map((site) => [site.id, site.role]));
  for (const site of leave) roles.delete((await findSite(db, site)).id);
  if (role === 'editor' || role === 'viewer') {
    for (const { siteId } of await resolveSiteRoles(db, site, role)) roles.set(siteId, role);
  }
  return [...roles].map(([siteId, siteRole]) => ({ siteId, role: siteRole }));
}

async function resolveSiteRoles(
  db: Queries,
  sites: readonly string[] = [],
  role: SiteRole,
): Promise<SiteRoleAssignment[]> {
  const assignments: SiteRoleAssignment[] = [];
  for (const site of sites) assignments.push({ siteId: (await findSite(db, site)).id, role });
  return assignments;
}

function printUser({ json }: CommonOptions, user: UserWithSites): void {
  const record = toUserRecord(user);
  const { sites: _, ...members } = record;
  printRecord(json, record, { ...members, role: formatRole(record) });
}

/** In the words of `--role`: `member`, the role of an account without all sites, is one of the API. */
function formatRole({ role, sites }: Pick<UserRecord, 'role' | 'sites'>): string | null {
  if (role === 'admin') return role;
  if (sites.length === 0) return null;
  return sites.map((site) => `${site.role} of ${site.slug}`).join(', ');
}
