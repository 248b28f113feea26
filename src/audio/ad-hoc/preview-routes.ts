import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/schema.ts';
import { invalid } from '../../errors.ts';
import { endpointSpec, reply } from '../../http/endpoint.ts';
import { withResponseLimit } from '../../http/request-context.ts';
import { mp3Content, mp3Response } from '../../http/static-assets.ts';
import { literalUnion } from '../../http/validation.ts';
import type { Services } from '../../services.ts';
import type { LeftOut } from '../../speech/extract/block.ts';
import { type NarrationSettings, parseNarrationSettings } from '../../speech/narration-settings.ts';
import type { PreviewedSentence } from '../../speech/preview.ts';
import { validateAlias } from '../../speech/pronunciation/inline-phonemes.ts';
import type { Alias } from '../../speech/pronunciation/replacer.ts';
import { batchSentences } from '../../speech/segments.ts';
import type { WorkerPool } from '../../speech/worker-pool.ts';
import { type Catalog, type InstalledVoice, toSynthesisVoice } from '../../voices/catalog.ts';
import { chooseVoice, parseLanguage, warnOfContent } from '../choose-voice.ts';
import { GenerateBody, otherName } from '../schema.ts';
import { selectForeignVoices } from '../segment-planner.ts';
import { validateContentLength } from '../submit.ts';

const { content_type, post_title, voice_id, language } = GenerateBody.properties;

/** Body of `POST /v1/speech/preview`. The longest content is a setting, checked by the route. */
const PreviewBody = Type.Object(
  {
    content: Type.String({ description: 'Article text: HTML, plain, or as `content_type` says' }),
    content_type,
    post_title,
    title: otherName(post_title, 'post_title'),
    language,
    voice_id,
  },
  { title: 'PreviewRequest' },
);
type PreviewBody = Static<typeof PreviewBody>;

const PreviewQuery = Type.Object({
  site: Type.Optional(
    Type.String({ description: 'Id or slug of the site. Required with a session, ignored with an API key' }),
  ),
});

const Kind = literalUnion(['title', 'heading', 'paragraph', 'quote', 'list']);
const offsets = {
  start: Type.Integer({
    minimum: 0,
    description: 'Start offset in the field, in UTF-16 code units',
  }),
  end: Type.Integer({ minimum: 0, description: 'End offset in the field, exclusive' }),
};
const span = {
  field: literalUnion(['intro', 'title', 'content', 'outro', 'disclosure'], {
    description: 'Source field: title or content of the request, or a text from the site settings',
  }),
  ...offsets,
};
const Phonemes = Type.String({ description: 'IPA, in the phoneme set of the voice' });

const Piece = Type.Object(
  {
    text: Type.String(),
    ...offsets,
    spoken: Type.String(),
    pronounced_by: Type.Optional(
      literalUnion(['ssml', 'formula', 'entry', 'dictionary', 'heteronym', 'origin', 'cmudict'], {
        description:
          'Source of the pronunciation: SSML in the content, an entry of the site or the installation, the built-in dictionary of names, the choice between the readings of a heteronym by its neighbors, the origin rules, or the CMU Pronouncing Dictionary. Absent: the phonemizer',
      }),
    ),
    origin: Type.Optional(
      Type.String({ description: 'With `origin`: the language whose rules say the name, such as `Polish`' }),
    ),
  },
  { description: 'Text span and its spoken form; unchanged text is one piece' },
);

const PreviewSentence = Type.Object(
  {
    block: Type.Integer({ minimum: 0, description: 'Index of its block' }),
    kind: Kind,
    ...span,
    language: Type.String({ description: 'Differs from the article language in foreign passages' }),
    voice_id: Type.Integer(),
    text: Type.String({ description: 'The sentence as written' }),
    spoken: Type.String({ description: 'The normalized text' }),
    phonemes: Phonemes,
    pieces: Type.Array(Piece, { description: 'Cover the whole sentence' }),
  },
  { title: 'PreviewSentence' },
);

