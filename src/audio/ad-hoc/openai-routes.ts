import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/schema.ts';
import { invalid } from '../../errors.ts';
import { endpointSpec } from '../../http/endpoint.ts';
import type { ErrorResponse } from '../../http/error-response.ts';
import { streamBody } from '../../http/request-body.ts';
import { withResponseLimit } from '../../http/request-context.ts';
import { literalUnion, nullable } from '../../http/validation.ts';
import type { Services } from '../../services.ts';
import { mp3SampleRate } from '../../speech/encode/mp3.ts';
import { buildWavStreamHeader } from '../../speech/encode/pcm.ts';
import {
  type Encoding,
  type SynthesisInput,
  type SynthesisVoice,
  streamSegments,
} from '../../speech/synthesize-text.ts';
import { type Catalog, type InstalledVoice, isNamedBy, toSynthesisVoice } from '../../voices/catalog.ts';
import { allowedVoices } from '../../voices/store.ts';
import { chooseVoice } from '../choose-voice.ts';

/** @returns what OpenAI clients read of an error: `error.message` only, so it holds the field errors, too */
function buildOpenAiError({ code, status, body }: ErrorResponse) {
  const fields = Object.entries(body.errors ?? {});
  const problems = fields.flatMap(([field, all]) => all.map((problem) => `${field}: ${problem}`));
  const message = [body.message, problems.join('; ')].filter((part) => part !== '').join(': ');
  return { error: { message, type: getErrorType(status), param: fields[0]?.[0] ?? null, code } };
}

function getErrorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const nullish = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));
const VoiceName = Type.String({ minLength: 1, maxLength: 255 });

/** Body of `POST /v1/audio/speech` in the OpenAI format; its other members are ignored. */
const SpeechBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'Ignored; the voice selects the model' })),
  input: Type.String({ minLength: 1, maxLength: 4_096, description: 'Plain text or HTML' }),
  voice: Type.Union([VoiceName, Type.Integer(), Type.Object({ id: VoiceName })], {
    description: 'Name or id of an installed voice',
  }),
  response_format: nullish(
    literalUnion(['mp3', 'wav', 'pcm'], {
      description:
        'Default `mp3`. `wav` and `pcm` are 16-bit little-endian mono at 24,000 Hz; the length fields of a `wav` header are 0xFFFFFFFF',
    }),
  ),
  speed: nullish(Type.Number({ minimum: 0.25, maximum: 4, description: 'Default 1' })),
  stream_format: nullish(Type.Literal('audio', { description: 'Streams the audio bytes as they are synthesized' })),
});
type SpeechBody = Static<typeof SpeechBody>;

const OpenAiErrorBody = Type.Object(
  {
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: 'The message, including all field errors' }),
          type: Type.String(),
          param: nullable(Type.String(), { description: 'Name of the invalid field, or null' }),
          code: Type.String(),
        },
        { description: 'Error object in the OpenAI format' },
      ),
    ),
  },
  { title: 'OpenAiError' },
);

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

/** Synthesized ahead of what the client has read. */
const maxBufferedSentences = 4;
/** In the error for an unknown voice. */
const maxListedVoices = 20;
/** What OpenAI clients expect of audio without a header. */
const pcmSampleRateHz = 24_000;
/** Until the first sentence, and between two. */
const idleTimeoutS = 240;
const contentTypes = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' };

const binary = Type.String({ format: 'binary' });

const speechSpec = endpointSpec({
  summary: 'Synthesize speech',
  description:
    'Compatible with `/v1/audio/speech` of OpenAI. Streams the audio sentence by sentence; the connection is closed early if synthesis fails. Nothing is stored, and no quota is used. The pronunciations of the site apply.',
  tag: 'Audio',
  access: 'key or bearer',
  body: SpeechBody,
  bodyExample: {
    model: 'lectern',
    input: 'The lighthouse is open again.',
    voice: 'Aspen',
    response_format: 'mp3',
  },
  maxBodyBytes: 'article',
  idleTimeoutS,
  responses: {
    200: {
      description: 'The audio stream',
      content: Object.values(contentTypes).map((type) => ({ type, schema: binary })),
    },
  },
  errorBody: OpenAiErrorBody,
  buildErrorFields: buildOpenAiError,
  errors: ['busy'],
});

const models: Models = {
  object: 'list',
  data: [{ id: 'lectern', object: 'model', created: 1_767_225_600, owned_by: 'lectern' }],
};

