import { Elysia } from 'elysia';
import type { SessionAccess } from '../auth/sessions.ts';
import type { Database } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { idIn, validate } from '../http/validation.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { fullVoice } from './full-voice.ts';
import type { Installation } from './installer.ts';
import {
  FullVoice,
  FullVoices,
  ImportVoiceForm,
  UpdateVoiceBody,
  VoiceFields,
  VoiceLicenseText,
  VoiceParams,
} from './schema.ts';
import { forgetArrival, type VoiceFacts } from './staged-voice.ts';
import { changeVoice, findLicenseText } from './store.ts';
import { receiveVoice, type VoiceUpload } from './upload.ts';

const bodyByteMax = 10_000;
/** On a busy machine it takes a while until a large voice was loaded, measured and heard. */
const examineIdleS = 240;

export interface VoiceDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly bySession: SessionAccess;
  readonly installation: Installation;
  /** Folder of voices. */
  readonly voicesFolder: string;
  readonly baseUrl: string;
}

const exampleVoice = {
  id: 3,
  name: 'Hazel',
  type: 'neural',
  language: 'en',
  gender: 'neutral',
  plan_required: 'starter',
  locale: 'en_GB',
  quality: 'medium',
  sample_rate: 22_050,
  license: 'CC BY 4.0',
  source: 'https://example.org/voices/hazel',
  sample_url: 'https://audio.example.org/v1/voices/3/sample.mp3',
  enabled: true,
  builtin: false,
  installed_at: '2026-11-02T08:15:00.000Z',
  license_status: 'free',
  license_accepted: null,
  gain_db: 4.1,
  real_time_factor: 0.031,
  compilation: { outcome: 'compiled', reason: null, speed_ratio: 1.42, snr_db: 121.3 },
};

const listOperation = described({
  summary: 'Every installed voice',
  description: 'Disabled ones too.',
  tag: 'Voices',
  access: 'session',
  answers: {
    200: {
      description: 'The voices, by id',
      message: 'OK',
      data: FullVoices,
      example: { voices: [exampleVoice] },
    },
  },
});

const importOperation = described({
  summary: 'Import a Piper voice',
  description:
    'For admins. A form with the files `model` and `config`, and `model_card` where there is one. The model is read, probed, measured and heard by a process of its own first, with limits of time and memory: what is no usable voice is refused with the reason (`model`) and leaves nothing behind. A licence that is missing, unknown or not for commercial use is refused (`accept_license`) until an admin accepts it, which is recorded. Further speakers of a model become voices of their own.',
  tag: 'Voices',
  access: 'session',
  body: ImportVoiceForm,
  bodyTypes: ['multipart/form-data'],
  answers: {
    201: {
      description: 'Installed',
      message: 'Voice installed',
      data: FullVoices,
      example: { voices: [exampleVoice] },
    },
  },
  errors: ['not_allowed', 'conflict', 'not_ready', 'busy'],
});

const licenseOperation = described({
  summary: 'Model card of a voice',
  description: 'The text that was imported with it, which names its licence.',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  answers: {
    200: {
      description: 'The text, or that there is none',
      message: 'OK',
      data: VoiceLicenseText,
      example: { text: '# Model card for hazel (medium)\n\n* License: CC BY 4.0\n' },
    },
  },
  errors: ['not_found'],
});

const updateOperation = described({
  summary: 'Change a voice',
  description:
    'For admins. A disabled voice, or one above the plan of a site, is not chosen any more; what was made with it stays. `accept_license` is for one whose files were put into the folder by hand: who accepts its licence is recorded.',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  body: UpdateVoiceBody,
  bodyExample: { enabled: false },
  answers: {
    200: {
      description: 'The voice as it is now',
      message: 'Voice updated',
      data: FullVoice,
      example: { ...exampleVoice, enabled: false },
    },
  },
  errors: ['not_allowed', 'not_found'],
});

