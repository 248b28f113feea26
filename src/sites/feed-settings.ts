import { type Static, Type } from '@sinclair/typebox';
import { AppError, type FieldErrors } from '../errors.ts';
import { literalUnion } from '../http/validation.ts';

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

/** As podcast directories know them; a subcategory stands behind `>`. */
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

/** What is not named stays as it is. */
export const FeedChanges = Type.Partial(FeedSettings, { title: 'FeedChanges' });
export type FeedChanges = Static<typeof FeedChanges>;

/** What holds where a site has set nothing. */
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

/** @param stored JSON of what a site has set */
export function parseFeedSettings(stored: string): FeedSettings {
  return { ...defaultFeedSettings, ...(JSON.parse(stored) as FeedChanges) };
}

/** @throws AppError `validation_failed` naming each address that can't be used */
export function validateFeedChanges({ email = '', ...changes }: FeedChanges): void {
  const found: FieldErrors = {};
  for (const name of ['image_url', 'link'] as const) {
    const address = changes[name] ?? '';
    if (address !== '' && !isHttpUrl(address)) {
      found[`feed.${name}`] = ['must be an http(s) URL'];
    }
  }
  if (email !== '' && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email)) {
    found['feed.email'] = ['must be an e-mail address'];
  }
  if (Object.keys(found).length === 0) return;
  throw new AppError('validation_failed', 'Validation failed', found);
}

function isHttpUrl(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
}