const modelsSpec = endpointSpec({
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
  buildErrorFields: buildOpenAiError,
});

export function speechRoutes(services: Services) {
  const { endpoint, catalog, getAliases } = services;
  return new Elysia({ name: 'speech' })
    .post(
      '/v1/audio/speech',
      ...endpoint(speechSpec, async ({ request, site, body }) => {
        const chosen = await resolveVoice(catalog, site, body.voice);
        const voice = await toSynthesisVoice(catalog, chosen);
        const aliases = await getAliases(site.id, voice.language);
        const text = { content: body.input, title: null, speed: body.speed ?? 1, aliases };
        const format = body.response_format ?? 'mp3';
        return streamSpeech(services, request, { site, voice, text, format });
      }),
    )
    .get('/v1/models', ...endpoint(modelsSpec, async () => Response.json(models)));
}

interface StreamInput {
  readonly site: Site;
  readonly voice: SynthesisVoice;
  readonly text: SynthesisInput;
  readonly format: keyof typeof contentTypes;
}

/** Responds once the first sentence is synthesized: until then the text may turn out to have nothing to speak. */
async function streamSpeech(
  { synthesisPool, log }: Pick<Services, 'synthesisPool' | 'log'>,
  request: Request,
  { site, voice, text, format }: StreamInput,
): Promise<Response> {
  const isPcm = format !== 'mp3';
  const bitRateKbps = site.bit_rate_kbps;
  const sampleRateHz = isPcm ? pcmSampleRateHz : mp3SampleRate(voice.sampleRateHz, bitRateKbps);
  const encoding: Encoding = { sampleRateHz, bitRateKbps, isPcm };
  const bodyEnd = new AbortController();
  const { slot, chunks, first } = await withResponseLimit(request, idleTimeoutS, async (signal) => {
    const slot = synthesisPool.acquire(site.id, AbortSignal.any([signal, bodyEnd.signal]));
    const chunks = streamSegments(slot, voice, text, encoding);
    const first = await readFirstChunk(chunks).catch((error: unknown) => {
      slot.release();
      throw error;
    });
    return { slot, chunks, first };
  });
  const head = format === 'wav' ? buildWavStreamHeader(pcmSampleRateHz) : new Uint8Array();
  const body = streamBody(Buffer.concat([head, first]), chunks, maxBufferedSentences, (error) => {
    const isConnected = !request.signal.aborted;
    bodyEnd.abort();
    slot.release();
    if (error !== undefined && isConnected) log.error({ err: error }, 'speech stream aborted');
  });
  return new Response(body, {
    headers: {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      // Else nginx buffers the sentences.
      'x-accel-buffering': 'no',
    },
  });
}

/** @throws AppError `validation_failed` when nothing can be spoken, `busy`, or an error of the worker */
async function readFirstChunk(chunks: AsyncGenerator<Uint8Array, undefined>): Promise<Uint8Array> {
  const first = await chunks.next();
  if (first.done) throw invalid('input', 'has no speakable text');
  return first.value;
}

/** @throws AppError `validation_failed` (unknown, disabled), `plan_restriction` */
async function resolveVoice(catalog: Catalog, site: Site, named: SpeechBody['voice']): Promise<InstalledVoice> {
  const nameOrId = typeof named === 'object' ? named.id : named;
  const voices = (await catalog.voices()).filter(({ enabled }) => enabled === 1);
  const lowerCaseName = String(nameOrId).toLowerCase();
  const found =
    voices.find((voice) => isNamedBy(voice, Number(lowerCaseName))) ??
    voices.find(({ name, stem }) => [name, stem].some((candidate) => candidate.toLowerCase() === lowerCaseName));
  if (found === undefined) throw invalid('voice', describeUnknownVoice(nameOrId, site, voices));
  return chooseVoice(catalog, site, { voiceId: found.id, language: null });
}

/** Names the voices in the error: OpenAI clients send OpenAI's names by default. */
function describeUnknownVoice(named: string | number, site: Site, voices: readonly InstalledVoice[]): string {
  const names = allowedVoices(voices, site).map(({ name }) => name);
  const ellipsis = names.length > maxListedVoices ? ' …' : '';
  return `voice ${named} not found; available voices: ${names.slice(0, maxListedVoices).join(', ')}${ellipsis}`;
}
