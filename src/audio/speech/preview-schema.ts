import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../../http/one-of.ts';
import { GenerateBody } from '../schema.ts';

const { post_title, voice_id, language } = GenerateBody.properties;

/** Body of `POST /v1/speech/preview`. The longest content is a setting, checked by the route. */
export const PreviewBody = Type.Object(
  {
    content: Type.String({ description: 'Article text, plain or HTML' }),
    title: post_title,
    language,
    voice_id,
  },
  { title: 'PreviewRequest' },
);
export type PreviewBody = Static<typeof PreviewBody>;

/** Query of a preview. */
export const PreviewQuery = Type.Object({
  site: Type.Optional(
    Type.String({ description: 'With a session: id or slug of the site; a key has its own' }),
  ),
});

const Kind = oneOf(['title', 'heading', 'paragraph', 'quote', 'list']);
const offsets = {
  start: Type.Integer({ minimum: 0, description: 'Offset in the field, in UTF-16 units' }),
  end: Type.Integer({ minimum: 0, description: 'Where it ends, exclusive' }),
};
const span = {
  field: oneOf(['intro', 'title', 'content', 'outro', 'disclosure'], {
    description: 'Where it was written: what was sent, or a line that the site has set',
  }),
  ...offsets,
};
const Phonemes = Type.String({ description: 'IPA, in the symbols of the voice' });

const Piece = Type.Object(
  { text: Type.String(), ...offsets, spoken: Type.String() },
  { description: 'What is said as it is written is one piece' },
);

const PreviewSentence = Type.Object(
  {
    block: Type.Integer({ minimum: 0, description: 'Its place among the blocks' }),
    kind: Kind,
    ...span,
    language: Type.String({ description: 'Another one in passages that a voice of it speaks' }),
    voice_id: Type.Integer(),
    text: Type.String({ description: 'As a reader sees it' }),
    spoken: Type.String({ description: 'The words that are said' }),
    phonemes: Phonemes,
    pieces: Type.Array(Piece, { description: 'They cover the sentence' }),
  },
  { title: 'PreviewSentence' },
);

/** How a text would be read out. */
export const Preview = Type.Object(
  {
    language: Type.String(),
    voice_id: Type.Integer(),
    blocks: Type.Array(
      Type.Object({ kind: Kind, ...span, sentence_count: Type.Integer({ minimum: 1 }) }),
    ),
    sentences: Type.Array(PreviewSentence),
    left_out: Type.Array(
      Type.Object({
        text: Type.String({ description: 'Its first 200 characters' }),
        reason: Type.String(),
        ...span,
      }),
    ),
    unknown_words: Type.Array(
      Type.Object({
        word: Type.String(),
        count: Type.Integer({ minimum: 1 }),
        spoken: Type.String({ description: 'As it is said where it stands alone' }),
        phonemes: Phonemes,
      }),
      {
        description:
          'What the lexicon does not know and looks like a name or an acronym, the most frequent 200',
      },
    ),
    unknown_phonemes: Type.Array(Type.String(), {
      description: 'Symbols that the voice never learned: it says the rest of the word',
    }),
  },
  { title: 'Preview' },
);
export type Preview = Static<typeof Preview>;
