import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageOf } from '../http/pagination.ts';

const Language = Type.String({
  maxLength: 35,
  description: 'Language that it holds for, like `en`; empty: every language',
});
const Word = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A word or several, found only whole; the longest entry counts',
});
const SaidAlias = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'What is said instead: plain text, in which `[[…]]` holds phonemes (IPA, as espeak-ng writes them) that are said as they stand',
});
const MatchCase = Type.Boolean({
  description: 'Whether the word is found only with the same capitals',
});
const Moment = Type.String({ description: 'ISO 8601, UTC' });

/** A site in the path. */
export const SiteParams = Type.Object({
  site: Type.String({ description: 'Id or slug of the site' }),
});

/** An entry in the path, of the installation's lexicon or a site's. */
export const PronunciationParams = Type.Object({
  pronunciation: Type.String({ description: 'Id of the entry' }),
});

/** Query of the list. */
export const PronunciationsQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of word or alias; capitals do not count' }),
  ),
  language: Type.Optional(
    Type.String({ maxLength: 35, description: 'Only those of this language; empty: of every' }),
  ),
});

/** Body of `POST …/pronunciations`. */
export const PronunciationBody = Type.Object({
  word: Word,
  alias: SaidAlias,
  language: Type.Optional(Language),
  match_case: Type.Optional(MatchCase),
});

/** Body of `PATCH …/pronunciations/{id}`. */
export const PronunciationChanges = Type.Object(
  {
    word: Type.Optional(Word),
    alias: Type.Optional(SaidAlias),
    language: Type.Optional(Language),
    match_case: Type.Optional(MatchCase),
  },
  { description: 'What is not named stays as it is' },
);
export type PronunciationChanges = Static<typeof PronunciationChanges>;

/** A voice that never learned some of the phonemes, and says the written word. */
export const LackingVoice = Type.Object({
  voice_id: Type.Integer(),
  name: Type.String(),
  symbols: Type.Array(Type.String(), { description: 'Those it never learned' }),
});
export type LackingVoice = Static<typeof LackingVoice>;

/** An entry of the lexicon as it is shown. */
export const Pronunciation = Type.Object(
  {
    id: Type.Integer(),
    language: Type.String(),
    word: Type.String(),
    alias: Type.String(),
    match_case: Type.Boolean(),
    lacking: Type.Array(LackingVoice, {
      description: 'Voices that cannot say its phonemes, and say the word as it is written',
    }),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'Pronunciation' },
);
export type Pronunciation = Static<typeof Pronunciation>;

export const PronunciationPage = pageOf(Pronunciation);

/** Body of `POST …/pronunciations/preview`: an entry as it is, or would be. */
export const WordBody = Type.Object({
  word: Word,
  alias: Type.Optional(SaidAlias),
  language: Type.Optional(Language),
  match_case: Type.Optional(MatchCase),
});

/** What holds a word. */
export const TouchedPosts = Type.Object(
  {
    posts: Type.Integer(),
    audios: Type.Integer({ description: 'Each language and each further voice of a post is one' }),
    outdated: Type.Integer({
      description: 'Of these audios: made without what the entry says now',
    }),
    complete: Type.Boolean({ description: 'False: there was no time to look through all posts' }),
    first: Type.Array(
      Type.Object({
        site_id: Type.Integer(),
        post_id: Type.String(),
        language: Type.String(),
        outdated: Type.Boolean(),
        sentence: Type.String({ description: 'The first with the word' }),
      }),
    ),
  },
  { title: 'TouchedPosts' },
);
export type TouchedPosts = Static<typeof TouchedPosts>;
