import { type Static, Type } from '@sinclair/typebox';
import { type FieldErrors, throwIfInvalid } from '../errors.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { parseHttpUrl } from '../setting.ts';
import { BIT_RATES_KBPS } from '../speech/encode/mp3.ts';
import { defaultNarrationSettings, NarrationSettings, NarrationSettingsChanges } from '../speech/narration-settings.ts';
import { defaultPlayerSettings, PlayerChanges, PlayerSettings } from './player-settings.ts';

/** The categories of Apple Podcasts with their subcategories. */
const subcategories = {
  Arts: ['Books', 'Design', 'Fashion & Beauty', 'Food', 'Performing Arts', 'Visual Arts'],
  Business: ['Careers', 'Entrepreneurship', 'Investing', 'Management', 'Marketing', 'Non-Profit'],
  Comedy: ['Comedy Interviews', 'Improv', 'Stand-Up'],
  Education: ['Courses', 'How To', 'Language Learning', 'Self-Improvement'],
  Fiction: ['Comedy Fiction', 'Drama', 'Science Fiction'],
  Government: [],
  'Health & Fitness': ['Alternative Health', 'Fitness', 'Medicine', 'Mental Health', 'Nutrition', 'Sexuality'],
  History: [],
  'Kids & Family': ['Education for Kids', 'Parenting', 'Pets & Animals', 'Stories for Kids'],
  Leisure: [
    'Animation & Manga',
    'Automotive',
    'Aviation',
    'Crafts',
    'Games',
    'Hobbies',
    'Home & Garden',
    'Video Games',
  ],
  Music: ['Music Commentary', 'Music History', 'Music Interviews'],
  News: [
    'Business News',
    'Daily News',
    'Entertainment News',
    'News Commentary',
    'Politics',
    'Sports News',
    'Tech News',
  ],
  'Religion & Spirituality': ['Buddhism', 'Christianity', 'Hinduism', 'Islam', 'Judaism', 'Religion', 'Spirituality'],
  Science: [
    'Astronomy',
    'Chemistry',
    'Earth Sciences',
    'Life Sciences',
    'Mathematics',
    'Natural Sciences',
    'Nature',
    'Physics',
    'Social Sciences',
  ],
  'Society & Culture': ['Documentary', 'Personal Journals', 'Philosophy', 'Places & Travel', 'Relationships'],
  Sports: [
    'Baseball',
    'Basketball',
    'Cricket',
    'Fantasy Sports',
    'Football',
    'Golf',
    'Hockey',
    'Rugby',
    'Running',
    'Soccer',
    'Swimming',
    'Tennis',
    'Volleyball',
    'Wilderness',
    'Wrestling',
  ],
  Technology: [],
  'True Crime': [],
  'TV & Film': ['After Shows', 'Film History', 'Film Interviews', 'Film Reviews', 'TV Reviews'],
} as const;
type Subcategories = typeof subcategories;
type PodcastCategory = {
  [Top in keyof Subcategories]: Top | `${Top} > ${Subcategories[Top][number]}`;
}[keyof Subcategories];

/** A subcategory follows its category and `>`. */
export const podcastCategories = Object.entries(subcategories).flatMap(([top, below]) => [
  top,
  ...below.map((name) => `${top} > ${name}`),
]) as PodcastCategory[];

const lineSchema = (maxLength: number, description: string) => Type.String({ maxLength, description });

export const FeedSettings = Type.Object(
  {
    enabled: Type.Boolean({ description: 'False: the podcast feed is disabled' }),
    title: lineSchema(200, "Empty: the site's name"),
    description: lineSchema(1_000, 'Podcast description; empty: a default sentence with the site name'),
    author: lineSchema(200, "Empty: the site's name"),
    email: lineSchema(254, 'Owner address for podcast directories; public in the feed. Empty: none'),
    category: Type.Unsafe<PodcastCategory>(literalUnion(podcastCategories, { description: 'Apple Podcasts category' })),
    image_url: lineSchema(2_000, 'URL of a square JPEG or PNG, 1400 to 3000 pixels; empty: a default image'),
    link: lineSchema(2_000, 'Website URL; empty: the primary domain'),
    copyright: lineSchema(200, 'Copyright notice; empty: none'),
    explicit: Type.Boolean({ description: 'Whether the podcast is explicit' }),
  },
  { title: 'FeedSettings' },
);
export type FeedSettings = Static<typeof FeedSettings>;

export const FeedChanges = Type.Partial(FeedSettings, { title: 'FeedChanges' });
export type FeedChanges = Static<typeof FeedChanges>;

export const defaultFeedSettings: FeedSettings = {
  enabled: true,
  title: '',
  description: '',
  author: '',
  email: '',
  category: 'News',
  image_url: '',
  link: '',
  copyright: '',
  explicit: false,
};

