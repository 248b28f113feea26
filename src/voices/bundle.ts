import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import {
  packFile,
  parseManifest,
  readSmallEntry,
  readTar,
  Sha256,
  streamTar,
  sumBytes,
  sumFile,
  type TarEntry,
} from '../archive.ts';
import { timestamp } from '../clock.ts';
import { type AppError, operationFailed } from '../errors.ts';
import { getErrno, writeFileAtomically } from '../files.ts';
import { literalUnion, nullable } from '../http/validation.ts';
import { version } from '../version.ts';
import type { InstalledVoice } from './catalog.ts';
import { getConfigPath } from './inspect.ts';
import {
  createStagingPath,
  deleteStagedVoice,
  getModelCardPath,
  isSharedModel,
  maxConfigBytes,
  maxLicenseTextBytes,
  maxModelBytes,
  parseStem,
  type StagedVoice,
} from './voice-files.ts';

const manifestName = 'manifest.json';
/** Beside it in the bundle: the Ed25519 signature of its bytes, base64. */
const signatureName = 'manifest.sig';
const maxManifestBytes = 4_000_000;
const maxSignatureBytes = 1_000;

const createPartSchema = (byteMax: number) =>
  Type.Object({
    name: Type.String({ maxLength: 150 }),
    byte_count: Type.Integer({ minimum: 0, maximum: byteMax }),
    sha256: Sha256,
  });
type BundlePart = Static<ReturnType<typeof createPartSchema>>;

/** No control characters: these texts are shown on terminals. */
const printablePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
const OptionalText = nullable(Type.String({ maxLength: 500, pattern: printablePattern }));

const BundledVoice = Type.Object({
  stem: Type.String({ minLength: 1, maxLength: 100 }),
  license: OptionalText,
  source: OptionalText,
  speakers: Type.Array(
    Type.Object({
      speaker: Type.Integer({ minimum: 0 }),
      name: Type.String({ minLength: 1, maxLength: 200, pattern: printablePattern }),
      gender: literalUnion(['female', 'male', 'neutral']),
    }),
    { maxItems: 2_000 },
  ),
  model: createPartSchema(maxModelBytes),
  config: createPartSchema(maxConfigBytes),
  license_text: nullable(createPartSchema(maxLicenseTextBytes)),
});
type BundledVoice = Static<typeof BundledVoice>;

/** The first entry of a bundle; it describes the others, and the signature covers it. */
const BundleManifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String({ maxLength: 50 }),
  created_at: Type.String({ maxLength: 50 }),
  voices: Type.Array(BundledVoice, { minItems: 1, maxItems: 1_000 }),
});
export type BundleManifest = Static<typeof BundleManifest>;

/**
 * File names of a voice in a bundle; none can lead out of a folder.
 * @param sharedModel SHA-256 of a model that several voices share, which is in the bundle once
 */
function buildPartNames(stem: string, sharedModel: string | undefined) {
  return {
    model: `${sharedModel ?? stem}.onnx`,
    config: `${stem}.onnx.json`,
    license_text: `${stem}.license.txt`,
  };
}

/** @throws AppError `operation_failed`: invalid, of another format, with foreign file names or duplicate voices */
function parseBundleManifest(text: string, source: string): BundleManifest {
  const parsed = parseManifest(BundleManifest, text);
  if ('problem' in parsed) throw createBundleError(source, parsed.problem);
  const { manifest } = parsed;
  const stems = new Set(manifest.voices.map(({ stem }) => stem.toLowerCase()));
  if (stems.size < manifest.voices.length) throw createBundleError(source, 'it contains a voice twice');
  for (const voice of manifest.voices) {
    if (parseStem(`${voice.stem}.onnx`) === undefined) {
      throw createBundleError(source, `the manifest contains an invalid file name: ${JSON.stringify(voice.stem)}`);
    }
    const isShared = voice.model.name === `${voice.model.sha256}.onnx`;
    const names = buildPartNames(voice.stem, isShared ? voice.model.sha256 : undefined);
    const isOwn =
      voice.model.name === names.model &&
      voice.config.name === names.config &&
      (voice.license_text?.name ?? names.license_text) === names.license_text;
    if (!isOwn) throw createBundleError(source, `the manifest contains invalid file names for ${voice.stem}`);
  }
  return manifest;
}

function createBundleError(source: string, reason: string): AppError {
  return operationFailed(`Reading voice bundle ${source} failed: ${reason}`);
}

/** @returns the Ed25519 signature of some bytes, base64. @param keyFile a private key as PEM (PKCS #8) */
function signBytes(bytes: Uint8Array, keyFile: string): string {
  const key = readKey(keyFile, 'private', createPrivateKey);
  return sign(null, bytes, key).toString('base64');
}

/**
 * @param signature base64, as it stands in a bundle
 * @param keyFiles public keys as PEM; one match is enough
 */
