import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
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
  parseManifest,
  signatureName,
} from './bundle.ts';
import { getConfigPath } from './inspect.ts';
import { createStagingPath, deleteStagedVoice, getModelCardPath, type StagedVoice } from './staged-voice.ts';

/** What a bundle held. */
export interface UnpackedBundle {
  readonly manifest: BundleManifest;
  /** Whether it bore a signature that was compared with a key. */
  readonly isVerified: boolean;
  readonly stagedVoices: readonly StagedVoice[];
}

/** A file of a tar file, which is read to its end before the next one comes. */
type TarEntry = { readonly header: Header } & AsyncIterable<Uint8Array>;

/** Where a part of a bundle is put. */
interface PartTarget {
  readonly part: BundlePart;
  readonly path: string;
}

/**
 * Unpacks a bundle into the folder of voices, under hidden names, and compares every part with its sum. Nothing is
 * unpacked before the manifest is known to be good and, where keys are named, signed by one of them.
 * @param keyFiles public keys; empty: no signature is asked for
 * @throws AppError `operation_failed`; nothing is left then
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
  const archive = extract();
  const reading = pipeline(createReadStream(source), archive);
  const unpack = async (): Promise<void> => {
    for await (const entry of archive) await unpacking.readEntry(entry as TarEntry);
  };
  const [unpacked, read] = await Promise.allSettled([unpack(), reading]);
  try {
    // Our own reason before that of the stream which it ended.
    for (const result of [unpacked, read]) {
      if (result.status === 'rejected') throw toReadableError(result.reason, source);
    }
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
      this.#manifestBytes = await readBytes(entry, maxManifestBytes, () => this.#tooLargeError(name));
      return;
    }
    if (name === signatureName && this.#manifest === undefined && this.#signature === undefined) {
      const bytes = await readBytes(entry, maxSignatureBytes, () => this.#tooLargeError(name));
      this.#signature = bytes.toString('utf8');
      return;
    }
    if (this.#manifest === undefined) this.#open(this.#manifestBytes);
    const place = this.#missing.get(name);
    if (place === undefined) throw this.#bundleError(`${quoteName(name)} is not in the manifest or appears twice`);
    if (size !== place.part.byte_count) throw this.#bundleError(`${name} has the wrong size`);
    await this.#store(entry, place);
    this.#missing.delete(name);
  }

  finish(): UnpackedBundle {
    if (this.#manifestBytes === undefined) throw this.#bundleError('the file is empty');
    const manifest = this.#manifest ?? this.#open(this.#manifestBytes);
    const [missing] = this.#missing.keys();
    if (missing !== undefined) throw this.#bundleError(`${missing} is missing`);
    const arrivals = [...this.#modelPaths].map(([voice, modelPath]) => toStagedVoice(voice, modelPath));
    return { manifest, isVerified: this.#keyFiles.length > 0, stagedVoices: arrivals };
  }

  deletePartial(): void {
    for (const path of this.#modelPaths.values()) deleteStagedVoice(path);
  }

  #open(bytes: Buffer): BundleManifest {
    this.#checkSignature(bytes);
    this.#manifest = parseManifest(bytes.toString('utf8'), this.#source);
    for (const voice of this.#manifest.voices) {
      const modelPath = createStagingPath(this.#folder);
      this.#modelPaths.set(voice, modelPath);
      const expect = (part: BundlePart, path: string): void => {
        this.#missing.set(part.name, { part, path });
      };
      expect(voice.model, modelPath);
      expect(voice.config, getConfigPath(modelPath));
      if (voice.license_text !== null) expect(voice.license_text, getModelCardPath(modelPath));
    }
    return this.#manifest;
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

  #tooLargeError(name: string): AppError {
    return this.#bundleError(`${name} is too large`);
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

async function readBytes(entry: TarEntry, byteMax: number, tooLarge: () => AppError): Promise<Buffer> {
  if (entry.header.size > byteMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

/** A tar file that ends early or is none says so in its own words; a file that cannot be read says its errno. */
function toReadableError(error: unknown, source: string): unknown {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^E[A-Z]+$/.test(code)) {
    return new AppError('operation_failed', `Reading ${source} failed (${code})`);
  }
  return createBundleError(source, 'the tar file is incomplete or invalid');
}