/** @param stored JSON of the settings that differ from the default */
export function parseFeedSettings(stored: string): FeedSettings {
  return { ...defaultFeedSettings, ...(JSON.parse(stored) as FeedChanges) };
}

/** @throws AppError `validation_failed` with all invalid addresses */
export function validateFeedChanges({ email = '', ...changes }: FeedChanges): void {
  const errors: FieldErrors = {};
  for (const name of ['image_url', 'link'] as const) {
    const address = changes[name] ?? '';
    const url = parseHttpUrl(address);
    if (address !== '' && (url === undefined || url.username + url.password !== '')) {
      errors[`feed.${name}`] = ['must be an http(s) URL'];
    }
  }
  if (email !== '' && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email)) {
    errors['feed.email'] = ['must be an e-mail address'];
  }
  throwIfInvalid(errors);
}

const Plan = literalUnion(['starter', 'growth', 'enterprise'], {
  description: 'Plan tier',
});

const adminSettings = {
  plan: Plan,
  subscription: literalUnion(['active', 'trialing', 'inactive'], {
    description: 'Subscription status',
  }),
  trial_ends_at: nullable(Type.String(), { description: 'End of the trial: ISO 8601, UTC' }),
  active: Type.Boolean({ description: 'False: the site is disabled; it serves no audio and accepts no posts' }),
  audio_retention_days: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description: 'Days after which the audio of a post is removed; 0: never. Its text and analytics stay',
  }),
  audio_retention_mb: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'MB that the MP3s of the site may have; the oldest are removed beyond it. 0: no limit',
  }),
};
/** Settings that only admins change. */
export const adminFields = Object.keys(adminSettings) as (keyof typeof adminSettings)[];

export const voiceSettings = {
  default_voice_id: nullable(Type.Integer(), { description: 'Voice id; null: the first allowed voice' }),
  allow_switch: Type.Boolean({ description: 'Whether listeners can switch voices' }),
  default_voices: Type.Array(Type.Integer(), {
    maxItems: 50,
    description:
      'Voice ids, at most one per language: each reads the posts of its language that name no voice. `default_voice_id` goes first in its own language. A language without one has its allowed voice with the lowest id',
  }),
  extra_voices: Type.Array(Type.Integer(), {
    maxItems: 20,
    description: 'With `allow_switch`, ids of voices that are generated in addition to the main voice',
  }),
};

/**
 * Every setting of a site. The table `site` has a column of the same name for each: a flag is 0 or 1, a list or an object
 * is JSON. The API, the command line and the audit log follow from this schema.
 */
export const SiteSettings = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'Display name' }),
  time_zone: Type.String({
    maxLength: 100,
    description:
      'IANA time zone, such as Europe/Berlin. Days of analytics are days there. After a change, earlier days keep the plays that they had',
  }),
  ...adminSettings,
  ...voiceSettings,
  bit_rate_kbps: literalUnion(BIT_RATES_KBPS, { description: `MP3 bit rate in kbit/s: ${BIT_RATES_KBPS.join(', ')}` }),
  timings_text: Type.Boolean({ description: 'Whether timings contain the text of each sentence' }),
  reading: NarrationSettings,
  feed: FeedSettings,
  player: PlayerSettings,
});
export type SiteSettings = Static<typeof SiteSettings>;

export const UpdateSiteBody = Type.Partial(
  Type.Object({
    ...SiteSettings.properties,
    reading: {
      ...NarrationSettingsChanges,
      description: 'Narration settings, for example `{"speed": 1.1}`; omitted members are not changed',
    },
    feed: {
      ...FeedChanges,
      description: 'Podcast feed settings, for example `{"author": "Harbor News"}`; omitted members are not changed',
    },
    player: {
      ...PlayerChanges,
      description: 'Player settings, for example `{"layout": "large"}`; omitted members are not changed',
    },
  }),
  { description: 'Omitted members are not changed' },
);
export type UpdateSiteBody = Static<typeof UpdateSiteBody>;

/** Undefined members are not changed. */
export type SiteChanges = { readonly [Field in keyof UpdateSiteBody]?: UpdateSiteBody[Field] | undefined };

export const exampleSettings: SiteSettings = {
  name: 'Harbor News',
  time_zone: 'UTC',
  plan: 'enterprise',
  subscription: 'active',
  trial_ends_at: null,
  active: true,
  audio_retention_days: 0,
  audio_retention_mb: 0,
  default_voice_id: 1,
  allow_switch: false,
  default_voices: [],
  extra_voices: [],
  bit_rate_kbps: 64,
  timings_text: true,
  reading: defaultNarrationSettings,
  feed: defaultFeedSettings,
  player: defaultPlayerSettings,
};
