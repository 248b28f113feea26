import { Elysia } from 'elysia';
import {
  nothingRemade,
  type Remade,
  type RemakeDeps,
  remakeAudios,
  sumOf,
} from '../audio/regenerate.ts';
import { RemadeAudios } from '../audio/schema.ts';
import { audit } from '../auth/audit-log.ts';
import type { Site } from '../database/schema.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { factsOf } from '../http/request-context.ts';
import { idIn, validate } from '../http/validation.ts';
import {
  inTurn,
  newestChange,
  type Search,
  type TouchedDeps,
  touchedAudios,
} from './affected-posts.ts';
import { auditedSite, type Level, ownerOf, readEntry } from './entry.ts';
import type { PronunciationDeps } from './routes.ts';
import { exampleEntry, wordsOf } from './routes.ts';
import { TouchedPosts, WordBody } from './schema.ts';
import { entryAt, findPronunciation, stored, unknownPronunciation } from './store.ts';
import { checkPhonemes, judgePhonemes } from './voices.ts';

const bodyByteMax = 10_000;
const idleMaxS = 240;
const previewPatienceMs = 20_000;
const remakePatienceMs = 120_000;
const shownMax = 10;
const sentenceUnitsMax = 300;

export interface TouchedRoutesDeps extends PronunciationDeps, RemakeDeps, TouchedDeps {
  readonly catalog: PronunciationDeps['catalog'];
  /** @throws AppError `not_allowed` when nothing may be made for a site just now */
  readonly checkServed: (site: Site) => void;
}

const exampleRemade = { audios: 12, posts: 11, voiceless: 0, complete: true };
const whatHappens =
  'Only sentences with the words are spoken again, behind everything that is new; until then the MP3 that is there is served. No quota is touched. What waits in the queue hears of the change by itself. At most half of the queue is filled.';

