import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { addRegenerateResults, emptyRegenerateResult, regenerateAudios } from '../audio/regenerate.ts';
import { RegeneratedAudios } from '../audio/schema.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Site } from '../database/schema.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import { parseId } from '../http/validation.ts';
import type { Services } from '../services.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type AffectedSearch, enqueueSearch, findAffectedAudio, findNewestChange } from './affected-posts.ts';
import { type Owner, type PronunciationScope, parseEntry, toAuditSite, toOwner } from './entry.ts';
import { buildScopeSpecs } from './routes.ts';
import { AffectedPosts, exampleEntry, WordBody } from './schema.ts';
import { createPhonemeValidator, findEntryByKey, findPronunciation, toRow, validatePhonemes } from './store.ts';

/** Searches read every text of a site, or of all. */
const idleTimeoutS = 240;
const previewTimeoutMs = 20_000;
const regenerateTimeoutMs = 120_000;
const maxShownPosts = 10;
const maxSentenceUnits = 300;

const exampleRegenerated = { audios: 12, posts: 11, voiceless: 0, complete: true };
const regenerateDescription =
  'Only affected sentences are regenerated, after new posts in the queue; the existing MP3 is served until then. Quotas are not charged. Pending posts use the new pronunciation anyway. At most half of the queue is filled.';

function buildSpecs(scope: PronunciationScope) {
  const { whose, whoMay, changeList, changeEntry, changeErrors } = buildScopeSpecs(scope);
  const queued = reply(202, 'Audio generation queued', 'Queued', RegeneratedAudios, { example: exampleRegenerated });
  return {
    preview: endpointSpec({
      ...changeList,
      idleTimeoutS,
      summary: `Preview the posts affected by a word in ${whose}`,
      description: `${whoMay} Counts ready and queued posts that contain the word, also for an existing entry. Nothing is stored.`,
      body: WordBody,
      bodyExample: { word: exampleEntry.word, language: 'en' },
      responses: reply(200, 'OK', 'Affected posts', AffectedPosts, {
        example: {
          ...{ posts: 1, audios: 1, outdated: 1, complete: true },
          first: [
            {
              ...{ site_id: 1, post_id: 'news/4711', language: 'en', outdated: true },
              sentence: 'Siobhan went down to the harbor this morning.',
            },
          ],
        },
      }),
      errors: [...changeErrors, 'busy'],
    }),
    regenerateAll: endpointSpec({
      ...changeList,
      idleTimeoutS,
      requiresSubscription: true,
      summary: `Regenerate all audio affected by changes of ${whose}`,
      description: `${whoMay} Regenerates every audio whose words have entries added or changed since it was generated. Deleted entries are not found: regenerate the posts or the site. ${regenerateDescription}`,
      responses: queued,
      errors: [...changeErrors, 'busy'],
    }),
    regenerate: endpointSpec({
      ...changeEntry,
      idleTimeoutS,
      requiresSubscription: true,
      summary: `Regenerate audio affected by an entry of ${whose}`,
      description: `${whoMay} Regenerates every audio that contains the word and is older than the last change of the entry. ${regenerateDescription}`,
      responses: queued,
      errors: ['not_found', 'not_allowed', 'busy'],
    }),
  };
}

/** The audio that an entry affects: to count it, and to regenerate it. */
export function affectedRoutes<Prefix extends string>(services: Services, scope: PronunciationScope<Prefix>) {
  const { endpoint, database } = services;
  const specs = buildSpecs(scope);
  return new Elysia({ name: `${scope.name} affected audio`, prefix: scope.prefix })
    .post(
      '/preview',
      ...endpoint(specs.preview, async ({ request, site = null, body }) => {
        const search = await buildPreviewSearch(services, site, body);
        const { signal } = request;
        const count = (workers: Pick<WorkerPool, 'call'>) => countAffected(services, search, workers, signal);
        return searchAffected(services, search.owner, count, signal);
      }),
    )
    .post(
      '/remake',
      ...endpoint(specs.regenerateAll, async ({ user, site = null }) => {
        const action = { userId: user.id, action: 'pronunciations.remade', ...toAuditSite(site) };
        await database.write(site?.id ?? 'server', (db) => insertAuditEntry(db, action));
        const owner = toOwner(site);
        return searchAffected(services, owner, async (workers) => {
          const changedAt = await findNewestChange(database.read, owner);
          const search = { owner, language: '', onlyOutdated: true, changedAt, matches: () => true };
          return regenerateAffected(services, search, workers);
        });
      }),
    )
    .post(
      '/:pronunciation/remake',
      ...endpoint(specs.regenerate, async ({ user, site = null, params }) => {
        const id = parseId(params.pronunciation, 'Pronunciation');
        const entry = await findPronunciation(database.read, toOwner(site), id);
        const action = { userId: user.id, action: 'pronunciation.remade', ...toAuditSite(site), subject: entry.word };
        await database.write(site?.id ?? 'server', (db) => insertAuditEntry(db, action));
        const search: AffectedSearch = {
          ...{ owner: toOwner(site), language: entry.language, onlyOutdated: true },
          changedAt: entry.updated_at,
          matches: (candidate) => candidate.id === id,
        };
        return searchAffected(services, search.owner, (workers) => regenerateAffected(services, search, workers));
      }),
    );
}

