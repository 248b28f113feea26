import { daysAgo, hourMs } from '../clock.ts';
import { afterCommit, type Queries } from '../database/database.ts';
import { createWriteWatcher } from '../database/query-cache.ts';
import type { Site } from '../database/schema.ts';
import type { InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices } from '../voices/store.ts';
import type { AudioServices, VersionOfAudio } from './deletion.ts';
import type { AudioEventHandler } from './events.ts';
import { extraFlag, insertAudio, mainFlag } from './store.ts';

/** A ready audio in a voice that it has replaced counts as its own. */
type ExtraVoice = Pick<InstalledVoice, 'id' | 'formerIds' | 'language'>;
type ExtraVoiceSettings = Pick<Site, 'id' | 'plan' | 'allow_switch' | 'extra_voices'>;

function selectExtraVoiceSettings(db: Queries) {
  return db.selectFrom('site').select(['id', 'plan', 'allow_switch', 'extra_voices']);
}

/** @returns extra voices of a site that it no longer wants, and failed ones */
async function listStaleExtras(
  db: Queries,
  siteId: number,
  wantedVoiceIds: readonly number[],
  replacedVoiceIds: readonly number[],
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.id')
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', extraFlag)
    .where((is) =>
      is.or([
        is('audio.voice_id', 'not in', [...wantedVoiceIds, ...replacedVoiceIds]),
        is('audio.status', '=', 'failed' as const),
        // Ready ones stay: they were generated while their voice was there.
        is.and([is('audio.voice_id', 'in', replacedVoiceIds), is('audio.status', '!=', 'ready' as const)]),
      ]),
    )
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * @param audioId only this audio of the site; undefined: all
 * @returns ready main audios without an extra voice, with the length of their text as cost
 */
function listMissingExtras(db: Queries, siteId: number, voice: ExtraVoice, limit: number, audioId?: number) {
  const voiceIds = [voice.id, ...voice.formerIds];
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select((row) => ['audio.id', row.fn<number>('length', ['audio.content']).as('cost')])
    .where('post.site_id', '=', siteId)
    .where('site.deleted_at', 'is', null)
    .where('audio.is_main', '=', mainFlag)
    .where('audio.status', '=', 'ready')
    .where('audio.language', '=', voice.language)
    .where('audio.voice_id', 'not in', voiceIds)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('audio as extra')
            .select('extra.id')
            .whereRef('extra.post_id', '=', 'audio.post_id')
            .where('extra.voice_id', 'in', voiceIds)
            .where('extra.is_main', '=', extraFlag),
        ),
      ),
    )
    .$if(audioId !== undefined, (all) => all.where('audio.id', '=', audioId ?? 0))
    .limit(limit)
    .execute();
}

/** Queues an extra voice of a main audio. @returns its id */
async function insertExtra(db: Queries, mainId: number, voiceId: number, virtualTime: number): Promise<number> {
  const text = await db
    .selectFrom('audio')
    .select(['post_id', 'language', 'title', 'content', 'content_type', 'request_hash'])
    .where('id', '=', mainId)
    .executeTakeFirstOrThrow();
  const extra = { voice_id: voiceId, is_main: 0, priority: 'low' as const, virtual_time: virtualTime };
  return insertAudio(db, { ...text, ...extra });
}

/** A command changes a site in another process. */
const pollIntervalMs = 2_000;
/** Few at a time, so that no request waits long for the database. */
const deleteBatchSize = 10;
const insertBatchSize = 50;

/**
 * The extra voices of posts, as their sites want them: generated from the text of the main audio once that is ready,
 * deleted when they are no longer wanted. The rows show what is missing, so that a restart loses nothing.
 */
export class ExtraVoices {
  readonly #services: AudioServices;
  /** The settings that each site was updated to. */
  readonly #applied = new Map<number, string>();

  constructor(services: AudioServices) {
    this.#services = services;
  }

