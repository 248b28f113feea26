import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Queries } from '../database/database.ts';
import type { Site, Voice } from '../database/schema.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { requestContext, withResponseLimit } from '../http/request-context.ts';
import { mp3Content, mp3Response } from '../http/static-assets.ts';
import { parseId, requireName, validate } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { WorkerCrashedError } from '../speech/worker-process.ts';
import { getSampleSentence } from '../texts.ts';
import { type Catalog, type InstalledVoice, toSynthesisVoice } from './catalog.ts';
import {
  exampleVoice,
  FullVoice,
  FullVoices,
  ImportVoiceForm,
  TestVoiceBody,
  toFullVoice,
  toVoiceRecord,
  UpdateVoiceBody,
  VoiceFields,
  VoiceLicenseText,
  VoiceList,
  VoiceParams,
} from './schema.ts';
import {
  allowedVoices,
  findLicenseText,
  findSample,
  selectDefaultVoice,
  updateVoiceAudited,
  upsertSample,
} from './store.ts';
import {
  deleteStagedVoice,
  receiveVoiceUpload,
  toMetadata,
  type VoiceMetadata,
  type VoiceUpload,
} from './voice-files.ts';

const forAdmins = { tag: 'Voices', access: 'session', role: 'admin' } as const;
const forUsers = { tag: 'Voices', access: 'session' } as const;

const listSpec = endpointSpec({
  summary: 'List all installed voices',
  description: 'Includes disabled voices.',
  ...forUsers,
  responses: reply(200, 'OK', 'The voices, by id', FullVoices),
});

const importSpec = endpointSpec({
  summary: 'Import a Piper voice',
  description:
    'For admins. A form with the files `model` and `config`, and optionally `model_card`. The model is validated in a separate process with time and memory limits; an unusable voice is rejected with the reason (`model`) and nothing is stored. A missing, unknown or non-commercial license is rejected (`accept_license`) until an admin accepts it; the acceptance is recorded. Each speaker of a model becomes a voice.',
  ...forAdmins,
  body: ImportVoiceForm,
  bodyTypes: ['multipart/form-data'],
  bodyHandling: 'unread',
  // On a busy machine it takes minutes until a large voice is loaded and validated.
  idleTimeoutS: 240,
  responses: reply(201, 'Voice installed', 'Installed', FullVoices),
  errors: ['conflict', 'not_ready', 'busy', 'disk_space_low'],
});

const licenseSpec = endpointSpec({
  summary: 'Get the model card of a voice',
  description: 'The imported model card or license text.',
  ...forUsers,
  params: VoiceParams,
  responses: reply(200, 'OK', 'The text, or null', VoiceLicenseText, {
    example: { text: '# Model card for hazel (medium)\n\n* License: CC BY 4.0\n' },
  }),
});

const updateSpec = endpointSpec({
  summary: 'Update a voice',
  description:
    'For admins. A disabled voice, or one above the plan of a site, is not used for new audio; existing audio is kept. `accept_license` accepts the license of a user-installed voice; the acceptance is recorded.',
  ...forAdmins,
  params: VoiceParams,
  body: UpdateVoiceBody,
  bodyExample: { enabled: false },
  responses: reply(200, 'Voice updated', 'The updated voice', FullVoice, {
    example: { ...exampleVoice, enabled: false },
  }),
});

const removeSpec = endpointSpec({
  summary: 'Remove a voice',
  description:
    'For admins. With all its speakers. For a minute, `…/restore` undoes it; then the files are deleted. Fails with a list of users (at most 20 sites and 20 posts, and the number of others) while the voice is in use. Built-in voices can only be disabled.',
  ...forAdmins,
  params: VoiceParams,
  responses: reply(200, 'Voice removed', 'Removed', FullVoice),
  errors: ['conflict'],
});

const restoreSpec = endpointSpec({
  summary: 'Undo the removal of a voice',
  description: 'For admins. Within a minute, unless it is installed again. With all its speakers.',
  ...forAdmins,
  params: VoiceParams,
  responses: reply(200, 'Voice restored', 'Restored', FullVoice),
});

const publicListSpec = endpointSpec({
  summary: 'List the voices of a site',
  description: 'Enabled voices included in the plan of the site.',
  tag: 'Public',
  access: 'domain',
  query: Type.Object({ domain: Type.String({ description: 'A domain of the site' }) }),
  cacheControl: 'public, max-age=60',
  responses: {
    200: {
      description: 'The voices, by id',
      message: 'OK',
      data: VoiceList,
      example: {
        voices: [{ id: 1, name: 'Aspen', type: 'neural', language: 'en', gender: 'female', plan_required: 'starter' }],
        default_voice_id: 1,
        allow_switch: false,
      },
      headers: { ETag: 'For `If-None-Match`' },
    },
    304: { description: 'Not modified' },
  },
});