function operationsOf(level: Level) {
  const { whose, whoMay, lexicon, entry, changing } = wordsOf(level);
  const remade = {
    description: 'Queued',
    message: 'Audio generation queued',
    data: RemadeAudios,
    example: exampleRemade,
  };
  return {
    preview: described({
      ...lexicon,
      summary: `What a word would touch, in ${whose}`,
      description: `${whoMay} Nothing is stored. Counts the posts that are ready or queued and hold the word where the lexicon would find it; of an entry that is there, too.`,
      body: WordBody,
      bodyExample: { word: exampleEntry.word, language: 'en' },
      answers: {
        200: {
          description: 'What holds the word',
          message: 'OK',
          data: TouchedPosts,
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
    remakeAll: described({
      ...lexicon,
      summary: `Make again what the changes of ${whose} touch`,
      description: `${whoMay} Every audio with a word whose entry was added or changed since the audio was made. A word that was taken out is found no more: make its posts again, or the site. ${whatHappens}`,
      answers: { 202: remade },
      errors: [...changing, 'busy'],
    }),
    remake: described({
      ...entry,
      summary: `Make again what an entry of ${whose} touches`,
      description: `${whoMay} Every audio with the word that was made before the entry was last changed. ${whatHappens}`,
      answers: { 202: remade },
      errors: ['not_found', 'not_allowed', 'busy'],
    }),
  };
}

/** What a word touches, and to have that made again. */
export function touchedRoutes<Prefix extends string>(
  deps: TouchedRoutesDeps,
  level: Level<Prefix>,
) {
  const { database, catalog } = deps;
  const operations = operationsOf(level);
  return new Elysia({ name: `${level.name} touched`, prefix: level.prefix })
    .post(
      '/preview',
      async ({ request, params }) => {
        const { site } = await level.forChanges(request, params);
        const body = validate(WordBody, await readJsonBody(request, bodyByteMax));
        const entry = readEntry({ language: '', match_case: false, alias: body.word, ...body });
        if (body.alias !== undefined) {
          checkPhonemes(judgePhonemes(await catalog.voices(), site), entry);
        }
        factsOf(request).allowIdle(idleMaxS);
        const values = stored(entry);
        const known = await entryAt(database.read, ownerOf(site), values);
        const isKnown = known?.alias === entry.alias || body.alias === undefined;
        const now = new Date().toISOString();
        const instead = {
          ...values,
          id: known?.id ?? 0,
          site_id: ownerOf(site),
          updated_at: known !== undefined && isKnown ? known.updated_at : now,
        };
        const found = await inTurn(() =>
          count(deps, {
            ...{ owner: ownerOf(site), language: entry.language, instead, onlyOutdated: false },
            changedAt: instead.updated_at,
            isMeant: ({ id }) => id === instead.id,
          }),
        );
        return envelope('OK', found);
      },
      operations.preview,
    )
    .post(
      '/remake',
      async ({ request, params }) => {
        const { user, site } = await level.forChanges(request, params);
        if (site !== null) deps.checkServed(site);
        factsOf(request).allowIdle(idleMaxS);
        await database.write((db) =>
          audit(db, { userId: user.id, action: 'pronunciations.remade', ...auditedSite(site) }),
        );
        const remade = await inTurn(async () =>
          remakeTouched(deps, {
            ...{ owner: ownerOf(site), language: '', onlyOutdated: true },
            changedAt: await newestChange(database.read, ownerOf(site)),
            isMeant: () => true,
          }),
        );
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      operations.remakeAll,
    )
    .post(
      '/:pronunciation/remake',
      async ({ request, params }) => {
        const { user, site } = await level.forChanges(request, params);
        if (site !== null) deps.checkServed(site);
        const id = idIn(params.pronunciation, unknownPronunciation);
        const entry = await findPronunciation(database.read, ownerOf(site), id);
        factsOf(request).allowIdle(idleMaxS);
        await database.write((db) =>
          audit(db, {
            ...{ userId: user.id, action: 'pronunciation.remade', ...auditedSite(site) },
            subject: entry.word,
          }),
        );
        const remade = await inTurn(() =>
          remakeTouched(deps, {
            ...{ owner: ownerOf(site), language: entry.language, onlyOutdated: true },
            changedAt: entry.updated_at,
            isMeant: (one) => one.id === id,
          }),
        );
        return Response.json(envelope('Audio generation queued', remade), { status: 202 });
      },
      operations.remake,
    );
}

async function count(deps: TouchedDeps, search: Search): Promise<TouchedPosts> {
  const found: TouchedPosts = { posts: 0, audios: 0, outdated: 0, complete: true, first: [] };
  const deadline = performance.now() + previewPatienceMs;
  for await (const audios of touchedAudios(deps, search)) {
    found.posts += new Set(audios.map(({ post_id }) => post_id)).size;
    found.audios += audios.length;
    found.outdated += audios.filter(({ isOutdated }) => isOutdated).length;
    for (const audio of audios.slice(0, shownMax - found.first.length)) {
      found.first.push({
        ...{ site_id: audio.site_id, post_id: audio.external_id, language: audio.language },
        ...{ outdated: audio.isOutdated },
        sentence: audio.sentence.slice(0, sentenceUnitsMax).toWellFormed(),
      });
    }
    if (performance.now() > deadline) return { ...found, complete: false };
  }
  return found;
}

async function remakeTouched(deps: RemakeDeps & TouchedDeps, search: Search): Promise<Remade> {
  let remade = nothingRemade;
  const deadline = performance.now() + remakePatienceMs;
  for await (const audios of touchedAudios(deps, search)) {
    const outdated = audios.filter(({ isOutdated }) => isOutdated);
    for (const [siteId, own] of Map.groupBy(outdated, ({ site_id }) => site_id)) {
      const ids = own.map(({ id }) => id);
      remade = sumOf(remade, await remakeAudios(deps, siteId, ids));
    }
    if (performance.now() > deadline) return { ...remade, complete: false };
    // A site whose part of the queue is full does not keep others from theirs.
    if (!remade.complete && search.owner !== null) return remade;
  }
  return remade;
}
