import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageSchema } from '../http/pagination.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { BIT_RATES_KBPS } from '../speech/encode/mp3.ts';
import { NarrationSettings, NarrationSettingsChanges } from '../speech/narration-settings.ts';
import { VoiceRecord } from '../voices/schema.ts';
import { FeedChanges, FeedSettings } from './feed-settings.ts';

const Timestamp = Type.String({ description: 'ISO 8601, UTC' });
const OptionalTimestamp = nullable(Timestamp);
const Plan = Type.Union([Type.Literal('starter'), Type.Literal('growth'), Type.Literal('enterprise')]);
const Subscription = Type.Union([Type.Literal('active'), Type.Literal('trialing'), Type.Literal('inactive')]);
const SiteName = Type.String({ minLength: 1, maxLength: 200 });
const Domain = Type.String({
  maxLength: 300,
  description: 'Host name; case and port are ignored',
});
const VoiceId = Type.Integer({ description: 'Voice id' });
const ExtraVoices = Type.Array(VoiceId, {
  maxItems: 20,
  description: 'With `allow_switch`, voices that are generated in addition to the main voice',
});

export const SiteParams = Type.Object({ site: Type.String({ description: 'Id or slug' }) });
export const SiteDomainParams = Type.Object({
  ...SiteParams.properties,
  domain: Type.String({ description: 'A domain of the site' }),
});
export const SiteKeyParams = Type.Object({
  ...SiteParams.properties,
  key: Type.Integer({ description: 'Id of a key' }),
});

export const SiteRecord = Type.Object(
  {
    id: Type.Integer(),
    slug: Type.String(),
    name: Type.String(),
    plan: Plan,
    subscription: Subscription,
    trial_ends_at: OptionalTimestamp,
    active: Type.Boolean({
      description: 'False: the site is disabled; it serves no audio and accepts no posts',
    }),
    domains: Type.Array(Type.String(), { description: 'The primary one first' }),
    default_voice_id: nullable(Type.Integer()),
    allow_switch: Type.Boolean({ description: 'Whether listeners can switch voices' }),
    extra_voices: Type.Array(Type.Integer()),
    bit_rate_kbps: Type.Integer(),
    timings_text: Type.Boolean({
      description: 'Whether timings contain the text of each sentence',
    }),
    reading: NarrationSettings,
    feed: FeedSettings,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Site' },
);
export type SiteRecord = Static<typeof SiteRecord>;

export const SiteId = Type.Object({ id: Type.Integer(), slug: Type.String() });

const Limit = nullable(Type.Integer(), { description: 'Null: no limit' });

const ListedSite = Type.Object(
  {
    ...SiteRecord.properties,
    quota: Type.Object({
      month: Type.String({ description: 'Calendar month in UTC' }),
      posts_used: Type.Integer(),
      posts_limit: Limit,
    }),
  },
  { title: 'ListedSite' },
);

export const SiteDetail = Type.Object(
  {
    ...ListedSite.properties,
    role: Type.Union([Type.Literal('admin'), Type.Literal('editor'), Type.Literal('viewer')], {
      description: 'Role of the current user on this site',
    }),
  },
  { title: 'SiteDetail' },
);
export type SiteDetail = Static<typeof SiteDetail>;

export const SitePage = pageSchema(ListedSite);
export const SitesQuery = PageQuery;

export const CreateSiteBody = Type.Object({
  name: SiteName,
  domains: Type.Array(Domain, { minItems: 1, maxItems: 100, description: 'The first is primary' }),
  plan: Type.Optional(Plan),
  trial_ends_at: Type.Optional(OptionalTimestamp),
});

const AdminChanges = {
  plan: Type.Optional(Plan),
  subscription: Type.Optional(Subscription),
  trial_ends_at: Type.Optional(OptionalTimestamp),
  active: Type.Optional(Type.Boolean()),
};
export const adminFields = Object.keys(AdminChanges) as (keyof typeof AdminChanges)[];

const VoiceChanges = {
  default_voice_id: Type.Optional(nullable(VoiceId)),
  allow_switch: Type.Optional(Type.Boolean()),
  extra_voices: Type.Optional(ExtraVoices),
};

export const UpdateSiteBody = Type.Object(
  {
    ...AdminChanges,
    ...VoiceChanges,
    name: Type.Optional(SiteName),
    bit_rate_kbps: Type.Optional(literalUnion(BIT_RATES_KBPS)),
    timings_text: Type.Optional(Type.Boolean()),
    reading: Type.Optional(NarrationSettingsChanges),
    feed: Type.Optional(FeedChanges),
  },
  { description: 'Omitted members are not changed' },
);
export type UpdateSiteBody = Static<typeof UpdateSiteBody>;

export const UpdateSiteVoicesBody = Type.Object(VoiceChanges, {
  description: 'Omitted members are not changed',
});

export const SiteVoices = Type.Object(
  {
    default_voice_id: nullable(Type.Integer(), {
      description: 'Configured default voice; null: the first voice of the list',
    }),
    allow_switch: Type.Boolean(),
    extra_voices: Type.Array(Type.Integer()),
    voices: Type.Array(VoiceRecord, { description: 'Enabled voices included in the plan' }),
  },
  {
    title: 'SiteVoices',
    examples: [
      {
        default_voice_id: 1,
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
export const SiteDomains = Type.Object(
  { items: Type.Array(SiteDomain) },
  {
    examples: [
      {
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
    primary: Type.Optional(Type.Boolean()),
  },
  { title: 'SiteDomains' },
);
export const UpdateDomainBody = Type.Object({
  primary: Type.Literal(true, { description: 'Sets the domain as primary' }),
});

const KeyName = Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for' });
export const CreateKeyBody = Type.Object({ name: Type.Optional(KeyName) });

export const KeyRecord = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    prefix: Type.String({ description: 'First characters of the key' }),
    created_at: Timestamp,
    last_used_at: OptionalTimestamp,
    revoked_at: OptionalTimestamp,
  },
  { title: 'ApiKey' },
);
export const KeyPage = pageSchema(KeyRecord);

/** The one answer that holds a key. */
export const CreatedKey = Type.Object(
  {
    key: Type.String({ description: 'The key; not shown again' }),
    id: Type.Integer(),
    name: Type.String(),
    prefix: Type.String(),
    created_at: Timestamp,
  },
  { title: 'CreatedApiKey' },
);