export function voiceRoutes(services: Services) {
  const { endpoint, database, catalog, voiceInstaller, diskSpace, config, baseUrl } = services;
  const toRecord = (voice: Parameters<typeof toFullVoice>[0]) => toFullVoice(voice, baseUrl);
  return new Elysia({ name: 'voices', prefix: '/v1/voices' })
    .get('', ...endpoint(listSpec, async () => ({ voices: (await catalog.voices()).map(toRecord) })))
    .post(
      '',
      ...endpoint(importSpec, async ({ request, user }) => {
        diskSpace.requireRoom('posts', Number(request.headers.get('content-length') ?? 0));
        const upload = await receiveVoiceUpload(request, config.voices);
        const { metadata, acceptLicense } = parseFields(upload);
        const voices = await voiceInstaller.install([{ ...upload, metadata }], { userId: user.id, acceptLicense });
        return { voices: voices.map(toRecord) };
      }),
    )
    .get(
      '/:id/license',
      ...endpoint(licenseSpec, async ({ params }) => {
        const { content_hash } = await findInstalledVoice(catalog, params.id);
        return { text: (await findLicenseText(database.read, content_hash)) ?? null };
      }),
    )
    .patch(
      '/:id',
      ...endpoint(updateSpec, async ({ user, params, body }) => {
        const { id, files, optimization } = await findInstalledVoice(catalog, params.id);
        const changes = {
          name: body.name === undefined ? undefined : requireName(body.name),
          enabled: body.enabled,
          planRequired: body.plan_required,
          acceptLicense: body.accept_license,
        };
        const updated = await database.write('server', (db) => updateVoiceAudited(db, id, changes, user.id));
        return toRecord({ ...updated, files, optimization });
      }),
    )
    .delete(
      '/:id',
      ...endpoint(removeSpec, async ({ user, params }) => {
        const voice = await findInstalledVoice(catalog, params.id);
        const before = toRecord(voice);
        await voiceInstaller.remove(voice, user.id);
        return before;
      }),
    )
    .post(
      '/:id/restore',
      ...endpoint(restoreSpec, async ({ user, params }) => {
        await voiceInstaller.restore(parseId(params.id, 'Voice'), user.id);
        return toRecord(await findInstalledVoice(catalog, params.id));
      }),
    );
}

/** @throws AppError `not_found` */
async function findInstalledVoice(catalog: Catalog, id: string): Promise<InstalledVoice> {
  const voice = await catalog.find(parseId(id, 'Voice'));
  if (voice === undefined) throw notFound('Voice', id);
  return voice;
}

/** @throws AppError `validation_failed`; then the upload is deleted */
function parseFields({ fields, modelPath }: VoiceUpload): { metadata: VoiceMetadata; acceptLicense: boolean } {
  try {
    const { name, gender, license, source, plan_required, accept_license } = validate(VoiceFields, fields);
    const given = { name: name && requireName(name), gender, license, source, plan_required };
    return { metadata: toMetadata(given), acceptLicense: accept_license === 'true' };
  } catch (error) {
    deleteStagedVoice(modelPath);
    throw error;
  }
}

export function publicVoicesRoutes({ endpoint, catalog, preflight }: Services) {
  return new Elysia({ name: 'public-voices' })
    .get(
      '/v1/public/voices',
      ...endpoint(publicListSpec, async ({ site }) => toVoiceList(await catalog.voices(), site)),
    )
    .options('/v1/public/voices', ({ request }) => preflight(request, 'GET, HEAD'));
}

function toVoiceList(voices: readonly Voice[], site: Site): VoiceList {
  const allowed = allowedVoices(voices, site);
  return {
    voices: allowed.map(toVoiceRecord),
    default_voice_id: selectDefaultVoice(allowed, site)?.id ?? null,
    allow_switch: site.allow_switch === 1,
  };
}

/** Posts and requests of sites may be served first. */
const idleTimeoutS = 120;

const testSpec = endpointSpec({
  summary: 'Test a voice',
  description: 'For admins. Default text: a sample sentence in its language. Nothing is stored.',
  ...forAdmins,
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
  ...forUsers,
  params: VoiceParams,
  idleTimeoutS,
  responses: { 200: { description: 'MP3 audio', content: mp3Content } },
  errors: ['not_ready', 'busy'],
});

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
    return pending.getOrInsertComputed(voice.id, () => createSample(voice).finally(() => pending.delete(voice.id)));
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
