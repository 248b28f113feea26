import { type Static, Type } from '@sinclair/typebox';
import { RegeneratedAudios } from '../audio/schema.ts';
import { PageQuery, pageSchema } from '../http/pagination.ts';
import { literalUnion, nullable, Timestamp } from '../http/validation.ts';

const Language = Type.String({
  maxLength: 35,
  description: 'Language code such as `en`; empty: all languages',
});
const Word = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'One or more words; matches whole words only, the longest entry wins',
});
const AliasText = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Replacement: plain text; `[[…]]` encloses phonemes (IPA as written by espeak-ng)',
});
const MatchCase = Type.Boolean({ description: 'Match case' });

/** An entry in the path, of the installation's lexicon or a site's. */
export const PronunciationParams = Type.Object({ pronunciation: Type.String({ description: 'Id of the entry' }) });

export const PronunciationsQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the word or alias, case-insensitive' })),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description: 'Only entries of this language; empty: entries for all languages',
    }),
  ),
});

export const DeletedPronunciation = Type.Object(
  { language: Language, word: Type.String(), alias: Type.String(), match_case: MatchCase, deleted_at: Timestamp },
  {
    title: 'DeletedPronunciation',
    examples: [
      {
        ...{ language: 'en', word: 'Siobhan', alias: '[[ʃɪˈvɔːn]]', match_case: false },
        deleted_at: '2026-11-02T08:15:00.000Z',
      },
    ],
  },
);
export type DeletedPronunciation = Static<typeof DeletedPronunciation>;
export const DeletedPronunciations = pageSchema(DeletedPronunciation);

const RegeneratePosts = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: 50,
  description:
    '`post_id`s whose audio in the language of the entry is regenerated once it is saved; only for the entries of a site. For all affected posts use `…/remake`',
});

export const PronunciationBody = Type.Object({
  word: Word,
  alias: AliasText,
  language: Type.Optional(Language),
  match_case: Type.Optional(MatchCase),
  regenerate_posts: Type.Optional(RegeneratePosts),
});

export const PronunciationChanges = Type.Partial(PronunciationBody, { description: 'Omitted members are unchanged' });
export type PronunciationChanges = Omit<Static<typeof PronunciationChanges>, 'regenerate_posts'>;

/** A voice that lacks some of the phonemes and therefore reads the written word. */
export const LackingVoice = Type.Object({
  voice_id: Type.Integer(),
  name: Type.String(),
  symbols: Type.Array(Type.String(), { description: 'Unsupported phonemes' }),
});
export type LackingVoice = Static<typeof LackingVoice>;

export const exampleEntry = {
  id: 1,
  language: 'en',
  word: 'Siobhan',
  alias: '[[ʃɪˈvɔːn]]',
  match_case: false,
  lacking: [],
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

/** An entry of the lexicon as it is shown. */
export const Pronunciation = Type.Object(
  {
    id: Type.Integer(),
    language: Type.String(),
    word: Type.String(),
    alias: Type.String(),
    match_case: Type.Boolean(),
    lacking: Type.Array(LackingVoice, {
      description: 'Voices that do not support its phonemes and read the word as written',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Pronunciation', examples: [exampleEntry] },
);
export type Pronunciation = Static<typeof Pronunciation>;

export const SavedPronunciation = Type.Object(
  {
    ...Pronunciation.properties,
    regenerated: nullable(RegeneratedAudios, { description: 'Null without `regenerate_posts`' }),
  },
  { title: 'SavedPronunciation', examples: [{ ...exampleEntry, regenerated: null }] },
);

export const PronunciationPage = pageSchema(Pronunciation);

/** Body of `POST …/pronunciations/preview`: an entry as it is, or would be. */
export const WordBody = Type.Object({
  word: Word,
  alias: Type.Optional(AliasText),
  language: Type.Optional(Language),
  match_case: Type.Optional(MatchCase),
});

/** What holds a word. */
export const AffectedPosts = Type.Object(
  {
    posts: Type.Integer(),
    audios: Type.Integer({ description: 'Each language and each extra voice of a post counts' }),
    outdated: Type.Integer({ description: 'Audio generated before the current version of the entry' }),
    complete: Type.Boolean({ description: 'False: the search timed out before all posts were examined' }),
    first: Type.Array(
      Type.Object({
        site_id: Type.Integer(),
        post_id: Type.String(),
        language: Type.String(),
        outdated: Type.Boolean(),
        sentence: Type.String({ description: 'The first sentence with the word' }),
      }),
    ),
  },
  { title: 'TouchedPosts' },
);
export type AffectedPosts = Static<typeof AffectedPosts>;

export const ImportQuery = Type.Object({
  mode: Type.Optional(
    literalUnion(['merge', 'replace'], {
      default: 'merge',
      description:
        '`merge` keeps entries missing from the file; `replace` deletes them (with PLS: those of its language)',
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Validate and report changes without writing' })),
});

export const ExportQuery = Type.Object({
  format: Type.Optional(literalUnion(['csv', 'pls'], { default: 'csv' })),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description:
        'Only entries of this language; empty: entries for all languages. Required for PLS, which holds one language',
    }),
  ),
});

export const ImportResponse = Type.Object(
  {
    created: Type.Integer(),
    changed: Type.Integer(),
    unchanged: Type.Integer(),
    deleted: Type.Integer(),
    dry_run: Type.Boolean({ description: 'Whether this was a dry run' }),
  },
  { title: 'ImportedPronunciations' },
);
