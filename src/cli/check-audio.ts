import { join } from 'node:path';
import { type VerificationResult, verifyAudio } from '../audio/certificate/certificate.ts';
import { listPostAudioIds, listReadyAudioIds } from '../audio/certificate/store.ts';
import { openBucket } from '../audio/media/bucket.ts';
import { Sound } from '../audio/media/sound.ts';
import type { Queries } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, withExistingDatabase } from './command.ts';

/** The result of checking one part of the installation. */
export interface CheckResult {
  readonly part: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Options of `lectern check` that name audio. */
export interface AudioSelection extends CommonOptions {
  readonly audio?: string;
  readonly post?: string;
  readonly site?: string;
  readonly audios?: boolean;
}

const audioPerBatch = 100;

/**
 * @returns one finding per error of an audio, or one if it is intact; for all audio only the errors, or one total
 * @throws AppError `bad_usage`, `not_found`, `post_not_found`
 */
export function verifySelectedAudio(options: AudioSelection): Promise<CheckResult[]> {
  return withExistingDatabase(options, async ({ read }, config) => {
    const mediaFolder = join(config.data, 'media');
    const sound = new Sound(read, openBucket(config));
    if (options.audios === true) return verifyAllAudio(read, sound, mediaFolder);
    const findings: CheckResult[] = [];
    for (const id of await findSelectedAudioIds(read, options)) {
      findings.push(...toCheckResults(id, await verifyAudio(read, sound, mediaFolder, id)));
    }
    return findings;
  });
}

async function findSelectedAudioIds(db: Queries, { audio, post, site }: AudioSelection): Promise<number[]> {
  if (audio !== undefined) {
    if (!/^[1-9]\d{0,14}$/.test(audio)) throw new AppError('bad_usage', '--audio expects an audio id');
    return [Number(audio)];
  }
  if (post === undefined || site === undefined) {
    throw new AppError('bad_usage', '--post and --site are required together');
  }
  const { id } = await findSite(db, site);
  const ids = await listPostAudioIds(db, id, post);
  if (ids.length === 0) throw new AppError('post_not_found', `Post ${post} not found in site ${site}`);
  return ids;
}

async function verifyAllAudio(db: Queries, sound: Sound, mediaFolder: string): Promise<CheckResult[]> {
  const findings: CheckResult[] = [];
  let [count, last] = [0, 0];
  // Ends: each batch starts after the last audio of the one before.
  for (;;) {
    const ids = await listReadyAudioIds(db, last, audioPerBatch);
    for (const id of ids) {
      const verified = await verifyAudio(db, sound, mediaFolder, id);
      // A server has deleted it since.
      if (verified === undefined) continue;
      findings.push(...toCheckResults(id, verified).filter(({ ok }) => !ok));
      count += 1;
    }
    last = ids.at(-1) ?? last;
    if (ids.length < audioPerBatch) break;
  }
  if (findings.length > 0) return findings;
  return [{ part: 'audio', ok: true, detail: `${count} audio files match their certificates` }];
}

function toCheckResults(id: number, verified: VerificationResult | undefined): CheckResult[] {
  const bad = (detail: string) => ({ part: 'audio', ok: false, detail: `${id}: ${detail}` });
  if (verified === undefined) return [bad('not found or no finished audio yet')];
  const { certificate, sha256, problems } = verified;
  if (certificate === undefined || problems.length > 0) return problems.map(bad);
  const { post_id, language, segments, sound, coverage } = certificate;
  const seconds = (sound.duration_ms / 1000).toFixed(1);
  const detail = `${id}: ${post_id} (${language}), ${seconds} s, all ${coverage.spoken_characters} characters in ${segments.length} segments, certificate ${sha256}`;
  return [{ part: 'audio', ok: true, detail }];
}
