import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../../errors.ts';
import {
  configByteMax,
  licenseTextByteMax,
  modelByteMax,
  stemOf,
} from '../installation/arrival.ts';

export const manifestName = 'manifest.json';
/** Beside it in the bundle: the Ed25519 signature of its bytes, base64. */
export const signatureName = 'manifest.sig';
export const manifestByteMax = 4_000_000;
export const signatureByteMax = 1_000;

const part = (byteMax: number) =>
  Type.Object({
    name: Type.String({ maxLength: 150 }),
    byte_count: Type.Integer({ minimum: 0, maximum: byteMax }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  });
/** A file in a bundle. */
export type BundlePart = Static<ReturnType<typeof part>>;

/** It is shown on terminals: no control characters. */
const visible = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
const OptionalText = Type.Union([Type.String({ maxLength: 500, pattern: visible }), Type.Null()]);

const BundledVoice = Type.Object({
  stem: Type.String({ minLength: 1, maxLength: 100 }),
  license: OptionalText,
  source: OptionalText,
  speakers: Type.Array(
    Type.Object({
      speaker: Type.Integer({ minimum: 0 }),
      name: Type.String({ minLength: 1, maxLength: 200, pattern: visible }),
      gender: Type.Union([Type.Literal('female'), Type.Literal('male'), Type.Literal('neutral')]),
    }),
    { maxItems: 2_000 },
  ),
  model: part(modelByteMax),
  config: part(configByteMax),
  license_text: Type.Union([part(licenseTextByteMax), Type.Null()]),
});
export type BundledVoice = Static<typeof BundledVoice>;

/** The first entry of a bundle: what the others are. What is signed is this. */
const BundleManifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String({ maxLength: 50 }),
  created_at: Type.String({ maxLength: 50 }),
  voices: Type.Array(BundledVoice, { minItems: 1, maxItems: 1_000 }),
});
export type BundleManifest = Static<typeof BundleManifest>;

/** What the files of a voice are called in a bundle; none can lead out of a folder. */
export function partNames(stem: string) {
  return {
    model: `${stem}.onnx`,
    config: `${stem}.onnx.json`,
    license_text: `${stem}.license.txt`,
  };
}

/** @throws AppError `operation_failed`: not a manifest, of another format, with names that are not a voice's own, or twice the same */
export function parseManifest(text: string, source: string): BundleManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw notBundle(source, 'its manifest is not JSON');
  }
  const problem = Value.Errors(BundleManifest, manifest).First();
  if (problem !== undefined || !Value.Check(BundleManifest, manifest)) {
    throw notBundle(source, `its manifest is wrong at ${problem?.path.slice(0, 80) || 'its root'}`);
  }
  const stems = new Set(manifest.voices.map(({ stem }) => stem.toLowerCase()));
  if (stems.size < manifest.voices.length) throw notBundle(source, 'a voice is in it twice');
  for (const voice of manifest.voices) {
    if (stemOf(`${voice.stem}.onnx`) === undefined) {
      throw notBundle(source, `its manifest names strange files: ${JSON.stringify(voice.stem)}`);
    }
    const names = partNames(voice.stem);
    const isOwn =
      voice.model.name === names.model &&
      voice.config.name === names.config &&
      (voice.license_text?.name ?? names.license_text) === names.license_text;
    if (!isOwn) throw notBundle(source, `its manifest names strange files for ${voice.stem}`);
  }
  return manifest;
}

export function notBundle(source: string, reason: string): AppError {
  return new AppError(
    'operation_failed',
    `${source} is no bundle of voices, or damaged: ${reason}`,
  );
}
