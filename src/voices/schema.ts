import { type Static, Type } from '@sinclair/typebox';
import type { Voice } from '../database/schema.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { OriginalReason } from '../speech/optimize/outcome.ts';
import { builtinVoices } from './builtin-voices.ts';
import type { InstalledVoice } from './catalog.ts';
import { classifyLicense } from './license.ts';
import type { Optimization } from './optimizer-cache.ts';

export function toVoiceRecord(voice: Voice): VoiceRecord {
  const { id, name, language, gender, plan_required } = voice;
  return { id, name, type: 'neural', language, gender, plan_required };
}

export function toAuditVoice(voice: Voice): object {
  const { content_hash, speaker, license, source } = voice;
  const { enabled } = voice;
  return {
    ...toVoiceRecord(voice),
    enabled: enabled === 1,
    license,
    source,
    content_hash,
    speaker,
  };
}

/** A voice as everyone may see it. */
export const VoiceRecord = Type.Object(
  {
    id: Type.Integer({ description: 'Used as `voice_id`' }),
    name: Type.String(),
    type: Type.Literal('neural'),
    language: Type.String({ description: 'BCP 47 primary code' }),
    gender: literalUnion(['female', 'male', 'neutral']),
    plan_required: literalUnion(['starter', 'growth', 'enterprise']),
  },
  { title: 'Voice' },
);
export type VoiceRecord = Static<typeof VoiceRecord>;

export const VoiceList = Type.Object(
  {
    voices: Type.Array(VoiceRecord),
    default_voice_id: nullable(Type.Integer(), { description: 'Null if the site has no voice' }),
    allow_switch: Type.Boolean({ description: 'Whether listeners may switch voices' }),
  },
  { title: 'VoiceList' },
);
export type VoiceList = Static<typeof VoiceList>;

export const VoiceParams = Type.Object({ id: Type.Integer({ description: 'Id of a voice' }) });

const OptionalText = nullable(Type.String());
const VoiceName = Type.String({ minLength: 1, maxLength: 100 });

const VoiceOptimization = Type.Object(
  {
    outcome: literalUnion(['optimized', 'original']),
    reason: Type.Union([...OriginalReason.anyOf, Type.Null()], { description: 'Why the original model is used' }),
    speed_ratio: nullable(Type.Number(), {
      description: 'Speedup of the optimized model on this machine',
    }),
    snr_db: nullable(Type.Number(), {
      description: 'Signal-to-noise ratio of the optimized model in dB; 200: identical',
    }),
  },
  {
    title: 'VoiceOptimization',
    description: 'Result of optimizing the voice for this machine',
  },
);

export const exampleVoice = {
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
  optimization: { outcome: 'optimized', reason: null, speed_ratio: 1.42, snr_db: 121.3 },
};

/** A voice as signed-in users see it. */
export const FullVoice = Type.Object(
  {
    ...VoiceRecord.properties,
    locale: Type.String(),
    quality: Type.String(),
    sample_rate: Type.Integer({ description: 'Hz' }),
    license: OptionalText,
    source: OptionalText,
    sample_url: Type.String({ description: 'URL of an MP3 sample; requires a session' }),
    enabled: Type.Boolean(),
    builtin: Type.Boolean({ description: 'Built-in voices can be disabled but not removed' }),
    installed_at: Type.String(),
    license_status: literalUnion(['free', 'non_commercial', 'unknown', 'missing'], {
      description: 'Classification of the license',
    }),
    license_accepted: nullable(Type.Object({ by: Type.String(), at: Type.String(), text: Type.String() }), {
      description: 'Who accepted the license; null: not accepted or not required',
    }),
    gain_db: nullable(Type.Number(), { description: 'Gain to −16 LUFS in dB; null until measured' }),
    real_time_factor: nullable(Type.Number(), {
      description: 'Processing seconds per second of audio, when measured',
    }),
    optimization: nullable(VoiceOptimization, {
      description: 'Null: not optimized yet, or optimizing is disabled',
    }),
  },
  { title: 'InstalledVoice', examples: [exampleVoice] },
);
export type FullVoice = Static<typeof FullVoice>;
export const FullVoices = Type.Object({ voices: Type.Array(FullVoice) }, { examples: [{ voices: [exampleVoice] }] });

/** A voice for signed-in users. Without `files` it is not a built-in voice. */
export function toFullVoice(
  voice: Voice & Partial<Pick<InstalledVoice, 'files' | 'optimization'>>,
  baseUrl: string,
): FullVoice {
  const { locale, quality, license, source, installed_at } = voice;
  const builtin = builtinVoices.some(({ modelPath }) => modelPath === voice.files?.modelPath);
  return {
    ...toVoiceRecord(voice),
    ...{ locale, quality, sample_rate: voice.sample_rate_hz, license, source },
    sample_url: `${baseUrl}/v1/voices/${voice.id}/sample.mp3`,
    enabled: voice.enabled === 1,
    builtin,
    installed_at,
    license_status: builtin ? 'free' : classifyLicense(license),
    license_accepted: toLicenseAcceptance(voice),
    gain_db: round(voice.gain_db, 2),
    real_time_factor: round(voice.real_time_factor, 4),
    optimization: toOptimizationRecord(voice.optimization),
  };
}

function toOptimizationRecord(found: Optimization | undefined): FullVoice['optimization'] {
  if (found === undefined) return null;
  return {
    outcome: found.outcome,
    reason: found.outcome === 'original' ? found.reason : null,
    speed_ratio: round(found.speed_ratio, 2),
    snr_db: round(found.snr_db, 1),
  };
}

function toLicenseAcceptance(voice: Voice): FullVoice['license_accepted'] {
  const { license_accepted_by: by, license_accepted_at: at, license_accepted_text: text } = voice;
  return by === null || at === null || text === null ? null : { by, at, text };
}

function round(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}

export const VoiceLicenseText = Type.Object({
  text: nullable(Type.String(), {
    description: 'Full text of the model card or license; null: none imported',
  }),
});

export const UpdateVoiceBody = Type.Object(
  {
    name: Type.Optional(VoiceName),
    enabled: Type.Optional(Type.Boolean()),
    plan_required: Type.Optional(VoiceRecord.properties.plan_required),
    accept_license: Type.Optional(
      Type.Literal(true, { description: 'Accept the license of the model with all speakers' }),
    ),
  },
  { description: 'Omitted members are unchanged' },
);

/** The text fields of an import. */
export const VoiceFields = Type.Object({
  name: Type.Optional(VoiceName),
  gender: Type.Optional(VoiceRecord.properties.gender),
  license: Type.Optional(Type.String({ maxLength: 500 })),
  source: Type.Optional(Type.String({ maxLength: 500 })),
  accept_license: Type.Optional(
    literalUnion(['true', 'false'], {
      description: 'Accept a missing, unknown or non-commercial license',
    }),
  ),
  plan_required: Type.Optional(VoiceRecord.properties.plan_required),
});
export const ImportVoiceForm = Type.Object({
  model: Type.String({ format: 'binary', description: 'Piper model, NAME.onnx' }),
  config: Type.String({ format: 'binary', description: 'Piper config, NAME.onnx.json' }),
  model_card: Type.Optional(
    Type.String({ format: 'binary', description: 'Model card that names the license, MODEL_CARD' }),
  ),
  ...VoiceFields.properties,
});

export const TestVoiceBody = Type.Object({
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  alias: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Spoken instead of `text`, in the syntax of a pronunciation alias',
    }),
  ),
});
