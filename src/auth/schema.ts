import { type Static, Type } from '@sinclair/typebox';
import { PageQuery } from '../http/pagination.ts';
import { literalUnion, nullable } from '../http/validation.ts';

const maxEmailLength = 254;

/** Its form is checked by `parseEmail`. */
const Email = Type.String({
  minLength: 3,
  maxLength: maxEmailLength,
  format: 'email',
  description: 'E-mail address, case-insensitive',
});
export const NewPassword = Type.String({ minLength: 12, maxLength: 1_000 });
const ExistingPassword = Type.String({ minLength: 1, maxLength: 1_000 });
const UserRole = literalUnion(['admin', 'member'], {
  description: '`admin`: full access to the installation. `member`: editor or viewer of `sites`.',
});
const SiteRole = literalUnion(['editor', 'viewer']);

const SiteRoleInput = Type.Object({
  site: Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 100 })], { description: 'Id or slug' }),
  role: SiteRole,
});
const SiteRoleInputs = Type.Array(SiteRoleInput, {
  maxItems: 1_000,
  description: 'Site roles of a member; admins need none',
});

export const CreateUserBody = Type.Object({
  email: Email,
  password: NewPassword,
  role: Type.Optional(UserRole),
  sites: Type.Optional(SiteRoleInputs),
});

export const UpdateUserBody = Type.Object({
  ...Type.Partial(CreateUserBody).properties,
  disabled: Type.Optional(Type.Boolean()),
});

export const InviteUserBody = Type.Omit(CreateUserBody, ['password']);

export const UserParams = Type.Object({ id: Type.Integer() });

export const exampleUser = {
  id: 2,
  email: 'editor@example.org',
  role: 'member' as const,
  disabled: false,
  invited: false,
  sites: [{ id: 1, slug: 'the-daily-example', name: 'The Daily Example', role: 'editor' as const }],
  last_sign_in_at: '2026-11-02T08:15:00.000Z',
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};

export const UserRecord = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    role: UserRole,
    disabled: Type.Boolean(),
    invited: Type.Boolean({ description: 'Whether the user was invited and has no password yet' }),
    sites: Type.Array(
      Type.Object({
        id: Type.Integer(),
        slug: Type.String(),
        name: Type.String(),
        role: SiteRole,
      }),
    ),
    last_sign_in_at: nullable(Type.String()),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { title: 'User', examples: [exampleUser] },
);
export type UserRecord = Static<typeof UserRecord>;

const LinkKind = literalUnion(['invitation', 'reset'], {
  description: '`invitation`: the user has no password yet',
});
const LinkExpiry = Type.String({ description: 'Three days after it was created' });
const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The part of the URL after `=`' });

/** The only response that contains the URL. */
export const PasswordLink = Type.Object(
  {
    user: Type.Object({ id: Type.Integer(), email: Type.String() }),
    kind: LinkKind,
    url: Type.String({ description: 'A secret, not shown again. The user chooses a password there, once' }),
    expires_at: LinkExpiry,
  },
  {
    title: 'PasswordLink',
    examples: [
      {
        user: { id: 2, email: 'editor@example.org' },
        kind: 'invitation',
        url: 'https://audio.example.org/#invitation=Jt0eXr5vPq8cLw2nYb7mKd4sUf9hGa1iZo3xTjRyBkE',
        expires_at: '2026-11-05T08:15:00.000Z',
      },
    ],
  },
);
export type PasswordLink = Static<typeof PasswordLink>;

export const LinkHeaders = Type.Object({ 'x-link-token': LinkToken });
export const ShownLink = Type.Object(
  { email: Type.String(), kind: LinkKind, expires_at: LinkExpiry },
  { examples: [{ email: 'editor@example.org', kind: 'invitation', expires_at: '2026-11-05T08:15:00.000Z' }] },
);
export const AcceptBody = Type.Object({ token: LinkToken, password: NewPassword });

export const AuthState = Type.Object(
  { has_users: Type.Boolean({ description: 'False: nobody can sign in yet; use the setup link' }) },
  { examples: [{ has_users: true }] },
);

