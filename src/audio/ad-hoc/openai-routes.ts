import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, toEndpointHook } from '../../http/endpoint.ts';
import type { ErrorResponse } from '../../http/error-response.ts';
import { readJsonBody, streamBody } from '../../http/request-body.ts';
import { requestContext } from '../../http/request-context.ts';
import { validate } from '../../http/validation.ts';
import type { Log } from '../../log.ts';
import { mp3SampleRate } from '../../speech/encode/mp3.ts';
import { buildWavStreamHeader } from '../../speech/encode/pcm.ts';
import type { FindAliases } from '../../speech/pronunciation/replacer.ts';
import {
  type Encoding,
  type SynthesisInput,
  type SynthesisVoice,
  streamSegments,
} from '../../speech/synthesize-text.ts';
import type { Catalog, InstalledVoice } from '../../voices/catalog.ts';
import { allowedVoices } from '../../voices/store.ts';
import { chooseVoice } from '../choose-voice.ts';
import type { AudioDeps } from '../routes.ts';
import type { SynthesisPool } from './synthesis-pool.ts';

/** Lets every error that a request is answered with say itself to clients of OpenAI, too: those read `error.message` only. */
function useOpenAiErrors(request: Request): void {
  requestContext(request).extraErrorFields = ({ code, status, body }: ErrorResponse) => {
    const fields = Object.entries(body.errors ?? {});
    const problems = fields.flatMap(([field, all]) => all.map((problem) => `${field}: ${problem}`));
    const message = [body.message, problems.join('; ')].filter((part) => part !== '').join(': ');
    return { error: { message, type: getErrorType(status), param: fields[0]?.[0] ?? null, code } };
  };
}

function getErrorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const nullish = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const VoiceName = Type.String({ minLength: 1, maxLength: 255 });

/** Body of `POST /v1/audio/speech`, as OpenAI's clients send it; further members of theirs are ignored. */
const SpeechBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'Ignored; the voice selects the model' })),
  input: Type.String({ minLength: 1, maxLength: 4_096, description: 'Plain text or HTML' }),
  voice: Type.Union([VoiceName, Type.Integer(), Type.Object({ id: VoiceName })], {
    description: 'Name or id of an installed voice',
  }),
  response_format: nullish(
    Type.Union([Type.Literal('mp3'), Type.Literal('wav'), Type.Literal('pcm')], {
      description:
        'Default `mp3`. `wav` and `pcm` are 16-bit little-endian mono at 24,000 Hz; the length fields of a `wav` header are 0xFFFFFFFF',
    }),
  ),
  speed: nullish(Type.Number({ minimum: 0.25, maximum: 4, description: 'Default 1' })),
  stream_format: nullish(Type.Literal('audio', { description: 'Streams the audio bytes as they are synthesized' })),
});
type SpeechBody = Static<typeof SpeechBody>;

/** What errors carry beside the envelope where clients of OpenAI ask. */
const OpenAiErrorBody = Type.Object(
  {
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: 'The message, including all field errors' }),
          type: Type.String(),
          param: Type.Union([Type.String(), Type.Null()], {
            description: 'Name of the invalid field, or null',
          }),
          code: Type.String(),
        },
        { description: 'Error object in the OpenAI format' },
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
const idleTimeoutS = 240;
/** Made before the client has taken what came before. */
const maxBufferedSentences = 4;
/** In the answer to who asks for an unknown one. */
const maxListedVoices = 20;
/** What clients of OpenAI expect of sound without a header. */
const pcmSampleRateHz = 24_000;
const contentTypes = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' };

export interface SpeechDeps extends Pick<AudioDeps, 'catalog' | 'requireApiKey' | 'limits'> {
  readonly synthesisPool: SynthesisPool;
  readonly getAliases: FindAliases;
  readonly log: Log;
}

const binary = Type.String({ format: 'binary' });

