import type { Database, Queries } from '../database/open.ts';
import type { Site } from '../database/schema.ts';
import type { Log } from '../log.ts';
import type { Catalog } from '../voices/catalog.ts';
import { allowedVoices } from '../voices/store.ts';
import { deleteAudiosWithSegments, type PostDeletion } from './deletion.ts';
import type { AudioEventHandler } from './events.ts';
import type { AudioQueue } from './queue.ts';
import { extraFlag, insertAudio, mainFlag } from './store.ts';

/** What a site says of voices its listeners may switch to. */
type ExtraVoiceSettings = Pick<Site, 'id' | 'plan' | 'allow_switch' | 'extra_voices'>;

function listExtraVoiceSettings(db: Queries): Promise<ExtraVoiceSettings[]> {
  return selectExtraVoiceSettings(db).orderBy('id').execute();
}

function findExtraVoiceSettings(db: Queries, siteId: number): Promise<ExtraVoiceSettings> {
  return selectExtraVoiceSettings(db).where('id', '=', siteId).executeTakeFirstOrThrow();
}

function selectExtraVoiceSettings(db: Queries) {
  return db.selectFrom('site').select(['id', 'plan', 'allow_switch', 'extra_voices']);
}

/** @returns further voices of a site's posts that it wants no more, and those that failed; at most so many */
async function listStaleExtras(
  db: Queries,
  siteId: number,
  wantedVoiceIds: readonly number[],
  most: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select('audio.id')
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', extraFlag)
    .where((is) => is.or([is('audio.voice_id', 'not in', wantedVoiceIds), is('audio.status', '=', 'failed' as const)]))
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** A main audio that is ready, but not in a further voice. */
interface MissingExtra {
  readonly id: number;
  /** Length of title and content. */
  readonly cost: number;
}

/** @param audioId one of the site's audios; undefined: any */
function listMissingExtras(
  db: Queries,
  siteId: number,
  voice: { readonly id: number; readonly language: string },
  most: number,
  audioId?: number,
): Promise<MissingExtra[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .select((row) => ['audio.id', row.fn<number>('length', ['audio.content']).as('cost')])
    .where('post.site_id', '=', siteId)
    .where('audio.is_main', '=', mainFlag)
    .where('audio.status', '=', 'ready')
    .where('audio.language', '=', voice.language)
    .where('audio.voice_id', '!=', voice.id)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('audio as extra')
            .select('extra.id')
            .whereRef('extra.post_id', '=', 'audio.post_id')
            .where('extra.voice_id', '=', voice.id)
            .where('extra.is_main', '=', extraFlag),
        ),
      ),
    )
    .$if(audioId !== undefined, (all) => all.where('audio.id', '=', audioId ?? 0))
    .limit(most)
    .execute();
}

/** Queues a further voice of a main audio's text. @returns its id */
async function insertExtra(db: Queries, mainId: number, voiceId: number, turn: number): Promise<number> {
  const text = await db
    .selectFrom('audio')
    .select(['post_id', 'language', 'title', 'content', 'request_hash'])
    .where('id', '=', mainId)
    .executeTakeFirstOrThrow();
  const extra = { voice_id: voiceId, is_main: 0, priority: 'low' as const, turn };
  return insertAudio(db, { ...text, ...extra });
}

/** A command changes a site in another process: so often is looked. */
const pollIntervalMs = 2_000;
/** Few at a time, so that no request waits long for the database. */
const deleteBatchSize = 10;
const insertBatchSize = 50;
const batchDelayMs = 20;

export interface ExtraVoicesDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly queue: Pick<AudioQueue, 'nextVirtualTime' | 'notifyChanged'>;
  readonly postDeletion: Pick<PostDeletion, 'afterCommit'>;
  readonly log: Log;
}

/**
 * The further voices of posts, as their sites want them: made from the text of the main audio once that is ready, taken
 * away when they are wanted no more. What is missing follows from the rows, so that nothing is lost by a restart.
 */