const Preview = Type.Object(
  {
    language: Type.String(),
    voice_id: Type.Integer(),
    blocks: Type.Array(Type.Object({ kind: Kind, ...span, sentence_count: Type.Integer({ minimum: 1 }) })),
    sentences: Type.Array(PreviewSentence),
    left_out: Type.Array(
      Type.Object({
        text: Type.String({ description: 'First 200 characters' }),
        reason: Type.String(),
        ...span,
      }),
    ),
    unknown_words: Type.Array(
      Type.Object({
        word: Type.String(),
        count: Type.Integer({ minimum: 1 }),
        spoken: Type.String({ description: 'Spoken form of the word on its own' }),
        phonemes: Phonemes,
      }),
      {
        description:
          'Likely names and acronyms without a pronunciation entry that nobody has accepted; the 200 most frequent',
      },
    ),
    unknown_phonemes: Type.Array(Type.String(), {
      description: 'Phonemes that the voice does not support; they are skipped',
    }),
  },
  { title: 'Preview' },
);
export type Preview = Static<typeof Preview>;

interface PreviewInput {
  readonly title: string | null;
  readonly content: string;
  readonly contentType: PreviewBody['content_type'];
  readonly aliases: readonly Alias[];
  /** Unknown words that are right as they are spoken. */
  readonly accepted: readonly string[];
  readonly narration: NarrationSettings;
  /** For passages in other languages. */
  readonly foreign: readonly ForeignVoice[];
}

interface ForeignVoice {
  readonly language: string;
  readonly voice: InstalledVoice;
  readonly aliases: readonly Alias[];
}

async function previewText(
  call: WorkerPool['call'],
  { id, files, language }: InstalledVoice,
  { title, content, contentType = null, aliases, accepted, narration, foreign }: PreviewInput,
): Promise<Preview> {
  const article = await call('read', {
    ...{ title, content, contentType, language, aliases, reading: narration, wantsUnknownWords: true },
    foreign: foreign.map((part) => ({ language: part.language, aliases: part.aliases })),
  });
  const voiceIds = new Map(foreign.map((part) => [part.language, part.voice.id]));
  const foreignFiles = foreign.map((part) => ({ language: part.language, voice: part.voice.files }));
  const sentences: PreviewedSentence[] = [];
  const leftOut = [...article.leftOut];
  const unknownSymbols = new Set<string>();
  for (const batch of batchSentences(article.sentences)) {
    const previewed = await call('preview', {
      ...{ voice: files, sentences: batch, foreign: foreignFiles },
    });
    sentences.push(...previewed.sentences);
    leftOut.push(...previewed.leftOut);
    for (const symbol of previewed.unknownSymbols) unknownSymbols.add(symbol);
  }
  const unknownWords = article.unknownWords.filter(({ word }) => !accepted.includes(word));
  const words = unknownWords.map(({ word }) => word);
  const pronounced = await call('pronounce', { voice: files, language, words });
  return {
    ...{ language, voice_id: id },
    ...groupIntoBlocks(sentences, (code = language) => ({
      language: code,
      voice_id: voiceIds.get(code) ?? id,
    })),
    left_out: leftOut.map(toLeftOutRecord),
    unknown_words: unknownWords.map(({ word, count }, index) => ({
      ...{ word, count, spoken: word, phonemes: '' },
      ...pronounced.words[index],
    })),
    unknown_phonemes: [...unknownSymbols].sort(),
  };
}

function groupIntoBlocks(
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
    const named = pieces.map(({ pronouncedBy, ...piece }) => ({
      ...piece,
      ...(pronouncedBy === undefined ? {} : { pronounced_by: pronouncedBy }),
    }));
    sentences.push({ ...place, text, spoken, phonemes, pieces: named });
  }
  return { blocks, sentences };
}

function toLeftOutRecord({ text, reason, span }: LeftOut): Preview['left_out'][number] {
  return { text, reason, ...span };
}

/** A long article takes minutes, more so while other requests are served. */
const previewIdleTimeoutS = 240;
/** Requests of other sites may be served first. */
const sayIdleTimeoutS = 120;

const previewSpec = endpointSpec({
  summary: 'Preview a text',
  description:
    'Returns blocks, sentences, spoken text and phonemes, the excluded text with its reason, and likely names and acronyms without a pronunciation entry. Uses the pronunciations, settings and voices of the site. No audio is synthesized, nothing is stored, and no quota is used. Requires the viewer role.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: PreviewBody,
  maxBodyBytes: 'article',
  idleTimeoutS: previewIdleTimeoutS,
  bodyExample: { content: '<p>The ferry to Ærø costs $12.</p>', post_title: 'Ferries' },
  responses: reply(200, 'OK', 'The preview; empty if the text has no speakable content', Preview, {
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
  }),
  errors: ['not_found', 'busy'],
});

const SayBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 1_000, description: 'A word or a few sentences' }),
    alias: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Spoken in place of the text, in the format of a pronunciation entry: plain text; `[[…]]` holds phonemes',
      }),
    ),
    language: PreviewBody.properties.language,
    voice_id: PreviewBody.properties.voice_id,
  },
  { title: 'SayRequest' },
);
type SayBody = Static<typeof SayBody>;

const saySpec = endpointSpec({
  summary: 'Synthesize a word or sentence',
  description:
    'Uses a voice, the pronunciations and the speed of the site. Nothing is stored, and no quota is used. Requires the viewer role.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: SayBody,
  maxBodyBytes: 20_000,
  idleTimeoutS: sayIdleTimeoutS,
  bodyExample: { text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' },
  responses: { 200: { description: 'The MP3', content: mp3Content } },
  errors: ['not_found', 'busy'],
});

export function previewRoutes(services: Services) {
  const { endpoint, catalog, config, synthesisPool } = services;
  return new Elysia({ name: 'preview' })
    .post(
      '/v1/speech/preview',
      ...endpoint(previewSpec, async ({ request, site, body }) => {
        const problem = validateContentLength(body.content, config.maxContentLength);
        if (problem !== undefined) throw invalid('content', problem);
        const voice = await choosePreviewVoice(catalog, site, body);
        const { content, content_type: contentType, language, voice_id: voiceId } = body;
        warnOfContent(request, site, { content, contentType, language, voiceId }, voice);
        const input = await buildPreviewInput(services, site, voice, body);
        return withResponseLimit(request, previewIdleTimeoutS, async (signal) => {
          const slot = synthesisPool.acquire(site.id, signal);
          return previewText(slot.call, voice, input).finally(() => slot.release());
        });
      }),
    )
    .post(
      '/v1/speech/say',
      ...endpoint(saySpec, async ({ request, site, body }) => {
        const mp3 = await withResponseLimit(request, sayIdleTimeoutS, (signal) =>
          synthesizeSentence(services, site, body, signal),
        );
        return mp3Response(mp3, { 'cache-control': 'no-store' });
      }),
    );
}

/** @throws AppError as `parseLanguage` and `chooseVoice` do */
function choosePreviewVoice(
  catalog: Catalog,
  site: Site,
  { language: given, voice_id: voiceId = null }: Pick<PreviewBody, 'language' | 'voice_id'>,
): Promise<InstalledVoice> {
  const language = given == null ? null : (parseLanguage({ language: given }) ?? null);
  return chooseVoice(catalog, site, { voiceId, language });
}

async function buildPreviewInput(
  services: Pick<Services, 'catalog' | 'getAliases' | 'getAcceptedWords'>,
  site: Site,
  { language }: InstalledVoice,
  { title, post_title = title, content, content_type: contentType }: PreviewBody,
): Promise<PreviewInput> {
  const narration = parseNarrationSettings(site.reading);
  return {
    title: post_title?.trim() ? post_title : null,
    content,
    contentType,
    aliases: await services.getAliases(site.id, language),
    accepted: await services.getAcceptedWords(site.id),
    narration,
    foreign: narration.foreign_passages ? await listForeignVoices(services, site, language) : [],
  };
}

async function listForeignVoices(
  { catalog, getAliases }: Pick<Services, 'catalog' | 'getAliases'>,
  site: Site,
  language: string,
): Promise<PreviewInput['foreign']> {
  const voices = selectForeignVoices(await catalog.voices(), site, language);
  return Promise.all(
    [...voices].map(async ([code, voice]) => ({
      ...{ language: code, voice },
      aliases: await getAliases(site.id, code),
    })),
  );
}

/** @throws AppError `validation_failed` when nothing can be spoken, `plan_restriction`, `busy` */
async function synthesizeSentence(
  { catalog, synthesisPool, getAliases }: Services,
  site: Site,
  { text, alias, ...named }: SayBody,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const problem = alias === undefined ? undefined : validateAlias(alias);
  if (problem !== undefined) throw invalid('alias', problem);
  const voice = await toSynthesisVoice(catalog, await choosePreviewVoice(catalog, site, named));
  const aliases =
    alias === undefined ? await getAliases(site.id, voice.language) : [{ word: text, alias, matchCase: false }];
  // Escaped, as markup in a sentence was text in the article.
  const content = `<p>${Bun.escapeHTML(text)}</p>`;
  const { speed } = parseNarrationSettings(site.reading);
  const mp3 = await synthesisPool.synthesize(site.id, voice, { content, title: null, speed, aliases }, signal);
  if (mp3 === undefined) throw invalid('text', 'has no speakable text');
  return mp3;
}