  /** Queues the extra voices of an audio that becomes ready. */
  readonly onAudioEvent: AudioEventHandler = async (db, { type, siteId, audioId }) => {
    const { diskSpace, jobs, log } = this.#services;
    if (type !== 'audio.ready' || jobs.isStopping) return;
    const add = async (): Promise<void> => {
      // The site is updated again when there is room.
      if (!diskSpace.hasRoom('posts')) {
        this.#applied.delete(siteId);
        return;
      }
      const site = await selectExtraVoiceSettings(this.#services.database.read)
        .where('id', '=', siteId)
        .executeTakeFirstOrThrow();
      for (const voice of await this.#wantedVoices(site)) await this.#addMissing(siteId, voice, audioId);
    };
    afterCommit(db, () => {
      add().catch((error: unknown) => {
        this.#applied.delete(siteId);
        if (!jobs.isStopping) log.warn({ err: error, audio: audioId }, 'queueing extra voices failed');
      });
    });
  };

  /** Updates all sites, now and after each change of the database. */
  start(): void {
    const { database, jobs } = this.#services;
    const schedule = { intervalMs: pollIntervalMs, isDue: createWriteWatcher(database) };
    jobs.every('updating extra voices', schedule, () => this.#applyAll());
  }

  async #applyAll(): Promise<void> {
    const { database, diskSpace, jobs } = this.#services;
    if (!diskSpace.hasRoom('posts')) return;
    const sites = selectExtraVoiceSettings(database.read).where('deleted_at', 'is', null);
    for (const site of await sites.orderBy('id').execute()) {
      if (jobs.isStopping) return;
      const voices = await this.#wantedVoices(site);
      const wanted = JSON.stringify([getExtraVoiceIds(site), voices.map(({ id }) => id)]);
      if (this.#applied.get(site.id) === wanted) continue;
      const replacedIds = voices.flatMap(({ formerIds }) => formerIds);
      await jobs.repeat(() => this.#removeStale(site, replacedIds));
      for (const voice of voices) await jobs.repeat(() => this.#addMissing(site.id, voice));
      if (!jobs.isStopping) this.#applied.set(site.id, wanted);
    }
  }

  /** @returns the extra voices of a site that are usable now */
  async #wantedVoices(site: ExtraVoiceSettings) {
    const ids = getExtraVoiceIds(site);
    if (ids.length === 0) return [];
    return allowedVoices(await this.#services.catalog.voices(), site).filter(({ id }) => ids.includes(id));
  }

  /** @returns whether there may be more */
  async #addMissing(siteId: number, voice: ExtraVoice, audioId?: number): Promise<boolean> {
    const { database, queue } = this.#services;
    return database.write(siteId, async (db) => {
      const missing = await listMissingExtras(db, siteId, voice, insertBatchSize, audioId);
      for (const { id, cost } of missing) {
        const virtualTime = queue.nextVirtualTime(siteId, 'further', cost);
        queue.notifyChanged(db, await insertExtra(db, id, voice.id, virtualTime));
      }
      return missing.length === insertBatchSize;
    });
  }

  /** @returns whether there may be more */
  async #removeStale(site: ExtraVoiceSettings, replacedIds: readonly number[]): Promise<boolean> {
    const { database, postDeletion } = this.#services;
    return database.write(site.id, async (db) => {
      const ids = await listStaleExtras(db, site.id, getExtraVoiceIds(site), replacedIds, deleteBatchSize);
      await postDeletion.deleteAudiosWithSegments(db, site.id, ids);
      return ids.length === deleteBatchSize;
    });
  }
}

function getExtraVoiceIds(site: ExtraVoiceSettings): number[] {
  return site.allow_switch === 1 ? (JSON.parse(site.extra_voices) as number[]) : [];
}

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
const settingsPollIntervalMs = 5_000;
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
    jobs.every('removing old audio', { intervalMs: settingsPollIntervalMs, isDue }, async () => {
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
