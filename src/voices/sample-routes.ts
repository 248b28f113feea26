import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { AdHocSynthesizer } from '../audio/ad-hoc/synthesis-pool.ts';
import type { RequireSession } from '../auth/sessions.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { readOptionalJsonBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { getSampleSentence } from './inspect.ts';
import { findInstalledVoice } from './routes.ts';
import { TestVoiceBody, VoiceParams } from './schema.ts';
import { findSample, upsertSample } from './store.ts';

const maxBodyBytes = 20_000;
/** A sample is made to its end, whoever asked for it first. */
const neverAborted = new AbortController().signal;

export interface SampleDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly saying: AdHocSynthesizer;
  readonly requireSession: RequireSession;
}

const mp3 = { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) };

const testEndpoint = endpointSpec({
  summary: 'Test a voice',
  description: 'For admins. Default text: a sample sentence in its language. Nothing is stored.',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  body: TestVoiceBody,
  bodyExample: { text: 'The lighthouse opens at nine.' },
  responses: { 200: { description: 'MP3 audio', content: mp3 } },
  errors: ['not_allowed', 'not_found', 'not_ready', 'busy'],
});

const sampleEndpoint = endpointSpec({
  summary: 'Get the sample of a voice',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  responses: { 200: { description: 'MP3 audio', content: mp3 } },
  errors: ['not_found', 'not_ready', 'busy'],
});

/** What voices sound like. */
export function sampleRoutes({ database, catalog, saying, requireSession }: SampleDeps) {
  const making = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const make = async (voice: InstalledVoice): Promise<Uint8Array<ArrayBuffer>> => {
    const sentence = getSampleSentence(voice.language);
    const mp3 = await synthesizeMp3({ catalog, saying }, voice, sentence, neverAborted);
    await database.writeNormalSync((db: Queries) => upsertSample(db, voice.id, mp3));
    return mp3;
  };
  const sampleOf = async (voice: InstalledVoice): Promise<Uint8Array<ArrayBuffer>> => {
    const kept = await findSample(database.read, voice.id);
    if (kept !== undefined) return new Uint8Array(kept);
    const begun = making.get(voice.id);
    if (begun !== undefined) return begun;
    const made = make(voice).finally(() => making.delete(voice.id));
    making.set(voice.id, made);
    return made;
  };
  return new Elysia({ name: 'say', prefix: '/v1/voices' })
    .post(
      '/:id/test',
      async ({ request, params }) => {
        await requireSession.admin(request);
        const body = await readOptionalJsonBody(request, maxBodyBytes);
        const { text, alias } = validate(TestVoiceBody, body);
        const voice = await findInstalledVoice(catalog, params.id);
        return createMp3Response(
          await synthesizeMp3(
            { catalog, saying },
            voice,
            text ?? getSampleSentence(voice.language),
            request.signal,
            alias,
          ),
        );
      },
      toEndpointHook(testEndpoint),
    )
    .get(
      '/:id/sample.mp3',
      async ({ request, params }) => {
        await requireSession.user(request);
        const sample = await sampleOf(await findInstalledVoice(catalog, params.id));
        requestContext(request).responseHeaders['cache-control'] = 'private, max-age=3600';
        return createMp3Response(sample);
      },
      toEndpointHook(sampleEndpoint),
    );
}

/** @throws AppError `validation_failed`: nothing to speak, or the voice gives no sound; `not_ready` */
async function synthesizeMp3(
  { catalog, saying }: Pick<SampleDeps, 'catalog' | 'saying'>,
  voice: InstalledVoice,
  content: string,
  signal: AbortSignal,
  alias?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = voice;
  try {
    const gainDb = await catalog.getGain(voice);
    const speaking = { files, speaker, gainDb, language, sampleRateHz };
    const aliases = alias === undefined ? [] : [{ word: content, alias, matchCase: false }];
    const mp3 = await saying.synthesize(speaking, { content, title: null, aliases }, signal);
    if (mp3 === undefined) throw createFieldError('text', 'must contain speakable text');
    return mp3;
  } catch (error) {
    if (error instanceof WorkerCrashedError) throw new AppError('not_ready', 'Voice unavailable. Try again later.');
    const isVoice = error instanceof AppError && /^(bad_voice|operation_failed)$/.test(error.code);
    if (isVoice) throw createFieldError('voice', error.message);
    throw error;
  }
}

function createFieldError(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}

function createMp3Response(bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, {
    headers: { 'content-type': 'audio/mpeg', 'content-length': String(bytes.byteLength) },
  });
}
