import { type Static, Type } from '@sinclair/typebox';

const Language = Type.String({
  description:
    "BCP 47 language code; that of the site's default voice unless named, and English without one",
});

/** Query of a feed. */
export const FeedQuery = Type.Object({
  domain: Type.String({ description: 'A domain of the site' }),
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});
export type FeedQuery = Static<typeof FeedQuery>;
