import { type Static, Type } from '@sinclair/typebox';
import { AppError, type FieldErrors } from '../errors.ts';
import { literalUnion } from '../http/validation.ts';

/** The categories that podcast directories know, as Apple names them; a subcategory stands behind `>`. */
export const podcastCategories = [
  'Arts',
  'Arts > Books',
  'Arts > Design',
  'Arts > Fashion & Beauty',
  'Arts > Food',
  'Arts > Performing Arts',
  'Arts > Visual Arts',
  'Business',
  'Business > Careers',
  'Business > Entrepreneurship',
  'Business > Investing',
  'Business > Management',
  'Business > Marketing',
  'Business > Non-Profit',
  'Comedy',
  'Comedy > Comedy Interviews',
  'Comedy > Improv',
  'Comedy > Stand-Up',
  'Education',
  'Education > Courses',
  'Education > How To',
  'Education > Language Learning',
  'Education > Self-Improvement',
  'Fiction',
  'Fiction > Comedy Fiction',
  'Fiction > Drama',
  'Fiction > Science Fiction',
  'Government',
  'Health & Fitness',
  'Health & Fitness > Alternative Health',
  'Health & Fitness > Fitness',
  'Health & Fitness > Medicine',
  'Health & Fitness > Mental Health',
  'Health & Fitness > Nutrition',
  'Health & Fitness > Sexuality',
  'History',
  'Kids & Family',
  'Kids & Family > Education for Kids',
  'Kids & Family > Parenting',
  'Kids & Family > Pets & Animals',
  'Kids & Family > Stories for Kids',
  'Leisure',
  'Leisure > Animation & Manga',
  'Leisure > Automotive',
  'Leisure > Aviation',
  'Leisure > Crafts',
  'Leisure > Games',
  'Leisure > Hobbies',
  'Leisure > Home & Garden',
  'Leisure > Video Games',
  'Music',
  'Music > Music Commentary',
  'Music > Music History',
  'Music > Music Interviews',
  'News',
  'News > Business News',
  'News > Daily News',
  'News > Entertainment News',
  'News > News Commentary',
  'News > Politics',
  'News > Sports News',
  'News > Tech News',
  'Religion & Spirituality',
  'Religion & Spirituality > Buddhism',
  'Religion & Spirituality > Christianity',
  'Religion & Spirituality > Hinduism',
  'Religion & Spirituality > Islam',
  'Religion & Spirituality > Judaism',
  'Religion & Spirituality > Religion',
  'Religion & Spirituality > Spirituality',
  'Science',
  'Science > Astronomy',
  'Science > Chemistry',
  'Science > Earth Sciences',
  'Science > Life Sciences',
  'Science > Mathematics',
  'Science > Natural Sciences',
  'Science > Nature',
  'Science > Physics',
  'Science > Social Sciences',
  'Society & Culture',
  'Society & Culture > Documentary',
  'Society & Culture > Personal Journals',
  'Society & Culture > Philosophy',
  'Society & Culture > Places & Travel',
  'Society & Culture > Relationships',
  'Sports',
  'Sports > Baseball',
  'Sports > Basketball',
  'Sports > Cricket',
  'Sports > Fantasy Sports',
  'Sports > Football',
  'Sports > Golf',
  'Sports > Hockey',
  'Sports > Rugby',
  'Sports > Running',
  'Sports > Soccer',
  'Sports > Swimming',
  'Sports > Tennis',
  'Sports > Volleyball',
  'Sports > Wilderness',
  'Sports > Wrestling',
  'Technology',
  'True Crime',
  'TV & Film',
  'TV & Film > After Shows',
  'TV & Film > Film History',
  'TV & Film > Film Interviews',
  'TV & Film > Film Reviews',
  'TV & Film > TV Reviews',
] as const;

const lineSchema = (maxLength: number, description: string) => Type.String({ maxLength, description });

/** The podcast feed of a site. */
export const FeedSettings = Type.Object(
  {
    enabled: Type.Boolean({ description: 'False: the podcast feed is disabled' }),
    title: lineSchema(200, "Empty: the site's name"),
    description: lineSchema(1_000, 'Podcast description; empty: a default sentence with the site name'),
    author: lineSchema(200, "Empty: the site's name"),
    email: lineSchema(254, 'Owner address for podcast directories; public in the feed. Empty: none'),
    category: literalUnion(podcastCategories, { description: 'Apple Podcasts category' }),
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
