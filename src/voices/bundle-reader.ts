import { existsSync, readFileSync, statSync } from 'node:fs';
import { readSmallEntry, readTar, type TarEntry } from '../archive.ts';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import {
  type BundledVoice,
  type BundleManifest,
  type BundlePart,
  createBundleError,
  isSignedBy,
  manifestName,
  maxManifestBytes,
  maxSignatureBytes,
  parseBundleManifest,
  signatureName,
} from './bundle.ts';
import { getConfigPath } from './inspect.ts';
import {
  createStagingPath,
  deleteStagedVoice,
  getModelCardPath,
  isSharedModel,
  type StagedVoice,
} from './voice-files.ts';

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
    throw new AppError('operation_failed', `File ${source} not found`);
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
      ...(this.#isShared(voice) && { sharedModelPath: this.#sharedModelPaths.get(voice.model.name) ?? modelPath }),
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
      if (!this.#isShared(voice)) expect(voice.model, modelPath);
      else if (!this.#sharedModelPaths.has(voice.model.name)) {
        this.#sharedModelPaths.set(voice.model.name, modelPath);
        expect(voice.model, modelPath);
      }
      expect(voice.config, getConfigPath(modelPath));
      if (voice.license_text !== null) expect(voice.license_text, getModelCardPath(modelPath));
    }
    return this.#manifest;
  }

  #isShared({ model }: BundledVoice): boolean {
    return isSharedModel(model.name);
  }

  #checkSignature(bytes: Buffer): void {
    if (this.#keyFiles.length === 0) return;
    if (this.#signature === undefined) {
      throw new AppError('operation_failed', `${this.#source} is not signed`);
    }
    if (!isSignedBy(bytes, this.#signature, this.#keyFiles)) {
      throw new AppError('operation_failed', `${this.#source} is not signed by a trusted key`);
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
