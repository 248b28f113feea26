import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { KeyOrSessionAccess } from '../../auth/api-keys.ts';
import type { Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { described, envelope } from '../../http/endpoint.ts';
import { readJsonBody } from '../../http/request-body.ts';
import { factsOf } from '../../http/request-context.ts';
import { oneOf, queryValue, validate } from '../../http/validation.ts';
import type { LeftOut } from '../../speech/extract/block.ts';
import { type Reading, readingOf } from '../../speech/narration-settings.ts';
import type { PreviewedSentence } from '../../speech/preview.ts';
import type { Alias } from '../../speech/pronunciation/lexicon.ts';
import { batchesOf } from '../../speech/segments.ts';
import type { Workers } from '../../speech/worker-pool.ts';
import type { InstalledVoice } from '../../voices/catalog.ts';
import { chooseVoice, namedLanguage } from '../choose-voice.ts';
import { GenerateBody } from '../schema.ts';
import { foreignVoices } from '../segment-planner.ts';
import { lengthProblem } from '../submit.ts';
import type { SpeechDeps } from './openai-routes.ts';

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

/** A text, and how its site has it read. */
export interface PreviewedText {
  readonly title: string | null;
  readonly content: string;
  readonly aliases: readonly Alias[];
  readonly reading: Reading;
  /** Who would speak passages in other languages. */
  readonly foreign: readonly ForeignVoice[];
}

interface ForeignVoice {
  readonly language: string;
  readonly voice: InstalledVoice;
  readonly aliases: readonly Alias[];
}

/** What would be said of a text, without saying it. */
async function previewText(
  ask: Workers['ask'],
  { id, files, language }: InstalledVoice,
  { title, content, aliases, reading, foreign }: PreviewedText,
): Promise<Preview> {
  const article = await ask('read', {
    ...{ title, content, language, aliases, reading, wantsUnknownWords: true },
    foreign: foreign.map((one) => ({ language: one.language, aliases: one.aliases })),
  });
  const voiceIds = new Map(foreign.map((one) => [one.language, one.voice.id]));
  const foreignFiles = foreign.map((one) => ({ language: one.language, voice: one.voice.files }));
  const sentences: PreviewedSentence[] = [];
  const leftOut = [...article.leftOut];
  const unknownSymbols = new Set<string>();
  for (const batch of batchesOf(article.sentences)) {
    const previewed = await ask('preview', {
      ...{ voice: files, sentences: batch, foreign: foreignFiles },
    });
    sentences.push(...previewed.sentences);
    leftOut.push(...previewed.leftOut);
    for (const symbol of previewed.unknownSymbols) unknownSymbols.add(symbol);
  }
  const words = article.unknownWords.map(({ word }) => word);
  const pronounced = await ask('pronounce', { voice: files, language, words });
  return {
    ...{ language, voice_id: id },
    ...inBlocks(sentences, (code = language) => ({
      language: code,
      voice_id: voiceIds.get(code) ?? id,
    })),
    left_out: leftOut.map(leftOutRecord),
    unknown_words: article.unknownWords.map(({ word, count }, index) => ({
      ...{ word, count, spoken: word, phonemes: '' },
      ...pronounced.words[index],
    })),
    unknown_phonemes: [...unknownSymbols].sort(),
  };
}

function inBlocks(
  all: readonly PreviewedSentence[],
  speaking: (language: string | undefined) => { language: string; voice_id: number },
): Pick<Preview, 'blocks' | 'sentences'> {
  const blocks: Preview['blocks'] = [];
  const sentences: Preview['sentences'] = [];
  let isOpen = false;
  for (const { kind, language, span, endsBlock, text, spoken, phonemes, pieces } of all) {
    const block = blocks.at(-1);
    if (block !== undefined && isOpen && block.field === span.field) {
      block.end = span.end;
      block.sentence_count += 1;
    } else blocks.push({ kind, ...span, sentence_count: 1 });
    isOpen = !endsBlock;
    const place = { block: blocks.length - 1, kind, ...span, ...speaking(language) };
    sentences.push({ ...place, text, spoken, phonemes, pieces: [...pieces] });
  }
  return { blocks, sentences };
}

function leftOutRecord({ text, reason, span }: LeftOut): Preview['left_out'][number] {
  return { text, reason, ...span };
}

/** A long article takes its time, more so beside others. */
const idleMaxS = 240;

export interface PreviewDeps
  extends Pick<SpeechDeps, 'catalog' | 'limits' | 'turns' | 'aliasesOf'> {
  readonly byKeyOrSession: KeyOrSessionAccess;
}

const previewOperation = described({
  summary: 'See how a text would be read out',
  description:
    'Blocks and sentences of a text, the words and phonemes that would be said, what would be left out and why, and the words that the lexicon does not know though they look like names or acronyms. As the site would have it read: its lexicon, its settings, its voices. No sound is made, nothing is stored, and it counts against no quota. For viewers too.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: PreviewBody,
  bodyExample: { content: '<p>The ferry to Ærø costs $12.</p>', title: 'Ferries' },
  answers: {
    200: {
      description: 'What would be said; nothing of a text that has nothing to say',
      message: 'OK',
      data: Preview,
      example: {
        language: 'en',
        voice_id: 1,
        blocks: [{ kind: 'paragraph', field: 'content', start: 3, end: 30, sentence_count: 1 }],
        sentences: [
          {
            block: 0,
            kind: 'paragraph',
            field: 'content',
            start: 3,
            end: 30,
            language: 'en',
            voice_id: 1,
            text: 'The ferry to Ærø costs $12.',
            spoken: 'The ferry to Ærø costs twelve dollars.',
            phonemes: 'ðə fˈɛɹi tʊ ˌæɹˈoʊ kˈɔsts twˈɛlv dˈɑːlɚz.',
            pieces: [
              {
                text: 'The ferry to Ærø costs ',
                start: 3,
                end: 26,
                spoken: 'The ferry to Ærø costs ',
              },
              { text: '$12', start: 26, end: 29, spoken: 'twelve dollars' },
              { text: '.', start: 29, end: 30, spoken: '.' },
            ],
          },
        ],
        left_out: [],
        unknown_words: [{ word: 'Ærø', count: 1, spoken: 'Ærø', phonemes: 'ˌæɹˈoʊ' }],
        unknown_phonemes: [],
      },
    },
  },
  errors: ['plan_restriction', 'not_found', 'busy'],
});

/** What an editor signs off before it is spoken. */
export function previewRoutes(deps: PreviewDeps) {
  const { catalog, limits, turns, aliasesOf, byKeyOrSession } = deps;
  return new Elysia({ name: 'preview' }).post(
    '/v1/speech/preview',
    async ({ request }) => {
      const site = await byKeyOrSession(request, queryValue(request, 'site'));
      const body = validate(PreviewBody, await readJsonBody(request, limits.bodyByteMax));
      const problem = lengthProblem(body.content, limits.contentLengthMax);
      if (problem !== undefined) {
        throw new AppError('validation_failed', 'Validation failed', { content: [problem] });
      }
      const { language: given, voice_id: voiceId = null } = body;
      const language = given == null ? null : (namedLanguage({ language: given }) ?? null);
      const voice = await chooseVoice(catalog, site, { voiceId, language });
      factsOf(request).allowIdle(idleMaxS);
      const reading = readingOf(site.reading);
      const text = {
        title: body.title?.trim() ? body.title : null,
        content: body.content,
        aliases: await aliasesOf(site.id, voice.language),
        reading,
        foreign: reading.foreign_passages ? await foreignSpeaking(deps, site, voice.language) : [],
      };
      const turn = turns.begin(site.id, request.signal);
      try {
        return envelope('OK', await previewText(turn.ask, voice, text));
      } finally {
        turn.end();
      }
    },
    previewOperation,
  );
}

async function foreignSpeaking(
  { catalog, aliasesOf }: PreviewDeps,
  site: Site,
  language: string,
): Promise<PreviewedText['foreign']> {
  const voices = foreignVoices(await catalog.voices(), site, language);
  return Promise.all(
    [...voices].map(async ([code, voice]) => ({
      ...{ language: code, voice },
      aliases: await aliasesOf(site.id, code),
    })),
  );
}