const removeOperation = described({
  summary: 'Remove a voice',
  description:
    'For admins. Deletes its files, all speakers. While sites or posts use it, it stays, and they are named: the first 20 of each, and how many more there are. Built-in voices can only be disabled.',
  tag: 'Voices',
  access: 'session',
  params: VoiceParams,
  answers: {
    200: {
      description: 'Removed',
      message: 'Voice removed',
      data: FullVoice,
      example: exampleVoice,
    },
  },
  errors: ['not_allowed', 'not_found', 'conflict'],
});

/** The voices of the installation. */
export function voiceRoutes(deps: VoiceDeps) {
  const { database, catalog, bySession, installation, voicesFolder, baseUrl } = deps;
  const shown = (voice: Parameters<typeof fullVoice>[0]) => fullVoice(voice, baseUrl);
  return new Elysia({ name: 'voices', prefix: '/v1/voices' })
    .get(
      '',
      async ({ request }) => {
        await bySession.user(request);
        return envelope('OK', { voices: (await catalog.voices()).map(shown) });
      },
      listOperation,
    )
    .post(
      '',
      async ({ request }) => {
        const { user } = await bySession.admin(request);
        factsOf(request).allowIdle(examineIdleS);
        const upload = await receiveVoice(request, voicesFolder);
        const { facts, acceptLicense } = readFields(upload);
        const terms = { userId: user.id, acceptLicense };
        const voices = await installation.install([{ ...upload, facts }], terms);
        const data = { voices: voices.map(shown) };
        return Response.json(envelope('Voice installed', data), { status: 201 });
      },
      importOperation,
    )
    .get(
      '/:id/license',
      async ({ request, params }) => {
        await bySession.user(request);
        const { content_hash } = await installedVoice(catalog, params.id);
        const text = await findLicenseText(database.read, content_hash);
        return envelope('OK', { text: text ?? null });
      },
      licenseOperation,
    )
    .patch(
      '/:id',
      async ({ request, params }) => {
        const { user } = await bySession.admin(request);
        const body = validate(UpdateVoiceBody, await readJsonBody(request, bodyByteMax));
        const { id, files, compilation } = await installedVoice(catalog, params.id);
        const changes = {
          name: body.name === undefined ? undefined : readName(body.name),
          enabled: body.enabled,
          planRequired: body.plan_required,
          acceptLicense: body.accept_license,
        };
        const changed = await database.write((db) => changeVoice(db, id, changes, user.id));
        return envelope('Voice updated', shown({ ...changed, files, compilation }));
      },
      updateOperation,
    )
    .delete(
      '/:id',
      async ({ request, params }) => {
        const { user } = await bySession.admin(request);
        const voice = await installedVoice(catalog, params.id);
        const before = shown(voice);
        await installation.remove(voice, user.id);
        return envelope('Voice removed', before);
      },
      removeOperation,
    );
}

/** @throws AppError `not_found` */
export async function installedVoice(catalog: Catalog, id: string): Promise<InstalledVoice> {
  const voice = await catalog.find(idIn(id, noVoice));
  if (voice === undefined) throw noVoice(id);
  return voice;
}

function noVoice(param: string): AppError {
  return new AppError('not_found', `There is no voice ${param}`);
}

function readFields({ fields, modelPath }: VoiceUpload): {
  facts: VoiceFacts;
  acceptLicense: boolean;
} {
  try {
    const { name, accept_license, ...facts } = validate(VoiceFields, fields);
    const known = ['gender', 'license', 'source', 'plan_required'] as const;
    const named = known.filter((field) => facts[field] !== undefined);
    return {
      facts: {
        ...Object.fromEntries(named.map((field) => [field, facts[field]])),
        ...(name === undefined ? {} : { name: readName(name) }),
      },
      acceptLicense: accept_license === 'true',
    };
  } catch (error) {
    forgetArrival(modelPath);
    throw error;
  }
}

function readName(given: string): string {
  const name = given.trim();
  if (name !== '') return name;
  throw new AppError('validation_failed', 'Validation failed', { name: ['must not be blank'] });
}