const speechOperation = endpointSpec({
  summary: 'Synthesize speech',
  description:
    'Compatible with `/v1/audio/speech` of OpenAI. Streams the audio sentence by sentence; the connection is closed early if synthesis fails. Nothing is stored, and no quota is used. The pronunciations of the site apply.',
  tag: 'Audio',
  access: 'key or bearer',
  body: SpeechBody,
  bodyExample: {
    model: 'lectern',
    input: 'The lighthouse is open again.',
    voice: 'Alder',
    response_format: 'mp3',
  },
  responses: {
    200: {
      description: 'The audio stream',
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

const modelsOperation = endpointSpec({
  summary: 'List models',
  description: 'For OpenAI clients that list the models before the first request.',
  tag: 'Audio',
  access: 'key or bearer',
  responses: {
    200: {
      description: 'A model list in the OpenAI format',
      content: { type: 'application/json', schema: Models, example: models },
    },
  },
  errorBody: OpenAiErrorBody,
});

/** Speech without a post, as clients of OpenAI ask for it. */
export function speechRoutes(deps: SpeechDeps) {
  const { catalog, getAliases, requireApiKey, limits } = deps;
  return new Elysia({ name: 'speech' })
    .post(
      '/v1/audio/speech',
      async ({ request }) => {
        useOpenAiErrors(request);
        const site = await requireApiKey(request, { allowBearer: true });
        const body = validate(SpeechBody, await readJsonBody(request, limits.maxBodyBytes));
        const chosen = await resolveVoice(catalog, site, body.voice);
        const { files, speaker, language, sample_rate_hz } = chosen;
        const gainDb = await catalog.getGain(chosen);
        const voice = { files, speaker, gainDb, language, sampleRateHz: sample_rate_hz };
        const aliases = await getAliases(site.id, language);
        const text = { content: body.input, title: null, speed: body.speed ?? 1, aliases };
        return streamSpeech(deps, request, voice, text, {
          format: body.response_format ?? 'mp3',
          site,
        });
      },
      toEndpointHook(speechOperation),
    )
    .get(
      '/v1/models',
      async ({ request }) => {
        useOpenAiErrors(request);
        await requireApiKey(request, { allowBearer: true });
        return models;
      },
      toEndpointHook(modelsOperation),
    );
}

/** Answers with the first sentence: until then it may turn out that there is nothing to say. */
async function streamSpeech(
  { synthesisPool: turns, log }: SpeechDeps,
  request: Request,
  voice: SynthesisVoice,
  text: SynthesisInput,
  { format, site }: { format: keyof typeof contentTypes; site: Site },
): Promise<Response> {
  const isPcm = format !== 'mp3';
  const bitRateKbps = site.bit_rate_kbps;
  const sampleRateHz = isPcm ? pcmSampleRateHz : mp3SampleRate(voice.sampleRateHz, bitRateKbps);
  const encoding: Encoding = { sampleRateHz, bitRateKbps, isPcm };
  requestContext(request).setIdleTimeout(idleTimeoutS);
  const left = new AbortController();
  const turn = turns.acquire(site.id, AbortSignal.any([request.signal, left.signal]));
  const sound = streamSegments(turn, voice, text, encoding);
  const first = await readFirstChunk(sound).catch((error: unknown) => {
    turn.release();
    throw error;
  });
  const head = format === 'wav' ? buildWavStreamHeader(pcmSampleRateHz) : new Uint8Array();
  const body = streamBody(Buffer.concat([head, first]), sound, maxBufferedSentences, (error) => {
    const isWanted = !request.signal.aborted;
    left.abort();
    turn.release();
    if (error !== undefined && isWanted) log.error({ err: error }, 'speech stream aborted');
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
async function readFirstChunk(sound: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await sound.next();
  if (first.done) throw invalid('input', 'has no speakable text');
  return first.value;
}

/** @throws AppError `validation_failed` (unknown, disabled), `plan_restriction` */
async function resolveVoice(catalog: Catalog, site: Site, named: SpeechBody['voice']): Promise<InstalledVoice> {
  const nameOrId = typeof named === 'object' ? named.id : named;
  const voices = (await catalog.voices()).filter(({ enabled }) => enabled === 1);
  const wanted = String(nameOrId).toLowerCase();
  const found =
    voices.find(({ id }) => String(id) === wanted) ??
    voices.find(({ name, stem }) => [name, stem].some((one) => one.toLowerCase() === wanted));
  if (found === undefined) throw invalid('voice', describeUnknownVoice(nameOrId, site, voices));
  return chooseVoice(catalog, site, { voiceId: found.id, language: null });
}

/** Programs that bring names of their own are set up by somebody who has to know these. */
function describeUnknownVoice(named: string | number, site: Site, voices: readonly InstalledVoice[]): string {
  const names = allowedVoices(voices, site).map(({ name }) => name);
  const further = names.length > maxListedVoices ? ' …' : '';
  return `voice ${named} not found; available voices: ${names.slice(0, maxListedVoices).join(', ')}${further}`;
}

function invalid(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