export const LoginBody = Type.Object({ email: Email, password: ExistingPassword });

export const SetupBody = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'Token of the setup link' }),
  email: Email,
  password: NewPassword,
});

export const LogoutBody = Type.Object({
  everywhere: Type.Optional(Type.Boolean({ description: 'True: ends all sessions of the user on all devices' })),
});

export const PasswordBody = Type.Object({ current: ExistingPassword, new: NewPassword });

export const exampleSession = {
  token: 'zS0V3jQb2J4r9hE1m7kXoWc5TtYpLdAf8uGiNqRvHxM',
  expires_at: '2026-12-02T08:15:00.000Z',
  csrf_token: 'm2Kq7sVdY4nB8xTfR1cWgLhJ5pZoA9uE3iQwXyN0bDk',
  user: exampleUser,
};

export const EmailBody = Type.Object({ email: Email, password: ExistingPassword });

export const SessionParams = Type.Object({ id: Type.Integer() });
export const SessionRecord = Type.Object(
  {
    id: Type.Integer(),
    device: nullable(Type.String(), {
      description: 'Browser and system at the sign-in, or the name of the program; null if it named none',
    }),
    created_at: Type.String({ description: 'Time of the sign-in' }),
    last_seen_at: Type.String({ description: 'Of the last request, to the minute' }),
    expires_at: Type.String({ description: 'Absolute expiry; the session ends earlier when idle' }),
    current: Type.Boolean({ description: 'Whether this request belongs to it' }),
  },
  {
    title: 'Session',
    examples: [
      {
        id: 7,
        device: 'Firefox on Windows',
        created_at: '2026-11-02T08:15:00.000Z',
        last_seen_at: '2026-11-02T09:40:00.000Z',
        expires_at: '2026-12-02T08:15:00.000Z',
        current: true,
      },
    ],
  },
);

export const StartedSession = Type.Object(
  {
    token: Type.String({ description: 'For `Authorization: Bearer`; the cookie contains the same token' }),
    expires_at: Type.String({ description: 'Absolute expiry; the session ends earlier when idle' }),
    csrf_token: Type.String({ description: 'For `X-CSRF-Token` of requests authenticated by cookie' }),
    user: UserRecord,
  },
  { title: 'StartedSession' },
);
export type StartedSession = Static<typeof StartedSession>;

/** Every setting of the installation. The table `installation` has a column of the same name for each. */
export const InstallationSettings = Type.Object(
  { show_plans: Type.Boolean({ description: 'Whether the dashboard shows plans, subscriptions and quotas' }) },
  { title: 'InstallationSettings', examples: [{ show_plans: false }] },
);
export type InstallationSettings = Static<typeof InstallationSettings>;
export const InstallationChanges = Type.Partial(InstallationSettings, { title: 'InstallationChanges' });

export const Me = Type.Object({
  user: UserRecord,
  settings: InstallationSettings,
  time_zone: Type.String({ description: 'Of the server, for the days of the audit log' }),
  expires_at: Type.String(),
  csrf_token: nullable(Type.String(), { description: 'Null for bearer sessions' }),
});

const Day = Type.String({
  format: 'date',
  description: 'A date such as 2026-11-21, in the time zone of the site, or without `site` in `LECTERN_TIME_ZONE`',
});

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  site: Type.Optional(Type.String({ description: 'Id or slug' })),
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Actor: an e-mail address or `command line`',
    }),
  ),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 100,
      description: 'An action such as `key.rotated`, or a resource such as `key` for all its actions',
    }),
  ),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
});

export const AuditRecord = Type.Object(
  {
    id: Type.Integer(),
    at: Type.String(),
    user_id: nullable(Type.Integer()),
    actor: Type.String({ description: 'E-mail address at the time of the action, or `command line`' }),
    action: Type.String(),
    site_id: nullable(Type.Integer()),
    subject: nullable(Type.String()),
    before: Type.Unknown({ description: 'Changed members with their old values, or null' }),
    after: Type.Unknown({ description: 'The same members with their new values, or null' }),
  },
  { title: 'AuditEntry' },
);
export type AuditRecord = Static<typeof AuditRecord>;