/** @throws AppError `validation_failed` */
async function buildPreviewSearch(
  { database, catalog }: Pick<Services, 'database' | 'catalog'>,
  site: Site | null,
  body: Static<typeof WordBody>,
): Promise<AffectedSearch> {
  const entry = parseEntry({ language: '', match_case: false, alias: body.word, ...body });
  if (body.alias !== undefined) {
    validatePhonemes(createPhonemeValidator(await catalog.voices(), site), entry);
  }
  const owner = toOwner(site);
  const values = toRow(entry);
  const existing = await findEntryByKey(database.read, owner, values);
  const isKnown = existing?.alias === entry.alias || body.alias === undefined;
  const changedAt = existing !== undefined && isKnown ? existing.updated_at : timestamp();
  const replacement = { ...values, id: existing?.id ?? 0, site_id: owner, updated_at: changedAt };
  return {
    ...{ owner, language: entry.language, replacement, onlyOutdated: false, changedAt },
    matches: ({ id }) => id === replacement.id,
  };
}

/** Reading articles takes worker time of the site. */
function searchAffected<T>(
  { synthesisPool }: Services,
  owner: Owner,
  search: (workers: Pick<WorkerPool, 'call'>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return enqueueSearch(owner, () => {
    const slot = synthesisPool.acquire(owner, signal);
    return search(slot).finally(() => slot.release());
  });
}

async function countAffected(
  { database }: Services,
  search: AffectedSearch,
  workers: Pick<WorkerPool, 'call'>,
  signal: AbortSignal,
): Promise<AffectedPosts> {
  const affected: AffectedPosts = { posts: 0, audios: 0, outdated: 0, complete: true, first: [] };
  const deadline = performance.now() + previewTimeoutMs;
  for await (const audios of findAffectedAudio(database.read, workers, search, signal)) {
    affected.posts += new Set(audios.map(({ post_id }) => post_id)).size;
    affected.audios += audios.length;
    affected.outdated += audios.filter(({ isOutdated }) => isOutdated).length;
    for (const audio of audios.slice(0, maxShownPosts - affected.first.length)) {
      affected.first.push({
        ...{ site_id: audio.site_id, post_id: audio.external_id, language: audio.language },
        ...{ outdated: audio.isOutdated },
        sentence: audio.sentence.slice(0, maxSentenceUnits).toWellFormed(),
      });
    }
    if (performance.now() > deadline) return { ...affected, complete: false };
  }
  return affected;
}

async function regenerateAffected(
  services: Services,
  search: AffectedSearch,
  workers: Pick<WorkerPool, 'call'>,
): Promise<RegeneratedAudios> {
  let result = emptyRegenerateResult;
  const deadline = performance.now() + regenerateTimeoutMs;
  for await (const audios of findAffectedAudio(services.database.read, workers, search)) {
    const outdated = audios.filter(({ isOutdated }) => isOutdated);
    for (const [siteId, siteAudios] of Map.groupBy(outdated, ({ site_id }) => site_id)) {
      const ids = siteAudios.map(({ id }) => id);
      result = addRegenerateResults(result, await regenerateAudios(services, siteId, ids));
    }
    if (performance.now() > deadline) return { ...result, complete: false };
    // A site that has filled its share of the queue does not keep others from theirs.
    if (!result.complete && search.owner !== null) return result;
  }
  return result;
}
