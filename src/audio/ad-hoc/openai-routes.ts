import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { described } from '../../http/endpoint.ts';
import type { ErrorAnswer } from '../../http/error-response.ts';
import { growingBody, readJsonBody } from '../../http/request-body.ts';
import { factsOf } from '../../http/request-context.ts';
import { validate } from '../../http/validation.ts';
import type { Log } from '../../log.ts';
import { mp3SampleRate } from '../../speech/encode/mp3.ts';
import { wavStreamHeader } from '../../speech/encode/pcm.ts';
import type { AliasesOf } from '../../speech/pronunciation/lexicon.ts';
import {
  type Encoding,
  type SaidText,
  type SpeakingVoice,
  speakInOrder,
} from '../../speech/synthesize-text.ts';
import type { Catalog, InstalledVoice } from '../../voices/catalog.ts';
import { allowedVoices } from '../../voices/store.ts';
import { chooseVoice } from '../choose-voice.ts';
import type { AudioDeps } from '../routes.ts';
import type { Turns } from './synthesis-pool.ts';

/** Lets every error that a request is answered with say itself to clients of OpenAI, too: those read `error.message` only. */
function answerOpenAiClients(request: Request): void {
  factsOf(request).errorMembers = ({ code, status, body }: ErrorAnswer) => {
    const fields = Object.entries(body.errors ?? {});
    const problems = fields.flatMap(([field, all]) => all.map((problem) => `${field}: ${problem}`));
    const message = [body.message, problems.join('; ')].filter((part) => part !== '').join(': ');
    return { error: { message, type: typeOf(status), param: fields[0]?.[0] ?? null, code } };
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const VoiceName = Type.String({ minLength: 1, maxLength: 255 });

/** Body of `POST /v1/audio/speech`, as OpenAI's clients send it; further members of theirs are ignored. */
const SpeechBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'Ignored: the voice says it all' })),
  input: Type.String({ minLength: 1, maxLength: 4_096, description: 'Plain text or HTML' }),
  voice: Type.Union([VoiceName, Type.Integer(), Type.Object({ id: VoiceName })], {
    description: 'Name or id of a voice out of the voice list',
  }),
  response_format: orNull(
    Type.Union([Type.Literal('mp3'), Type.Literal('wav'), Type.Literal('pcm')], {
      description:
        '`mp3` unless named. `wav` and `pcm` are mono samples of 16 bits at 24,000 Hz, the lower byte first; the lengths in the head of a `wav` are 0xFFFFFFFF',
    }),
  ),
  speed: orNull(Type.Number({ minimum: 0.25, maximum: 4, description: '1 unless named' })),
  stream_format: orNull(
    Type.Literal('audio', { description: 'The sound itself comes, as it is made' }),
  ),
});
type SpeechBody = Static<typeof SpeechBody>;

/** What errors carry beside the envelope where clients of OpenAI ask. */
const OpenAiErrorBody = Type.Object(
  {
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: 'With all that is wrong with fields' }),
          type: Type.String(),
          param: Type.Union([Type.String(), Type.Null()], { description: 'The field, if any' }),
          code: Type.String(),
        },
        { description: 'As clients of OpenAI read it' },
      ),
    ),
  },
  { title: 'OpenAiError' },
);

/** Answer of `GET /v1/models`. */
const Models = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      object: Type.Literal('model'),
      created: Type.Integer({ description: 'Seconds since 1970' }),
      owned_by: Type.String(),
    }),
  ),
});
type Models = Static<typeof Models>;

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
      content: { type: 'application/json', schema: Models, example: models },
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
