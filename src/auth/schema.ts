import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { PageQuery } from '../http/pagination.ts';

const emailLengthMax = 254;

/** Its form is checked by `readEmail`. */
const Email = Type.String({
  minLength: 3,
  maxLength: emailLengthMax,
  format: 'email',
  description: 'E-mail address; upper and lower case do not differ',
});
/** A password that somebody chooses. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 1_000 });
const GivenPassword = Type.String({ minLength: 1, maxLength: 1_000 });
const UserRole = Type.Union([Type.Literal('admin'), Type.Literal('member')], {
  description: 'An admin may do everything; a member what their sites let them',
});
const SiteRole = Type.Union([Type.Literal('editor'), Type.Literal('viewer')]);
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const Part = Type.Object({
  site: Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 100 })], {
    description: 'Id or slug',
  }),
  role: SiteRole,
});
const Parts = Type.Array(Part, {
  maxItems: 1_000,
  description: 'The sites that a member has a part in; admins need none',
});

/** Body of `POST /v1/users`. */
export const NewUserBody = Type.Object({
  email: Email,
  password: NewPassword,
  role: Type.Optional(UserRole),
  sites: Type.Optional(Parts),
});

/** Body of `PATCH /v1/users/{id}`: what is not named stays. */
export const UserChangesBody = Type.Object({
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
  role: Type.Optional(UserRole),
  disabled: Type.Optional(Type.Boolean()),
  sites: Type.Optional(Parts),
});

/** A user in the path. */
export const UserParams = Type.Object({ id: Type.Integer() });

/** A user, as answers show one. */
export const UserRecord = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    role: UserRole,
    disabled: Type.Boolean(),
    sites: Type.Array(
      Type.Object({
        id: Type.Integer(),
        slug: Type.String(),
        name: Type.String(),
        role: SiteRole,
      }),
    ),
    last_sign_in_at: orNull(Type.String()),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { title: 'User' },
);
export type UserRecord = Static<typeof UserRecord>;

/** Body of `POST /v1/auth/login`. */
export const LoginBody = Type.Object({ email: Email, password: GivenPassword });

/** Body of `POST /v1/auth/setup`. */
export const SetupBody = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'Out of the setup link' }),
  email: Email,
  password: NewPassword,
});

/** Body of `POST /v1/auth/logout`. */
export const LogoutBody = Type.Object({
  everywhere: Type.Optional(
    Type.Boolean({ description: 'True: ends every session of the user, on other machines too' }),
  ),
});

/** Body of `POST /v1/auth/password`. */
export const PasswordBody = Type.Object({ current: GivenPassword, new: NewPassword });

/** What a sign-in answers. */
export const StartedSession = Type.Object(
  {
    token: Type.String({ description: 'For `Authorization: Bearer`; the cookie holds the same' }),
    expires_at: Type.String({ description: 'Ends then in any case, and earlier without requests' }),
    csrf_token: Type.String({ description: 'For `X-CSRF-Token` of changes by cookie' }),
    user: UserRecord,
  },
  { title: 'StartedSession' },
);
export type StartedSession = Static<typeof StartedSession>;

/** What `GET /v1/me` answers. */
export const Me = Type.Object({
  user: UserRecord,
  expires_at: Type.String(),
  csrf_token: Type.Union([Type.String(), Type.Null()], { description: 'Null for a bearer' }),
});

const Day = Type.String({ format: 'date', description: 'A day (UTC) like 2026-11-21' });

export const AuditQuery = Type.Object({
  ...PageQuery.properties,
  site: Type.Optional(Type.String({ description: 'Id or slug' })),
  actor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'Who did it: an e-mail address, or `command line`',
    }),
  ),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 100,
      description: 'Like `key.rotated`; `key` for all that is done with keys',
    }),
  ),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
});

/** An entry of the audit log, as answers show one. */
export const AuditRecord = Type.Object(
  {
    id: Type.Integer(),
    at: Type.String(),
    user_id: orNull(Type.Integer()),
    actor: Type.String({ description: 'E-mail address at that time, or `command line`' }),
    action: Type.String(),
    site_id: orNull(Type.Integer()),
    subject: orNull(Type.String()),
    before: Type.Unknown({
      description: 'Members that changed, as they were; null where none were',
    }),
    after: Type.Unknown({ description: 'The same members afterwards' }),
  },
  { title: 'AuditEntry' },
);
export type AuditRecord = Static<typeof AuditRecord>;
