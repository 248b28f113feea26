import { Elysia } from 'elysia';
import type { Site } from '../../database/tables.ts';
import { AppError } from '../../errors.ts';
import { envelope } from '../../http/envelope.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { described } from '../../http/operation.ts';
import { queryValue } from '../../http/query-value.ts';
import { factsOf } from '../../http/request-facts.ts';
import { validate } from '../../http/validate.ts';
import type { KeyOrSessionAccess } from '../../sites/key-or-session.ts';
import { readingOf } from '../../speech/reading.ts';
import { namedLanguage } from '../asked-language.ts';
import { chooseVoice } from '../choose-voice.ts';
import { foreignVoices } from '../production/speakers.ts';
import { lengthProblem } from '../request.ts';
import { type PreviewedText, previewText } from './preview.ts';
import { Preview, PreviewBody, PreviewQuery } from './preview-schema.ts';
import type { SpeechDeps } from './routes.ts';

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
