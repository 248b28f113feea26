import { Elysia } from 'elysia';
import {
  addRegenerateResults,
  emptyRegenerateResult,
  type RegenerateDeps,
  type RegenerateResult,
  regenerateAudios,
} from '../audio/regenerate.ts';
import { RegeneratedAudios } from '../audio/schema.ts';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Site } from '../database/schema.ts';
import { envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { requestContext } from '../http/request-context.ts';
import { parseId, validate } from '../http/validation.ts';
import {
  type AffectedDeps,
  type AffectedSearch,
  enqueueSearch,
  findAffectedAudio,
  findNewestChange,
} from './affected-posts.ts';
import { type PronunciationScope, parseEntry, toAuditSite, toOwner } from './entry.ts';
import type { PronunciationDeps } from './routes.ts';
import { buildScopeTexts, exampleEntry } from './routes.ts';
import { AffectedPosts, WordBody } from './schema.ts';
import { findEntryByKey, findPronunciation, pronunciationNotFound, toRow } from './store.ts';
import { createPhonemeValidator, validatePhonemes } from './voices.ts';

const maxBodyBytes = 10_000;
const maxIdleSeconds = 240;
const previewTimeoutMs = 20_000;
const regenerateTimeoutMs = 120_000;
const maxShownPosts = 10;
const maxSentenceUnits = 300;

export interface AffectedRoutesDeps extends PronunciationDeps, RegenerateDeps, AffectedDeps {
  readonly catalog: PronunciationDeps['catalog'];
  /** @throws AppError `not_allowed` when nothing may be made for a site just now */
  readonly requireActiveSubscription: (site: Site) => void;
}

const exampleRegenerated = { audios: 12, posts: 11, voiceless: 0, complete: true };
const regenerateDescription =
  'Only affected sentences are regenerated, after new posts in the queue; the existing MP3 is served until then. Quotas are not charged. Pending posts use the new pronunciation anyway. At most half of the queue is filled.';

function buildEndpoints(level: PronunciationScope) {
  const { whose, whoMay, lexicon, entry, changing } = buildScopeTexts(level);
  const remade = {
    description: 'Queued',
    message: 'Audio generation queued',
    data: RegeneratedAudios,
    example: exampleRegenerated,
  };
  return {
    preview: toEndpointHook({
      ...lexicon,
      summary: `Preview the posts affected by a word in ${whose}`,
      description: `${whoMay} Counts ready and queued posts that contain the word, also for an existing entry. Nothing is stored.`,
      body: WordBody,
      bodyExample: { word: exampleEntry.word, language: 'en' },
      responses: {
        200: {
          description: 'Affected posts',
          message: 'OK',
          data: AffectedPosts,
          example: {
            ...{ posts: 1, audios: 1, outdated: 1, complete: true },
            first: [
              {
                ...{ site_id: 1, post_id: 'news/4711', language: 'en', outdated: true },
                sentence: 'Siobhan went down to the harbor this morning.',
              },
            ],
          },
        },
      },
      errors: [...changing, 'busy'],
    }),
    remakeAll: toEndpointHook({
      ...lexicon,
      summary: `Regenerate all audio affected by changes of ${whose}`,
      description: `${whoMay} Regenerates every audio whose words have entries added or changed since it was generated. Deleted entries are not found: regenerate the posts or the site. ${regenerateDescription}`,
      responses: { 202: remade },
      errors: [...changing, 'busy'],
    }),
    remake: toEndpointHook({
      ...entry,
      summary: `Regenerate audio affected by an entry of ${whose}`,
      description: `${whoMay} Regenerates every audio that contains the word and is older than the last change of the entry. ${regenerateDescription}`,
      responses: { 202: remade },
      errors: ['not_found', 'not_allowed', 'busy'],
    }),
  };
}

/** What a word touches, and to have that made again. */
export function affectedRoutes<Prefix extends string>(deps: AffectedRoutesDeps, level: PronunciationScope<Prefix>) {
  const { database, catalog } = deps;
  const operations = buildEndpoints(level);
  return new Elysia({ name: `${level.name} touched`, prefix: level.prefix })
    .post(
      '/preview',
      async ({ request, params }) => {
        const { site } = await level.authorizeChange(request, params);
        const body = validate(WordBody, await readJsonBody(request, maxBodyBytes));
        const entry = parseEntry({ language: '', match_case: false, alias: body.word, ...body });
        if (body.alias !== undefined) {
          validatePhonemes(createPhonemeValidator(await catalog.voices(), site), entry);
        }
        requestContext(request).setIdleTimeout(maxIdleSeconds);
        const values = toRow(entry);
        const known = await findEntryByKey(database.read, toOwner(site), values);
        const isKnown = known?.alias === entry.alias || body.alias === undefined;
        const now = new Date().toISOString();
        const replacement = {
          ...values,
          id: known?.id ?? 0,
          site_id: toOwner(site),
          updated_at: known !== undefined && isKnown ? known.updated_at : now,
        };
        const found = await enqueueSearch(() =>
          countAffected(deps, {
            ...{ owner: toOwner(site), language: entry.language, replacement, onlyOutdated: false },
            changedAt: replacement.updated_at,
            matches: ({ id }) => id === replacement.id,
          }),
        );
        return envelope('OK', found);
      },
      operations.preview,
    )
    .post(
      '/remake',
      async ({ request, params }) => {
        const { user, site } = await level.authorizeChange(request, params);
        if (site !== null) deps.requireActiveSubscription(site);
        requestContext(request).setIdleTimeout(maxIdleSeconds);
        await database.write((db) =>
          insertAuditEntry(db, {
            userId: user.id,
            action: 'pronunciations.remade',
            ...toAuditSite(site),
          }),
        );
        const remade = await enqueueSearch(async () =>
          regenerateAffected(deps, {
            ...{ owner: toOwner(site), language: '', onlyOutdated: true },
            changedAt: await findNewestChange(database.read, toOwner(site)),
            matches: () => true,
          }),
        );
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      operations.remakeAll,
    )
    .post(
      '/:pronunciation/remake',
      async ({ request, params }) => {
        const { user, site } = await level.authorizeChange(request, params);
        if (site !== null) deps.requireActiveSubscription(site);
        const id = parseId(params.pronunciation, pronunciationNotFound);
        const entry = await findPronunciation(database.read, toOwner(site), id);
        requestContext(request).setIdleTimeout(maxIdleSeconds);
        await database.write((db) =>
          insertAuditEntry(db, {
            ...{ userId: user.id, action: 'pronunciation.remade', ...toAuditSite(site) },
            subject: entry.word,
          }),
        );
        const remade = await enqueueSearch(() =>
          regenerateAffected(deps, {
            ...{ owner: toOwner(site), language: entry.language, onlyOutdated: true },
            changedAt: entry.updated_at,
            matches: (one) => one.id === id,
          }),
        );
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      operations.remake,
    );
}

async function countAffected(deps: AffectedDeps, search: AffectedSearch): Promise<AffectedPosts> {
  const found: AffectedPosts = { posts: 0, audios: 0, outdated: 0, complete: true, first: [] };
  const deadline = performance.now() + previewTimeoutMs;
  for await (const audios of findAffectedAudio(deps, search)) {
    found.posts += new Set(audios.map(({ post_id }) => post_id)).size;
    found.audios += audios.length;
    found.outdated += audios.filter(({ isOutdated }) => isOutdated).length;
    for (const audio of audios.slice(0, maxShownPosts - found.first.length)) {
      found.first.push({
        ...{ site_id: audio.site_id, post_id: audio.external_id, language: audio.language },
        ...{ outdated: audio.isOutdated },
        sentence: audio.sentence.slice(0, maxSentenceUnits).toWellFormed(),
      });
    }
    if (performance.now() > deadline) return { ...found, complete: false };
  }
  return found;
}

async function regenerateAffected(
  deps: RegenerateDeps & AffectedDeps,
  search: AffectedSearch,
): Promise<RegenerateResult> {
  let remade = emptyRegenerateResult;
  const deadline = performance.now() + regenerateTimeoutMs;
  for await (const audios of findAffectedAudio(deps, search)) {
    const outdated = audios.filter(({ isOutdated }) => isOutdated);
    for (const [siteId, own] of Map.groupBy(outdated, ({ site_id }) => site_id)) {
      const ids = own.map(({ id }) => id);
      remade = addRegenerateResults(remade, await regenerateAudios(deps, siteId, ids));
    }
    if (performance.now() > deadline) return { ...remade, complete: false };
    // A site whose part of the queue is full does not keep others from theirs.
    if (!remade.complete && search.owner !== null) return remade;
  }
  return remade;
}