export interface ExtraVoices {
  /** Queues the further voices of an audio that becomes ready. */
  readonly onAudioEvent: AudioEventHandler;
  /** Brings all sites to their settings, now and whenever those change; @returns a function that ends it */
  start(): () => Promise<void>;
}

export function createExtraVoices(deps: ExtraVoicesDeps): ExtraVoices {
  const { database, catalog, queue, postDeletion: removal, log } = deps;
  /** What each site wanted when it was brought to it. */
  const settled = new Map<number, string>();
  let stopped = false;

  /** @returns the voices a site wants that can speak now */
  const wantedVoices = async (site: ExtraVoiceSettings) => {
    const ids = getExtraVoiceIds(site);
    return ids.length === 0 ? [] : allowedVoices(await catalog.voices(), site).filter(({ id }) => ids.includes(id));
  };
  const add = async (siteId: number, voice: { id: number; language: string }, audioId?: number): Promise<number> => {
    const added = await database.write(async (db) => {
      const lacking = await listMissingExtras(db, siteId, voice, insertBatchSize, audioId);
      const ids: number[] = [];
      for (const { id, cost } of lacking) {
        ids.push(await insertExtra(db, id, voice.id, queue.nextVirtualTime(siteId, 'further', cost)));
      }
      return ids;
    });
    for (const id of added) await queue.notifyChanged(id);
    return added.length;
  };
  const removeUnwanted = async (site: ExtraVoiceSettings): Promise<number> => {
    const removed = await database.write(async (db) => {
      const ids = await listStaleExtras(db, site.id, getExtraVoiceIds(site), deleteBatchSize);
      return deleteAudiosWithSegments(db, site.id, ids);
    });
    await removal.afterCommit(removed);
    return removed.audioIds.length;
  };
  const settle = async (site: ExtraVoiceSettings): Promise<void> => {
    while (!stopped && (await removeUnwanted(site)) > 0) await Bun.sleep(batchDelayMs);
    for (const voice of await wantedVoices(site)) {
      while (!stopped && (await add(site.id, voice)) > 0) await Bun.sleep(batchDelayMs);
    }
  };
  const look = async (): Promise<void> => {
    for (const site of await listExtraVoiceSettings(database.read)) {
      if (stopped) return;
      const speaking = (await wantedVoices(site)).map(({ id }) => id);
      const wanted = JSON.stringify([getExtraVoiceIds(site), speaking]);
      if (settled.get(site.id) === wanted) continue;
      await settle(site);
      settled.set(site.id, wanted);
    }
  };
  const addFor = async (siteId: number, audioId: number): Promise<void> => {
    const site = await findExtraVoiceSettings(database.read, siteId);
    for (const voice of await wantedVoices(site)) await add(siteId, voice, audioId);
  };

  return {
    onAudioEvent: async (_db, { type, siteId, audioId }) => {
      if (type !== 'audio.ready' || stopped) return;
      // Not awaited: it writes after this transaction, as there is one writer at a time, and finds nothing if that fails.
      addFor(siteId, audioId).catch((error: unknown) => {
        settled.delete(siteId);
        if (!stopped) log.warn({ err: error, audio: audioId }, 'queueing extra voices failed');
      });
    },
    start: () => {
      let lookedAt: number | undefined;
      let looking = Promise.resolve();
      let busy = false;
      const lookAgain = (): void => {
        const version = database.dataVersion();
        if (busy || stopped || (version === lookedAt && settled.size > 0)) return;
        lookedAt = version;
        busy = true;
        looking = look()
          .catch((error: unknown) => {
            lookedAt = undefined;
            log.warn({ err: error }, 'updating extra voices failed');
          })
          .finally(() => {
            busy = false;
          });
      };
      lookAgain();
      const timer = setInterval(lookAgain, pollIntervalMs);
      return async () => {
        stopped = true;
        clearInterval(timer);
        await looking;
      };
    },
  };
}

function getExtraVoiceIds(site: ExtraVoiceSettings): number[] {
  return site.allow_switch === 1 ? (JSON.parse(site.extra_voices) as number[]) : [];
}
