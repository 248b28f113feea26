import { daysAgo, hourMs } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import type { Site } from '../database/schema.ts';
import type { AudioServices } from './audio-services.ts';
import type { VersionOfAudio } from './deletion.ts';

type RetentionSettings = Pick<Site, 'id' | 'audio_retention_days' | 'audio_retention_mb'>;

/** The ready main audio of a post in a language. */
interface RetainedAudio extends VersionOfAudio {
  readonly readyAt: string;
  /** With its extra voices. */
  readonly byteCount: number;
}

/** Place in the list of ready audios. */
interface Position {
  readonly postRowId: number;
  readonly audioId: number;
}

function listRetentionSettings(db: Queries): Promise<RetentionSettings[]> {
  return db
    .selectFrom('site')
    .select(['id', 'audio_retention_days', 'audio_retention_mb'])
    .where('deleted_at', 'is', null)
    .where((site) => site.or([site('audio_retention_days', '>', 0), site('audio_retention_mb', '>', 0)]))
    .execute();
}

/** @returns the ready audios of a site after a position, extra voices included */
function listReadyAudios(db: Queries, siteId: number, { postRowId, audioId }: Position, limit: number) {
  return db
    .selectFrom('post')
    .innerJoin('audio', 'audio.post_id', 'post.id')
    .innerJoin('version', 'version.id', 'audio.version_id')
    .select(['post.id as postRowId', 'audio.id as audioId', 'audio.language', 'audio.is_main'])
    .select(['version.id as versionId', 'version.ready_at', 'version.byte_count'])
    .where('post.site_id', '=', siteId)
    .where('post.id', '>=', postRowId)
    .where((row) => row.or([row('post.id', '>', postRowId), row('audio.id', '>', audioId)]))
    .where('audio.status', '=', 'ready')
    .orderBy('post.id')
    .orderBy('audio.id')
    .limit(limit)
    .execute();
}

/** Changed settings apply soon. */
const pollIntervalMs = 5_000;
/** Otherwise the age of audio is checked so often. */
const passIntervalMs = hourMs;
const megabyte = 1024 * 1024;
const listBatchSize = 250;
/** Few at a time, so that no request waits long for the database. */
const removeBatchSize = 10;

/** Removes the MP3s of posts that are older or larger than the settings of their site allow, the oldest first. */
export class AudioRetention {
  /** MP3s removed since the start, for the metrics. */
  removedCount = 0;
  readonly #services: AudioServices;
  /** When each site was checked, with which settings. */
  readonly #checks = new Map<number, { readonly settings: string; readonly atMs: number }>();

  constructor(services: AudioServices) {
    this.#services = services;
  }

  /** Checks all sites, now, after each change of their settings, and every hour. */
  start(): void {
    const { database, jobs } = this.#services;
    const hasChanged = createWriteWatcher(database);
    let nextPassMs = 0;
    const isDue = (): boolean => hasChanged() || performance.now() >= nextPassMs;
    jobs.every('removing old audio', { intervalMs: pollIntervalMs, isDue }, async () => {
      const nowMs = performance.now();
      if (nowMs >= nextPassMs) nextPassMs = nowMs + passIntervalMs;
      for (const settings of await listRetentionSettings(database.read)) await this.#checkIfDue(settings, nowMs);
    });
  }

  async #checkIfDue(site: RetentionSettings, nowMs: number): Promise<void> {
    const { database, jobs, log } = this.#services;
    const settings = JSON.stringify(site);
    const last = this.#checks.get(site.id);
    if (last?.settings === settings && nowMs - last.atMs < passIntervalMs) return;
    const excess = selectExcess(await this.#listRetained(site.id), site);
    const removedBefore = this.removedCount;
    await jobs.repeat(() => this.#removeSome(site, excess));
    if (jobs.isStopping) return;
    this.#checks.set(site.id, { settings, atMs: nowMs });
    const removed = this.removedCount - removedBefore;
    if (removed === 0) return;
    log.info({ site: site.id, removed }, 'old audio removed');
    await jobs.repeat(() => database.releaseFreeSpace());
  }

  async #listRetained(siteId: number): Promise<RetainedAudio[]> {
    const { database, jobs } = this.#services;
    const byText = new Map<string, { main?: VersionOfAudio; readyAt: string; byteCount: number }>();
    let position: Position = { postRowId: 0, audioId: 0 };
    await jobs.repeat(async () => {
      const rows = await listReadyAudios(database.read, siteId, position, listBatchSize);
      for (const { postRowId, audioId, versionId, language, is_main, ready_at, byte_count } of rows) {
        const text = byText.getOrInsertComputed(`${postRowId} ${language}`, () => ({ readyAt: '', byteCount: 0 }));
        text.byteCount += byte_count ?? 0;
        if (is_main === 1) Object.assign(text, { main: { audioId, versionId }, readyAt: ready_at ?? '' });
        position = { postRowId, audioId };
      }
      return rows.length === listBatchSize;
    });
    return [...byText.values()].flatMap(({ main, ...audio }) => (main === undefined ? [] : [{ ...main, ...audio }]));
  }

  /** @param excess the next ones are taken out of it. @returns whether there are more */
  async #removeSome({ id }: RetentionSettings, excess: ExcessAudio[]): Promise<boolean> {
    const { database, postDeletion } = this.#services;
    const batch = excess.splice(0, removeBatchSize);
    if (batch.length === 0) return false;
    this.removedCount += await database.write(id, async (db) => {
      let count = 0;
      for (const [reason, audios] of Map.groupBy(batch, (audio) => audio.reason)) {
        count += await postDeletion.removeMp3s(db, id, audios, reason);
      }
      return count;
    });
    return excess.length > 0;
  }
}

interface ExcessAudio extends RetainedAudio {
  /** For the users of the site. */
  readonly reason: string;
}

/** @returns what a site keeps no longer, the oldest first */
function selectExcess(
  audios: readonly RetainedAudio[],
  { audio_retention_days: maxDays, audio_retention_mb: maxMb }: RetentionSettings,
): ExcessAudio[] {
  const maxBytes = maxMb === 0 ? Number.POSITIVE_INFINITY : maxMb * megabyte;
  const keptSince = maxDays === 0 ? '' : daysAgo(maxDays);
  let byteCount = audios.reduce((sum, audio) => sum + audio.byteCount, 0);
  const excess: ExcessAudio[] = [];
  for (const audio of audios.toSorted((a, b) => (a.readyAt < b.readyAt ? -1 : 1))) {
    const isOld = audio.readyAt < keptSince;
    if (!isOld && byteCount <= maxBytes) break;
    byteCount -= audio.byteCount;
    const limit = isOld ? `audio for ${maxDays} days` : `the newest ${maxMb} MB of audio`;
    excess.push({ ...audio, reason: `Audio removed: the site keeps ${limit}. Generate it again to restore it` });
  }
  return excess;
}
