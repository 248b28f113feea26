import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { AppError } from '../errors.ts';
import { writeFileAtomically } from '../files.ts';
import {
  type BundledVoice,
  type BundleManifest,
  type BundlePart,
  isSignedBy,
  manifestByteMax,
  manifestName,
  notBundle,
  parseManifest,
  signatureByteMax,
  signatureName,
} from './bundle.ts';
import { configPathOf } from './inspect.ts';
import { type Arrival, arrivalPath, cardPathOf, forgetArrival } from './staged-voice.ts';

/** What a bundle held. */
export interface UnpackedBundle {
  readonly manifest: BundleManifest;
  /** Whether it bore a signature that was compared with a key. */
  readonly isVerified: boolean;
  readonly arrivals: readonly Arrival[];
}

/** A file of a tar file, which is read to its end before the next one comes. */
type Entry = { readonly header: Header } & AsyncIterable<Uint8Array>;

/** Where a part of a bundle is put. */
interface Place {
  readonly part: BundlePart;
  readonly path: string;
}

/**
 * Unpacks a bundle into the folder of voices, under hidden names, and compares every part with its sum. Nothing is
 * unpacked before the manifest is known to be good and, where keys are named, signed by one of them.
 * @param keyFiles public keys; empty: no signature is asked for
 * @throws AppError `operation_failed`; nothing is left then
 */
export async function readBundle(
  source: string,
  folder: string,
  keyFiles: readonly string[],
): Promise<UnpackedBundle> {
  if (!existsSync(source) || !statSync(source).isFile()) {
    throw new AppError('operation_failed', `There is no file ${source}`);
  }
  const unpacking = new Unpacking(source, folder, keyFiles);
  const archive = extract();
  const reading = pipeline(createReadStream(source), archive);
  const unpack = async (): Promise<void> => {
    for await (const entry of archive) await unpacking.take(entry as Entry);
  };
  const [unpacked, read] = await Promise.allSettled([unpack(), reading]);
  try {
    // Our own reason before that of the stream which it ended.
    for (const result of [unpacked, read]) {
      if (result.status === 'rejected') throw readable(result.reason, source);
    }
    return unpacking.finish();
  } catch (error) {
    unpacking.forget();
    throw error;
  }
}

class Unpacking {
  readonly #source: string;
  readonly #folder: string;
  readonly #keyFiles: readonly string[];
  #manifestBytes: Buffer | undefined;
  #manifest: BundleManifest | undefined;
  #signature: string | undefined;
  readonly #missing = new Map<string, Place>();
  readonly #modelPaths = new Map<BundledVoice, string>();

  constructor(source: string, folder: string, keyFiles: readonly string[]) {
    this.#source = source;
    this.#folder = folder;
    this.#keyFiles = keyFiles;
  }

  async take(entry: Entry): Promise<void> {
    const { name, type, size } = entry.header;
    if (type !== 'file') throw this.#refused(`${shown(name)} is no plain file`);
    if (this.#manifestBytes === undefined) {
      if (name !== manifestName) throw this.#refused('it does not begin with a manifest');
      this.#manifestBytes = await bytesOf(entry, manifestByteMax, () => this.#tooLarge(name));
      return;
    }
    if (name === signatureName && this.#manifest === undefined && this.#signature === undefined) {
      const bytes = await bytesOf(entry, signatureByteMax, () => this.#tooLarge(name));
      this.#signature = bytes.toString('utf8');
      return;
    }
    if (this.#manifest === undefined) this.#open(this.#manifestBytes);
    const place = this.#missing.get(name);
    if (place === undefined) throw this.#refused(`${shown(name)} is not in its manifest, or twice`);
    if (size !== place.part.byte_count) throw this.#refused(`${name} has another size`);
    await this.#store(entry, place);
    this.#missing.delete(name);
  }

  finish(): UnpackedBundle {
    if (this.#manifestBytes === undefined) throw this.#refused('it is empty');
    const manifest = this.#manifest ?? this.#open(this.#manifestBytes);
    const [missing] = this.#missing.keys();
    if (missing !== undefined) throw this.#refused(`${missing} is missing`);
    const arrivals = [...this.#modelPaths].map(([voice, modelPath]) => arrivalOf(voice, modelPath));
    return { manifest, isVerified: this.#keyFiles.length > 0, arrivals };
  }

  forget(): void {
    for (const path of this.#modelPaths.values()) forgetArrival(path);
  }

  #open(bytes: Buffer): BundleManifest {
    this.#checkSignature(bytes);
    this.#manifest = parseManifest(bytes.toString('utf8'), this.#source);
    for (const voice of this.#manifest.voices) {
      const modelPath = arrivalPath(this.#folder);
      this.#modelPaths.set(voice, modelPath);
      const expect = (part: BundlePart, path: string): void => {
        this.#missing.set(part.name, { part, path });
      };
      expect(voice.model, modelPath);
      expect(voice.config, configPathOf(modelPath));
      if (voice.license_text !== null) expect(voice.license_text, cardPathOf(modelPath));
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

  async #store(entry: Entry, { part, path }: Place): Promise<void> {
    const { sha256 } = await writeFileAtomically(path, entry, { byteCount: part.byte_count });
    if (sha256 !== part.sha256) throw this.#refused(`${part.name} has another SHA-256`);
  }

  #tooLarge(name: string): AppError {
    return this.#refused(`its ${name} is too large`);
  }

  #refused(reason: string): AppError {
    return notBundle(this.#source, reason);
  }
}

function arrivalOf(voice: BundledVoice, modelPath: string): Arrival {
  const { stem, license, source, speakers } = voice;
  const cardPath = cardPathOf(modelPath);
  return {
    ...{ modelPath, stem, facts: { license, source } },
    licenseText: existsSync(cardPath) ? readFileSync(cardPath, 'utf8') : null,
    speakers: new Map(speakers.map(({ speaker, name, gender }) => [speaker, { name, gender }])),
  };
}

async function bytesOf(entry: Entry, byteMax: number, tooLarge: () => AppError): Promise<Buffer> {
  if (entry.header.size > byteMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

/** A tar file that ends early or is none says so in its own words; a file that cannot be read says its errno. */
function readable(error: unknown, source: string): unknown {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^E[A-Z]+$/.test(code)) {
    return new AppError('operation_failed', `${source} cannot be read (${code})`);
  }
  return notBundle(source, 'it is no whole tar file');
}
