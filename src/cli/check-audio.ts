import { join } from 'node:path';
import { audiosOfPost, nextReady } from '../audio/certificate/store.ts';
import { type Verified, verifyAudio } from '../audio/certificate/verify.ts';
import type { Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { findSite } from '../sites/store.ts';
import { type CommonOptions, withDatabase } from './commands.ts';
import type { Finding } from './finding.ts';

const audiosPerRead = 100;

/** Which audios are to be held against their certificates. */
export interface AudioChoice {
  readonly audio?: string;
  readonly post?: string;
  readonly site?: string;
  readonly audios?: boolean;
}

/** @returns whether audios were asked for at all */
export function choosesAudio({ audio, post, site, audios }: AudioChoice): boolean {
  return audio !== undefined || post !== undefined || site !== undefined || audios === true;
}

/**
 * One finding for each thing that is wrong with an audio, or one that nothing is; of all audios only the former, and a sum.
 * @throws AppError `bad_usage`, `not_found`, `post_not_found`
 */
export function checkAudios(options: CommonOptions & AudioChoice): Promise<Finding[]> {
  return withDatabase(options, async ({ read }, config) => {
    const mediaFolder = join(config.data, 'media');
    if (options.audios === true) return checkAll(read, mediaFolder);
    const findings: Finding[] = [];
    for (const id of await chosen(read, options)) {
      findings.push(...findingsOf(id, await verifyAudio(read, mediaFolder, id)));
    }
    return findings;
  });
}

async function chosen(db: Queries, { audio, post, site }: AudioChoice): Promise<number[]> {
  if (audio !== undefined) {
    if (!/^[1-9]\d{0,14}$/.test(audio)) throw new AppError('bad_usage', '--audio takes an id');
    return [Number(audio)];
  }
  if (post === undefined || site === undefined) {
    throw new AppError('bad_usage', 'A post is named by --post and --site');
  }
  const { id } = await findSite(db, site);
  const ids = await audiosOfPost(db, id, post);
  if (ids.length === 0) throw new AppError('post_not_found', `${site} has no post ${post}`);
  return ids;
}

async function checkAll(db: Queries, mediaFolder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  let [count, last] = [0, 0];
  // Ends: each turn goes on behind a later audio.
  for (;;) {
    const ids = await nextReady(db, last, audiosPerRead);
    for (const id of ids) {
      const verified = await verifyAudio(db, mediaFolder, id);
      findings.push(...findingsOf(id, verified).filter(({ ok }) => !ok));
    }
    count += ids.length;
    last = ids.at(-1) ?? last;
    if (ids.length < audiosPerRead) break;
  }
  if (findings.length > 0) return findings;
  return [{ part: 'audio', ok: true, detail: `all ${count} are what their certificates say` }];
}

function findingsOf(id: number, verified: Verified | undefined): Finding[] {
  const bad = (detail: string) => ({ part: 'audio', ok: false, detail: `${id}: ${detail}` });
  if (verified === undefined) return [bad('is unknown, or has not been ready yet')];
  const { certificate, sha256, problems } = verified;
  if (certificate === undefined || problems.length > 0) return problems.map(bad);
  const { post_id, language, segments, sound, coverage } = certificate;
  const seconds = (sound.duration_ms / 1000).toFixed(1);
  const detail = `${id}: ${post_id} (${language}), ${seconds} s, all ${coverage.spoken_characters} characters in ${segments.length} segments, certificate ${sha256}`;
  return [{ part: 'audio', ok: true, detail }];
}