function isSignedBy(bytes: Uint8Array, signature: string, keyFiles: readonly string[]): boolean {
  const raw = Buffer.from(signature.trim(), 'base64');
  return keyFiles
    .map((keyFile) => readKey(keyFile, 'public', createPublicKey))
    .some((key) => verify(null, bytes, key, raw));
}

function readKey(path: string, kind: 'private' | 'public', parse: (pem: string) => KeyObject): KeyObject {
  const refused = (): AppError => operationFailed(`${path} is not an Ed25519 ${kind} key (PEM)`);
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw operationFailed(`Reading key ${path} failed (${getErrno(error)})`);
  }
  // A private key contains the public one, but must not be on machines that only verify signatures.
  if (!pem.includes(`${kind.toUpperCase()} KEY-----`)) throw refused();
  try {
    const key = parse(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    throw refused();
  }
  throw refused();
}

/** A model with all its speakers. */
export interface BundledModel {
  /** At least one; the first speaker first. */
  readonly speakers: readonly InstalledVoice[];
  /** Model card or licence; null: none came with it. */
  readonly licenseText: string | null;
}

interface PackedPart {
  readonly part: BundlePart;
  /** Path of the file, or its content. */
  readonly content: string | Buffer;
}

/**
 * Writes voices into one file, which another machine can import without any network.
 * @param target must not exist yet; nothing is left of it when something fails
 * @param signingKey file of a private Ed25519 key; undefined: the bundle is not signed
 * @throws AppError `operation_failed`
 */
export async function writeBundle(
  target: string,
  models: readonly BundledModel[],
  signingKey: string | undefined,
): Promise<BundleManifest> {
  const parts: PackedPart[] = [];
  const voices: BundledVoice[] = [];
  for (const model of models) voices.push(await describeModel(model, parts));
  const manifest: BundleManifest = { format: 1, lectern: version, created_at: timestamp(), voices };
  const manifestBytes = Buffer.from(JSON.stringify(manifest, null, 2));
  const signature = signingKey === undefined ? undefined : signBytes(manifestBytes, signingKey);
  const archive = streamTar(async (tar) => {
    tar.entry({ name: manifestName }, manifestBytes);
    if (signature !== undefined) tar.entry({ name: signatureName }, `${signature}\n`);
    for (const { part, content } of parts) {
      const { name, byte_count: size } = part;
      if (typeof content === 'string') await packFile(tar, content, { name, size });
      else tar.entry({ name }, content);
    }
  });
  await writeFileAtomically(target, archive, { mode: 'umask', mustBeNew: true });
  return manifest;
}

/** @param parts the files of the model are added to them */
async function describeModel({ speakers, licenseText }: BundledModel, parts: PackedPart[]): Promise<BundledVoice> {
  const [first] = speakers;
  if (first === undefined) throw operationFailed('A model without a speaker');
  const { stem, files, license, source } = first;
  const modelSum = await sumFile(files.modelPath);
  const names = buildPartNames(stem, isSharedModel(files.modelPath) ? modelSum.sha256 : undefined);
  const config = { name: names.config, ...(await sumFile(files.configPath)) };
  const model = { name: names.model, ...modelSum };
  const text = Buffer.from(licenseText ?? '');
  const license_text = licenseText === null ? null : { name: names.license_text, ...sumBytes(text) };
  parts.push({ part: config, content: files.configPath });
  if (license_text !== null) parts.push({ part: license_text, content: text });
  if (!parts.some(({ part }) => part.name === model.name)) parts.push({ part: model, content: files.modelPath });
  return {
    ...{ stem, license, source },
    speakers: speakers.map(({ speaker, name, gender }) => ({ speaker, name, gender })),
    ...{ model, config, license_text },
  };
}

export interface UnpackedBundle {
  readonly manifest: BundleManifest;
  /** Whether its signature was verified. */
  readonly isVerified: boolean;
  readonly stagedVoices: readonly StagedVoice[];
}

/** A part of a bundle and its path after unpacking. */
interface PartTarget {
  readonly part: BundlePart;
  readonly path: string;
}

/**
 * Unpacks a bundle into the folder of voices, under hidden names, and verifies the checksum of every part. Nothing is
 * unpacked before the manifest and, if keys are given, its signature are verified.
 * @param keyFiles public keys; empty: no signature is required
 * @throws AppError `operation_failed`; no file is left then
 */
export async function unpackBundle(
  source: string,
  folder: string,
  keyFiles: readonly string[],
): Promise<UnpackedBundle> {
  if (!existsSync(source) || !statSync(source).isFile()) {
    throw operationFailed(`File ${source} not found`);
  }
  const unpacking = new BundleUnpacker(source, folder, keyFiles);
  try {
    const isComplete = await readTar(source, (entry) => unpacking.readEntry(entry));
    if (!isComplete) throw createBundleError(source, 'the tar file is incomplete or invalid');
    return unpacking.finish();
  } catch (error) {
    unpacking.deletePartial();
    throw error;
  }
}

