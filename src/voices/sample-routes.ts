import { Elysia } from 'elysia';
import type { Queries } from '../database/database.ts';
import { AppError, invalid } from '../errors.ts';
import { endpointSpec } from '../http/endpoint.ts';
import { requestContext, withResponseLimit } from '../http/request-context.ts';
import { mp3Content, mp3Response } from '../http/static-assets.ts';
import type { Services } from '../services.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { getSampleSentence } from '../texts.ts';
import { type InstalledVoice, toSynthesisVoice } from './catalog.ts';
import { findInstalledVoice } from './routes.ts';
import { TestVoiceBody, VoiceParams } from './schema.ts';
import { findSample, upsertSample } from './store.ts';

/** Posts and requests of sites may be served first. */
const idleTimeoutS = 120;

const testSpec = endpointSpec({
  summary: 'Test a voice',
  description: 'For admins. Default text: a sample sentence in its language. Nothing is stored.',
  tag: 'Voices',
  access: 'session',
  role: 'admin',
  params: VoiceParams,
  body: TestVoiceBody,
  bodyOptional: true,
  maxBodyBytes: 20_000,
  bodyExample: { text: 'The lighthouse opens at nine.' },
  idleTimeoutS,
  responses: { 200: { description: 'MP3 audio', content: mp3Content } },
  errors: ['not_ready', 'busy'],
});

const sampleSpec = endpointSpec({
  summary: 'Get the sample of a voice',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  idleTimeoutS,
  responses: { 200: { description: 'MP3 audio', content: mp3Content } },
  errors: ['not_ready', 'busy'],
});

/** What voices sound like. */
export function sampleRoutes(services: Services) {
  const { endpoint, catalog } = services;
  const getSample = createSampleCache(services);
  return new Elysia({ name: 'voice samples', prefix: '/v1/voices' })
    .post(
      '/:id/test',
      ...endpoint(testSpec, async ({ request, params, body: { text, alias } }) => {
        const voice = await findInstalledVoice(catalog, params.id);
        const content = text ?? getSampleSentence(voice.language);
        const mp3 = await withResponseLimit(request, idleTimeoutS, (signal) =>
          synthesizeMp3(services, voice, { content, alias }, signal),
        );
        return mp3Response(mp3);
      }),
    )
    .get(
      '/:id/sample.mp3',
      ...endpoint(sampleSpec, async ({ request, params }) => {
        const voice = await findInstalledVoice(catalog, params.id);
        // Without the signal: a sample is stored, so it is synthesized to its end even if its first client leaves.
        const sample = await withResponseLimit(request, idleTimeoutS, () => getSample(voice));
        requestContext(request).responseHeaders['cache-control'] = 'private, max-age=3600';
        return mp3Response(sample);
      }),
    );
}

/** @returns reads the stored sample of a voice, or synthesizes and stores it: once for concurrent requests */
function createSampleCache(services: Services) {
  const { database } = services;
  const pending = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const createSample = async (voice: InstalledVoice): Promise<Uint8Array<ArrayBuffer>> => {
    const mp3 = await synthesizeMp3(services, voice, { content: getSampleSentence(voice.language) });
    await database.write('server', (db: Queries) => upsertSample(db, voice.id, mp3), { sync: 'normal' });
    return mp3;
  };
  return async (voice: InstalledVoice): Promise<Uint8Array<ArrayBuffer>> => {
    const stored = await findSample(database.read, voice.id);
    if (stored !== undefined) return new Uint8Array(stored);
    const running = pending.get(voice.id);
    if (running !== undefined) return running;
    const created = createSample(voice).finally(() => pending.delete(voice.id));
    pending.set(voice.id, created);
    return created;
  };
}

/** @throws AppError `validation_failed`: nothing to speak, or the voice gives no sound; `not_ready` */
async function synthesizeMp3(
  { catalog, synthesisPool }: Services,
  voice: InstalledVoice,
  { content, alias }: { readonly content: string; readonly alias?: string | undefined },
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const synthesisVoice = await toSynthesisVoice(catalog, voice);
    const aliases = alias === undefined ? [] : [{ word: content, alias, matchCase: false }];
    const mp3 = await synthesisPool.synthesize(null, synthesisVoice, { content, title: null, aliases }, signal);
    if (mp3 === undefined) throw invalid('text', 'must contain speakable text');
    return mp3;
  } catch (error) {
    if (error instanceof WorkerCrashedError) throw new AppError('not_ready', 'Voice unavailable. Try again later.');
    const isVoice = error instanceof AppError && /^(bad_voice|validation_failed)$/.test(error.code);
    if (isVoice && error.fields === undefined) throw invalid('voice', error.message);
    throw error;
  }
}
