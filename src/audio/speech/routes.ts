import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/tables.ts';
import { AppError } from '../../errors.ts';
import { growingBody } from '../../http/growing-body.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { described } from '../../http/operation.ts';
import { factsOf } from '../../http/request-facts.ts';
import { validate } from '../../http/validate.ts';
import type { Log } from '../../log.ts';
import type { AliasesOf } from '../../speech/lexicon.ts';
import { mp3SampleRate } from '../../speech/mp3.ts';
import { wavStreamHeader } from '../../speech/pcm.ts';
import {
  type Encoding,
  type SaidText,
  type SpeakingVoice,
  speakInOrder,
} from '../../speech/say.ts';
import { allowedVoices } from '../../voices/allowed.ts';
import type { Catalog, InstalledVoice } from '../../voices/catalog.ts';
import { chooseVoice } from '../choose-voice.ts';
import type { AudioDeps } from '../routes.ts';
import { answerOpenAiClients } from './openai-error.ts';
import { type Models, Models as ModelsSchema, OpenAiErrorBody, SpeechBody } from './schema.ts';
import type { Turns } from './turns.ts';

/** A connection on which nothing moves for longer ends. */
const idleMaxS = 240;
/** Made before the client has taken what came before. */
const sentencesAhead = 4;
/** In the answer to who asks for an unknown one. */
const voicesNamed = 20;
/** What clients of OpenAI expect of sound without a header. */
const pcmRateHz = 24_000;
const contentTypes = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' };

export interface SpeechDeps extends Pick<AudioDeps, 'catalog' | 'byKey' | 'limits'> {
  readonly turns: Turns;
  readonly aliasesOf: AliasesOf;
  readonly log: Log;
}

const binary = Type.String({ format: 'binary' });

const speechOperation = described({
  summary: 'Say a text at once',
  description:
    "In the shape of OpenAI's `/v1/audio/speech`: sentence by sentence as they are spoken; a connection that breaks off is one whose rest can't be spoken. The text becomes no post: nothing of it is stored, and it counts against no quota. The site's lexicon is spoken.",
  tag: 'Audio',
  access: 'key or bearer',
  body: SpeechBody,
  bodyExample: {
    model: 'lectern',
    input: 'The lighthouse is open again.',
    voice: 'Alder',
    response_format: 'mp3',
  },
  answers: {
    200: {
      description: 'The sound, from its first sentence on',
      content: Object.values(contentTypes).map((type) => ({ type, schema: binary })),
    },
  },
  errorBody: OpenAiErrorBody,
  errors: ['plan_restriction', 'busy'],
});

const models: Models = {
  object: 'list',
  data: [{ id: 'lectern', object: 'model', created: 1_767_225_600, owned_by: 'lectern' }],
};

const modelsOperation = described({
  summary: 'The one model',
  description: 'For clients of OpenAI that ask for models before they say anything.',
  tag: 'Audio',
  access: 'key or bearer',
  answers: {
    200: {
      description: 'A list in the shape of OpenAI',
      content: { type: 'application/json', schema: ModelsSchema, example: models },
    },
  },
  errorBody: OpenAiErrorBody,
});

/** Speech without a post, as clients of OpenAI ask for it. */
export function speechRoutes(deps: SpeechDeps) {
  const { catalog, aliasesOf, byKey, limits } = deps;
  return new Elysia({ name: 'speech' })
    .post(
      '/v1/audio/speech',
      async ({ request }) => {
        answerOpenAiClients(request);
        const site = await byKey(request, { asBearer: true });
        const body = validate(SpeechBody, await readJsonBody(request, limits.bodyByteMax));
        const chosen = await namedVoice(catalog, site, body.voice);
        const { files, speaker, language, sample_rate_hz } = chosen;
        const gainDb = await catalog.gainOf(chosen);
        const voice = { files, speaker, gainDb, language, sampleRateHz: sample_rate_hz };
        const aliases = await aliasesOf(site.id, language);
        const text = { content: body.input, title: null, speed: body.speed ?? 1, aliases };
        return streamedSpeech(deps, request, voice, text, {
          format: body.response_format ?? 'mp3',
          site,
        });
      },
      speechOperation,
    )
    .get(
      '/v1/models',
      async ({ request }) => {
        answerOpenAiClients(request);
        await byKey(request, { asBearer: true });
        return models;
      },
      modelsOperation,
    );
}

/** Answers with the first sentence: until then it may turn out that there is nothing to say. */
async function streamedSpeech(
  { turns, log }: SpeechDeps,
  request: Request,
  voice: SpeakingVoice,
  text: SaidText,
  { format, site }: { format: keyof typeof contentTypes; site: Site },
): Promise<Response> {
  const isPcm = format !== 'mp3';
  const bitRateKbps = site.bit_rate_kbps;
  const sampleRateHz = isPcm ? pcmRateHz : mp3SampleRate(voice.sampleRateHz, bitRateKbps);
  const encoding: Encoding = { sampleRateHz, bitRateKbps, isPcm };
  factsOf(request).allowIdle(idleMaxS);
  const left = new AbortController();
  const turn = turns.begin(site.id, AbortSignal.any([request.signal, left.signal]));
  const sound = speakInOrder(turn, voice, text, encoding);
  const first = await firstOf(sound).catch((error: unknown) => {
    turn.end();
    throw error;
  });
  const head = format === 'wav' ? wavStreamHeader(pcmRateHz) : new Uint8Array();
  const body = growingBody(Buffer.concat([head, first]), sound, sentencesAhead, (error) => {
    const isWanted = !request.signal.aborted;
    left.abort();
    turn.end();
    if (error !== undefined && isWanted) log.error({ err: error }, 'speech broke off');
  });
  return new Response(body, {
    headers: {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      // nginx would gather the sentences up.
      'x-accel-buffering': 'no',
    },
  });
}

/** @throws AppError `validation_failed` when nothing can be spoken, `busy`, or as a worker finds */
async function firstOf(sound: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await sound.next();
  if (first.done) throw wrong('input', 'has no speakable text');
  return first.value;
}

/** @throws AppError `validation_failed` (unknown, disabled), `plan_restriction` */
async function namedVoice(
  catalog: Catalog,
  site: Site,
  named: SpeechBody['voice'],
): Promise<InstalledVoice> {
  const nameOrId = typeof named === 'object' ? named.id : named;
  const voices = (await catalog.voices()).filter(({ enabled }) => enabled === 1);
  const wanted = String(nameOrId).toLowerCase();
  const found =
    voices.find(({ id }) => String(id) === wanted) ??
    voices.find(({ name, stem }) => [name, stem].some((one) => one.toLowerCase() === wanted));
  if (found === undefined) throw wrong('voice', unknownVoice(nameOrId, site, voices));
  return chooseVoice(catalog, site, { voiceId: found.id, language: null });
}

/** Programs that bring names of their own are set up by somebody who has to know these. */
function unknownVoice(
  named: string | number,
  site: Site,
  voices: readonly InstalledVoice[],
): string {
  const names = allowedVoices(voices, site).map(({ name }) => name);
  const further = names.length > voicesNamed ? ' …' : '';
  return `there is no voice ${named}; there are: ${names.slice(0, voicesNamed).join(', ')}${further}`;
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