class BundleUnpacker {
  readonly #source: string;
  readonly #folder: string;
  readonly #keyFiles: readonly string[];
  #manifestBytes: Buffer | undefined;
  #manifest: BundleManifest | undefined;
  #signature: string | undefined;
  readonly #missing = new Map<string, PartTarget>();
  readonly #modelPaths = new Map<BundledVoice, string>();
  /** Of models that several voices share: where the first of them has it, by part name. */
  readonly #sharedModelPaths = new Map<string, string>();

  constructor(source: string, folder: string, keyFiles: readonly string[]) {
    this.#source = source;
    this.#folder = folder;
    this.#keyFiles = keyFiles;
  }

  async readEntry(entry: TarEntry): Promise<void> {
    const { name, type, size } = entry.header;
    if (type !== 'file') throw this.#bundleError(`${quoteName(name)} is not a regular file`);
    if (this.#manifestBytes === undefined) {
      if (name !== manifestName) throw this.#bundleError('the manifest is not the first entry');
      this.#manifestBytes = await this.#readSmall(entry, maxManifestBytes);
      return;
    }
    if (name === signatureName && this.#manifest === undefined && this.#signature === undefined) {
      this.#signature = (await this.#readSmall(entry, maxSignatureBytes)).toString('utf8');
      return;
    }
    if (this.#manifest === undefined) this.#open(this.#manifestBytes);
    const target = this.#missing.get(name);
    if (target === undefined) throw this.#bundleError(`${quoteName(name)} is not in the manifest or appears twice`);
    if (size !== target.part.byte_count) throw this.#bundleError(`${name} has the wrong size`);
    await this.#store(entry, target);
    this.#missing.delete(name);
  }

  finish(): UnpackedBundle {
    if (this.#manifestBytes === undefined) throw this.#bundleError('the file is empty');
    const manifest = this.#manifest ?? this.#open(this.#manifestBytes);
    const [missing] = this.#missing.keys();
    if (missing !== undefined) throw this.#bundleError(`${missing} is missing`);
    const stagedVoices = [...this.#modelPaths].map(([voice, modelPath]) => ({
      ...toStagedVoice(voice, modelPath),
      ...(isSharedModel(voice.model.name) && {
        sharedModelPath: this.#sharedModelPaths.get(voice.model.name) ?? modelPath,
      }),
    }));
    return { manifest, isVerified: this.#keyFiles.length > 0, stagedVoices };
  }

  deletePartial(): void {
    for (const path of this.#modelPaths.values()) deleteStagedVoice(path);
  }

  #open(bytes: Buffer): BundleManifest {
    this.#checkSignature(bytes);
    this.#manifest = parseBundleManifest(bytes.toString('utf8'), this.#source);
    for (const voice of this.#manifest.voices) {
      const modelPath = createStagingPath(this.#folder);
      this.#modelPaths.set(voice, modelPath);
      const expect = (part: BundlePart, path: string): void => {
        this.#missing.set(part.name, { part, path });
      };
      if (!isSharedModel(voice.model.name)) expect(voice.model, modelPath);
      else if (!this.#sharedModelPaths.has(voice.model.name)) {
        this.#sharedModelPaths.set(voice.model.name, modelPath);
        expect(voice.model, modelPath);
      }
      expect(voice.config, getConfigPath(modelPath));
      if (voice.license_text !== null) expect(voice.license_text, getModelCardPath(modelPath));
    }
    return this.#manifest;
  }

  #checkSignature(bytes: Buffer): void {
    if (this.#keyFiles.length === 0) return;
    if (this.#signature === undefined) throw operationFailed(`${this.#source} is not signed`);
    if (!isSignedBy(bytes, this.#signature, this.#keyFiles)) {
      throw operationFailed(`${this.#source} is not signed by a trusted key`);
    }
  }

  async #store(entry: TarEntry, { part, path }: PartTarget): Promise<void> {
    const { sha256 } = await writeFileAtomically(path, entry, { byteCount: part.byte_count });
    if (sha256 !== part.sha256) throw this.#bundleError(`${part.name} has the wrong SHA-256`);
  }

  async #readSmall(entry: TarEntry, maxBytes: number): Promise<Buffer> {
    const bytes = await readSmallEntry(entry, maxBytes);
    if (bytes === undefined) throw this.#bundleError(`${entry.header.name} is too large`);
    return bytes;
  }

  #bundleError(reason: string): AppError {
    return createBundleError(this.#source, reason);
  }
}

function toStagedVoice(voice: BundledVoice, modelPath: string): StagedVoice {
  const { stem, license, source, speakers } = voice;
  const cardPath = getModelCardPath(modelPath);
  return {
    ...{ modelPath, stem, metadata: { license, source } },
    licenseText: existsSync(cardPath) ? readFileSync(cardPath, 'utf8') : null,
    speakers: new Map(speakers.map(({ speaker, name, gender }) => [speaker, { name, gender }])),
  };
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
