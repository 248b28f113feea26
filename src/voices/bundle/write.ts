import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../errors.ts';
import { writeFileAtomically } from '../../files.ts';
import { tarOf } from '../../tar.ts';
import { version } from '../../version.ts';
import type { InstalledVoice } from '../catalog.ts';
import {
  type BundledVoice,
  type BundleManifest,
  type BundlePart,
  manifestName,
  partNames,
  signatureName,
} from './manifest.ts';
import { signBytes } from './signature.ts';

/** A model with all its speakers. */
export interface BundledModel {
  /** At least one; the first speaker first. */
  readonly speakers: readonly InstalledVoice[];
  /** Model card or licence; null: none came with it. */
  readonly licenseText: string | null;
}

/** What goes into the tar file, under its name. */
type Content = { readonly path: string } | { readonly text: string };

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
  const contents = new Map<BundlePart, Content>();
  const voices: BundledVoice[] = [];
  for (const model of models) voices.push(await describe(model, contents));
  const created_at = new Date().toISOString();
  const manifest: BundleManifest = { format: 1, lectern: version, created_at, voices };
  const manifestBytes = Buffer.from(JSON.stringify(manifest, null, 2));
  const signature = signingKey === undefined ? undefined : signBytes(manifestBytes, signingKey);
  const archive = tarOf(async (tar) => {
    tar.entry({ name: manifestName }, manifestBytes);
    if (signature !== undefined) tar.entry({ name: signatureName }, `${signature}\n`);
    for (const [{ name, byte_count: size }, content] of contents) {
      if ('text' in content) tar.entry({ name }, content.text);
      else await pipeline(createReadStream(content.path), tar.entry({ name, size }));
    }
  });
  await writeFileAtomically(target, archive, { mustBeNew: true });
  return manifest;
}

async function describe(
  { speakers, licenseText }: BundledModel,
  contents: Map<BundlePart, Content>,
): Promise<BundledVoice> {
  const [first] = speakers;
  if (first === undefined) throw new AppError('operation_failed', 'A model without a speaker');
  const { stem, files, license, source } = first;
  const names = partNames(stem);
  const config = { name: names.config, ...summed(readFileSync(files.configPath)) };
  const model = { name: names.model, ...(await sumOfFile(files.modelPath)) };
  const text =
    licenseText === null ? null : { name: names.license_text, ...summed(Buffer.from(licenseText)) };
  contents.set(config, { path: files.configPath });
  if (text !== null) contents.set(text, { text: licenseText ?? '' });
  contents.set(model, { path: files.modelPath });
  return {
    ...{ stem, license, source },
    speakers: speakers.map(({ speaker, name, gender }) => ({ speaker, name, gender })),
    ...{ model, config, license_text: text },
  };
}

function summed(bytes: Uint8Array): Omit<BundlePart, 'name'> {
  return {
    byte_count: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

async function sumOfFile(path: string): Promise<Omit<BundlePart, 'name'>> {
  const hash = createHash('sha256');
  let byteCount = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    byteCount += chunk.byteLength;
  }
  return { byte_count: byteCount, sha256: hash.digest('hex') };
}
