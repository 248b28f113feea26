import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageSchema } from '../http/pagination.ts';
import { literalUnion, nullable, Timestamp } from '../http/validation.ts';
import { VoiceRecord } from '../voices/schema.ts';
import { exampleSettings, SiteSettings, UpdateSiteBody, voiceSettings } from './settings.ts';

const OptionalTimestamp = nullable(Timestamp);
const Domain = Type.String({ maxLength: 300, description: 'Host name; case and port are ignored' });

const forceDescription = 'Also registers public suffixes and IP addresses, which are refused otherwise; for admins';

export const SiteParams = Type.Object({ site: Type.String({ description: 'Id or slug' }) });
export const SiteDomainParams = Type.Object({
  ...SiteParams.properties,
  domain: Type.String({ description: 'A domain of the site, or a requested one' }),
});
export const SiteKeyParams = Type.Object({
  ...SiteParams.properties,
  key: Type.Integer({ description: 'Id of a key' }),
});

export const exampleSite = {
  id: 1,
  slug: 'harbor-news',
  ...exampleSettings,
  domains: ['www.example.org', 'example.org'],
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

export const SiteRecord = Type.Object(
  {
    id: Type.Integer(),
    slug: Type.String(),
    ...SiteSettings.properties,
    domains: Type.Array(Type.String(), { description: 'The primary one first' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Site', examples: [exampleSite] },
);
export type SiteRecord = Static<typeof SiteRecord>;

export const SiteId = Type.Object({ id: Type.Integer(), slug: Type.String() });

export const DeletedSiteParams = Type.Object({
  site: Type.Integer({ description: 'Id: another site may have the slug' }),
});

export const DeleteSiteQuery = Type.Object({
  permanently: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Keep nothing to restore, also of a site that is deleted already, which is named by its id',
    }),
  ),
});

export const SiteListQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(Type.Literal('deleted', { description: 'Only deleted sites; for admins' })),
});

const exampleListed = {
  ...exampleSite,
  quota: { posts_total: 214, month: '2026-11', posts_used: 17, posts_limit: null },
  ...{ deleted_at: null, purge_at: null },
};

const SiteQuota = Type.Object({
  posts_total: Type.Integer({ description: 'Posts of the site in all languages, without deleted ones' }),
  month: Type.String({ description: 'Calendar month in UTC' }),
  posts_used: Type.Integer({ description: 'English posts of the month: only they count' }),
  posts_limit: nullable(Type.Integer(), { description: 'Null: no limit' }),
});
export type SiteQuota = Static<typeof SiteQuota>;

const ListedSite = Type.Object(
  {
    ...SiteRecord.properties,
    quota: SiteQuota,
    deleted_at: OptionalTimestamp,
    purge_at: nullable(Timestamp, { description: 'When a deleted site is deleted for good; null unless deleted' }),
  },
  { title: 'ListedSite', examples: [exampleListed] },
);

export const SiteDetail = Type.Object(
  {
    ...ListedSite.properties,
    role: literalUnion(['admin', 'editor', 'viewer'], {
      description: 'Role of the current user on this site',
    }),
  },
  { title: 'SiteDetail', examples: [{ ...exampleListed, role: 'editor' }] },
);
export type SiteDetail = Static<typeof SiteDetail>;

export const SitePage = pageSchema(ListedSite);

export const CreateSiteBody = Type.Object({
  name: SiteSettings.properties.name,
  domains: Type.Array(Domain, { minItems: 1, maxItems: 100, description: 'The first is primary' }),
  plan: UpdateSiteBody.properties.plan,
  trial_ends_at: UpdateSiteBody.properties.trial_ends_at,
  time_zone: Type.Optional({
    ...SiteSettings.properties.time_zone,
    description: 'IANA time zone, such as Europe/Berlin; default: `LECTERN_TIME_ZONE`',
  }),
  force: Type.Optional(Type.Boolean({ description: forceDescription })),
});

export const UpdateSiteVoicesBody = Type.Pick(UpdateSiteBody, [
  'default_voice_id',
  'default_voices',
  'allow_switch',
  'extra_voices',
]);

export const SiteVoices = Type.Object(
  {
    ...voiceSettings,
    voices: Type.Array(VoiceRecord, { description: 'Enabled voices included in the plan' }),
  },
  {
    title: 'SiteVoices',
    examples: [
      {
        default_voice_id: 1,
        default_voices: [],
        allow_switch: true,
        extra_voices: [2],
        voices: [
          {
            id: 1,
            name: 'Aspen',
            type: 'neural',
            language: 'en',
            gender: 'female',
            plan_required: 'starter',
          },
          {
            id: 2,
            name: 'Cedar',
            type: 'neural',
            language: 'en',
            gender: 'male',
            plan_required: 'starter',
          },
        ],
      },
    ],
  },
);

const SiteDomain = Type.Object({
  domain: Type.String(),
  primary: Type.Boolean(),
});
const PendingDomain = Type.Object({
  domain: Type.String(),
  requested_by: Type.String({ description: 'E-mail address of the editor' }),
  requested_at: Timestamp,
});
export const SiteDomains = Type.Object(
  {
    items: Type.Array(SiteDomain),
    pending: Type.Array(PendingDomain, {
      description: 'Requested by editors, oldest first. They give no access until an admin approves them',
    }),
  },
  {
    examples: [
      {
        pending: [],
        items: [
          { domain: 'www.example.org', primary: true },
          { domain: 'example.org', primary: false },
        ],
      },
    ],
  },
);
export const AddDomainBody = Type.Object(
  {
    domain: Domain,
    primary: Type.Optional(Type.Boolean({ description: 'Sets it as primary; not for a domain that awaits approval' })),
    force: Type.Optional(Type.Boolean({ description: forceDescription })),
  },
  { title: 'SiteDomains' },
);
export const UpdateDomainBody = Type.Object({
  primary: Type.Literal(true, { description: 'Sets the domain as primary' }),
});

export const CreateKeyBody = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for; default: production' }),
  ),
});

export const exampleKey = {
  id: 3,
  name: 'production',
  prefix: 'svc_live_Wm3xQp',
  created_at: '2026-11-02T08:15:00.000Z',
  last_used_at: '2026-11-20T17:02:41.310Z',
  revoked_at: null,
};

export const KeyRecord = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    prefix: Type.String({ description: 'First characters of the key' }),
    created_at: Timestamp,
    last_used_at: OptionalTimestamp,
    revoked_at: OptionalTimestamp,
  },
  { title: 'ApiKey', examples: [exampleKey] },
);
export const KeyPage = pageSchema(KeyRecord);

/** The only response that contains the key. */
export const CreatedKey = Type.Object(
  {
    key: Type.String({ description: 'The key; not shown again' }),
    id: Type.Integer(),
    name: Type.String(),
    prefix: Type.String(),
    created_at: Timestamp,
  },
  {
    title: 'CreatedApiKey',
    examples: [
      {
        key: 'svc_live_Wm3xQpL0vT2aYcU8sNf1Rk6jHdEiGzXb4oC7tPq5wMy',
        id: 3,
        name: 'production',
        prefix: 'svc_live_Wm3xQp',
        created_at: '2026-11-02T08:15:00.000Z',
      },
    ],
  },
);
