import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Saying } from '../audio/ad-hoc/synthesis-pool.ts';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described } from '../http/endpoint.ts';
import { readOptionalJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { validate } from '../http/validation.ts';
import { WorkerDied } from '../speech/worker-process.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { sampleSentence } from './inspect.ts';
import { installedVoice } from './routes.ts';
import { TestVoiceBody, VoiceParams } from './schema.ts';
import { findSample, keepSample } from './store.ts';

const bodyByteMax = 20_000;
/** A sample is made to its end, whoever asked for it first. */
const forOthersToo = new AbortController().signal;

export interface SayDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly saying: Saying;
  readonly bySession: SessionAccess;
}

const mp3 = { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) };

const testOperation = described({
  summary: 'Hear a voice say something',
  description: 'For admins. Without a text it says a sentence of its language. Nothing is kept.',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  body: TestVoiceBody,
  bodyExample: { text: 'The lighthouse opens at nine.' },
  answers: { 200: { description: 'An MP3', content: mp3 } },
  errors: ['not_allowed', 'not_found', 'not_ready', 'busy'],
});

const sampleOperation = described({
  summary: 'A sentence of a voice',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  answers: { 200: { description: 'An MP3', content: mp3 } },
  errors: ['not_found', 'not_ready', 'busy'],
});

/** What voices sound like. */
export function sayRoutes({ database, catalog, saying, bySession }: SayDeps) {
  const making = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const make = async (voice: InstalledVoice): Promise<Uint8Array<ArrayBuffer>> => {
    const sentence = sampleSentence(voice.language);
    const mp3 = await say({ catalog, saying }, voice, sentence, forOthersToo);
    await database.writeLazily((db: Queries) => keepSample(db, voice.id, mp3));
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
        await bySession.admin(request);
        const body = await readOptionalJsonBody(request, bodyByteMax);
        const { text, alias } = validate(TestVoiceBody, body);
        const voice = await installedVoice(catalog, params.id);
        return mp3Answer(
          await say(
            { catalog, saying },
            voice,
            text ?? sampleSentence(voice.language),
            request.signal,
            alias,
          ),
        );
      },
      testOperation,
    )
    .get(
      '/:id/sample.mp3',
      async ({ request, params }) => {
        await bySession.user(request);
        const sample = await sampleOf(await installedVoice(catalog, params.id));
        factsOf(request).answerHeaders['cache-control'] = 'private, max-age=3600';
        return mp3Answer(sample);
      },
      sampleOperation,
    );
}

/** @throws AppError `validation_failed`: nothing to speak, or the voice gives no sound; `not_ready` */
async function say(
  { catalog, saying }: Pick<SayDeps, 'catalog' | 'saying'>,
  voice: InstalledVoice,
  content: string,
  signal: AbortSignal,
  alias?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = voice;
  try {
    const gainDb = await catalog.gainOf(voice);
    const speaking = { files, speaker, gainDb, language, sampleRateHz };
    const aliases = alias === undefined ? [] : [{ word: content, alias, matchCase: false }];
    const mp3 = await saying.say(speaking, { content, title: null, aliases }, signal);
    if (mp3 === undefined) throw wrong('text', 'has nothing that can be spoken');
    return mp3;
  } catch (error) {
    if (error instanceof WorkerDied) throw new AppError('not_ready', 'The voice cannot speak now');
    const isVoice = error instanceof AppError && /^(bad_voice|operation_failed)$/.test(error.code);
    if (isVoice) throw wrong('voice', error.message);
    throw error;
  }
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}

function mp3Answer(bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, {
    headers: { 'content-type': 'audio/mpeg', 'content-length': String(bytes.byteLength) },
  });
}
