import { sql } from 'kysely';
import PQueue from 'p-queue';
import { selectBeganAt } from '../audio/regenerate.ts';
import type { Database, Queries } from '../database/open.ts';
import type { AudioStatus } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import { createReplacer, foldWord, type PronunciationReplacer } from '../speech/pronunciation/replacer.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type EntryAlias, mergeScopes, type ScopeRow } from './entry.ts';
import { listScopeRows, type Owner } from './store.ts';

/** The states of an audio that has, or will have, the word in it. */
const currentStatuses = ['ready', 'generating', 'pending'] as const;

/** An audio that may have a word in it. */
interface CandidateAudio {
  readonly id: number;
  readonly post_id: number;
  readonly external_id: string;
  readonly site_id: number;
  readonly language: string;
  readonly status: AudioStatus;
  readonly version_id: number | null;
  /** When its making began; null: before that was written down. */
  readonly began_at: string | null;
}

/** @returns the next posts of a site, or of all, by their row ids */
async function listPostIds(db: Queries, owner: Owner, after: number, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('post')
    .select('id')
    .where('id', '>', after)
    .$if(owner !== null, (all) => all.where('site_id', '=', owner ?? 0))
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** @param language empty: every one; else also audios that may have passages in it */
function listCandidateAudio(db: Queries, postRowIds: readonly number[], language: string): Promise<CandidateAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.status', 'audio.version_id'])
    .select(['post.external_id', 'post.site_id', selectBeganAt().as('began_at')])
    .where('audio.post_id', 'in', postRowIds)
    .where('audio.status', 'in', currentStatuses)
    .$if(language !== '', (all) =>
      all.where((row) =>
        row.or([row('audio.language', '=', language), sql<boolean>`json_extract(site.reading, '$.foreign_passages')`]),
      ),
    )
    .orderBy('audio.post_id')
    .orderBy('audio.id')
    .execute();
}

/** @returns the sentences of versions as they are written, in order; with the language of passages in another one */
function listSentences(
  db: Queries,
  versionIds: readonly number[],
): Promise<{ version_id: number; text: string; language: string | null }[]> {
  if (versionIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('planned_segment')
    .leftJoin('voice', 'voice.id', 'planned_segment.voice_id')
    .select(['version_id', 'text', 'voice.language'])
    .where('version_id', 'in', versionIds)
    .orderBy('version_id')
    .orderBy('position')
    .execute();
}

/** @returns when an entry that holds for a site, or any, was changed last; empty where there is none */
export async function findNewestChange(db: Queries, owner: Owner): Promise<string> {
  const row = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.max('updated_at').as('at'))
    .$if(owner !== null, (all) => all.where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', owner)])))
    .executeTakeFirst();
  return row?.at ?? '';
}

/** @returns the text of an audio that is not made yet, and how its site has it read */
function findArticle(db: Queries, audioId: number) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.title', 'audio.content', 'audio.language', 'site.reading'])
    .where('audio.id', '=', audioId)
    .executeTakeFirst();
}

/** So few that no other request waits noticeably. */
const postsPerBatch = 25;
/** What has more sentences is not gone through together with others. */
const maxSentencesPerBatch = 500;
/** More words than these are not looked for one by one beforehand. */
const maxPrefilterTerms = 30;
const maxQueuedSearches = 4;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Letters that are the same as some of ASCII to the lexicon. */
const FOLDING_TO_ASCII = /[ßŉſǰıİẖẗẘẙẚK\ufb00-\ufb06]/;

export interface AffectedDeps {
  readonly database: Database;
  readonly workers: Pick<WorkerPool, 'call'>;
}

/** What is looked for. */
export interface AffectedSearch {
  /** Null: in every site. */
  readonly owner: Owner;
  /** Looked for in audios of this language; empty: of every one. */
  readonly language: string;
  /** An entry as it would be, in the place of the one it would replace. */
  readonly replacement?: ScopeRow;
  /** Only audios that were made, or are being made, without what the entries say now. */
  readonly onlyOutdated: boolean;
  /** When the youngest of what is looked for was changed. */
  readonly changedAt: string;
  /** Which entries count. */
  matches(entry: EntryAlias): boolean;
}

/** An audio in which a word is that counts. */
export interface AffectedAudio extends CandidateAudio {
  /** The first sentence with it, as it is written. */
  readonly sentence: string;
  /** Made, or being made, without what the entry says now. */
  readonly isOutdated: boolean;
}

/** One search at a time: each reads all posts. */
const searchQueue = new PQueue({ concurrency: 1 });

/**
 * Runs one search, after those that came before.
 * @throws AppError `busy` when too many wait
 */
export async function enqueueSearch<T>(search: () => Promise<T>): Promise<T> {
  if (searchQueue.size >= maxQueuedSearches) throw new AppError('busy', 'Too many concurrent pronunciation searches');
  return searchQueue.add(search);
}

/**
 * Finds audios with words of the lexicon in them, by the same rules by which they are said: in the sentences of what is
 * made, and in the articles of what is not. Gives them out post by post, a few at a time, so that the server can do
 * something else in between.
 */
export async function* findAffectedAudio(deps: AffectedDeps, search: AffectedSearch): AsyncGenerator<AffectedAudio[]> {
  const { read } = deps.database;
  const lexicons = new PronunciationCache(deps.database, search);
  let after = 0;
  // Ends: each turn goes on behind a later post.
  while (true) {
    const posts = await listPostIds(read, search.owner, after, postsPerBatch);
    const last = posts.at(-1);
    if (last === undefined) return;
    after = last;
    const audios = await listCandidateAudio(read, posts, search.language);
    const found: AffectedAudio[] = [];
    for (const [siteId, own] of Map.groupBy(audios, ({ site_id }) => site_id)) {
      const changed = own.filter((audio) => !search.onlyOutdated || isOutdatedBy(audio, search.changedAt));
      found.push(...(await findAffectedAmong(deps, search, changed, lexicons, siteId)));
    }
    yield found;
    await Bun.sleep(0);
  }
}

/** The lexicon of a site and a language, with what is looked for in it. */
interface SearchedPronunciations {
  readonly replacer: PronunciationReplacer;
  /** See `buildPrefilter`. */
  readonly prefilter: readonly string[] | undefined;
  /** Nothing of what is looked for holds in it. */
  readonly isEmpty: boolean;
  matches(entry: EntryAlias): boolean;
}

class PronunciationCache {
  readonly #database: Database;
  readonly #search: AffectedSearch;
  readonly #known = new Map<string, SearchedPronunciations>();

  constructor(database: Database, search: AffectedSearch) {
    this.#database = database;
    this.#search = search;
  }

  async get(siteId: number, language: string): Promise<SearchedPronunciations> {
    const key = `${siteId} ${language}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { replacement: instead, matches: isMeant } = this.#search;
    const rows = await listScopeRows(this.#database.read, siteId, language);
    const holds = instead !== undefined && ['', language].includes(instead.language);
    const entries = mergeScopes([
      ...rows.filter((row) => instead === undefined || !hasSameKey(row, instead)),
      ...(holds ? [instead] : []),
    ]);
    const meant = entries.filter(isMeant);
    const made = {
      ...{ replacer: createReplacer(entries), prefilter: buildPrefilter(meant), matches: isMeant },
      isEmpty: meant.length === 0,
    };
    if (this.#known.size >= 100) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }

  /** @returns by language what is looked for in the sentences of an audio, passages in other languages among them */
  async getForSentences(
    siteId: number,
    audio: CandidateAudio,
    sentences: readonly SourceSentence[],
  ): Promise<Map<string, SearchedPronunciations>> {
    const languages = new Set(sentences.map(({ language }) => language ?? audio.language));
    const lexicons = new Map<string, SearchedPronunciations>();
    for (const language of languages) lexicons.set(language, await this.get(siteId, language));
    return lexicons;
  }
}

/** A sentence of an article; without a language it is in the article's. */
interface SourceSentence {
  readonly text: string;
  readonly language?: string | null;
}

function hasSameKey(one: ScopeRow, other: ScopeRow): boolean {
  return (
    one.id === other.id ||
    (one.site_id === other.site_id &&
      one.language === other.language &&
      one.match_case === other.match_case &&
      one.word_key === other.word_key)
  );
}

/**
 * What must stand in a text, in small letters, for one of the words to be in it.
 * @returns for a word without a letter of ASCII an empty one; undefined where there are too many to look for
 */
function buildPrefilter(entries: readonly EntryAlias[]): string[] | undefined {
  if (entries.length > maxPrefilterTerms) return undefined;
  return entries.map(({ word }) =>
    (foldWord(word).match(/[a-z0-9]+/g) ?? []).reduce(
      (longest, run) => (run.length > longest.length ? run : longest),
      '',
    ),
  );
}

async function findAffectedAmong(
  { database, workers }: AffectedDeps,
  search: AffectedSearch,
  audios: readonly CandidateAudio[],
  lexicons: PronunciationCache,
  siteId: number,
): Promise<AffectedAudio[]> {
  const made = audios.filter(({ status, version_id }) => status === 'ready' && version_id !== null);
  const versionIds = made.map(({ version_id }) => version_id ?? 0);
  const sentences = await listSentences(database.read, versionIds);
  const byVersion = Map.groupBy(sentences, ({ version_id }) => version_id);
  const touched: AffectedAudio[] = [];
  for (const audio of made) {
    const own = byVersion.get(audio.version_id ?? 0) ?? [];
    touched.push(...matchSentences(audio, own, await lexicons.getForSentences(siteId, audio, own)));
    if (own.length > maxSentencesPerBatch) await Bun.sleep(0);
  }
  for (const audio of audios.filter((one) => !made.includes(one))) {
    const article = await findArticle(database.read, audio.id);
    if (article === undefined) continue;
    const { title, content, language } = article;
    const { prefilter: needles } = await lexicons.get(siteId, search.language || language);
    const texts = [title ?? '', content, article.reading];
    if (!texts.some((text) => passesPrefilter(text, needles))) continue;
    const reading = parseNarrationSettings(article.reading);
    const foreign =
      reading.foreign_passages && !['', language].includes(search.language)
        ? [{ language: search.language, aliases: [] }]
        : [];
    const read = await workers.call('read', { title, content, language, reading, foreign });
    const own = read.sentences;
    touched.push(...matchSentences(audio, own, await lexicons.getForSentences(siteId, audio, own)));
  }
  return touched;
}

/** Quickly says of most texts that they hold none of the words. */
function passesPrefilter(text: string, needles: readonly string[] | undefined): boolean {
  if (needles === undefined || FOLDING_TO_ASCII.test(text)) return true;
  const small = text.toLowerCase();
  return needles.some((needle) => (needle === '' ? BEYOND_ASCII.test(text) : small.includes(needle)));
}

/** @returns the audio, if a word that counts is in one of its sentences */
function matchSentences(
  audio: CandidateAudio,
  sentences: readonly SourceSentence[],
  lexicons: ReadonlyMap<string, SearchedPronunciations>,
): AffectedAudio[] {
  let sentence: string | undefined;
  for (const { text, language } of sentences) {
    const searched = lexicons.get(language ?? audio.language);
    if (searched === undefined || searched.isEmpty || !passesPrefilter(text, searched.prefilter)) continue;
    const meant = searched
      .replacer(text)
      .replacements.map(({ entry }) => entry as EntryAlias)
      .filter(searched.matches);
    if (meant.length === 0) continue;
    sentence ??= text;
    const isOutdated = meant.some(({ changedAt }) => isOutdatedBy(audio, changedAt));
    if (isOutdated) return [{ ...audio, sentence: text, isOutdated }];
  }
  return sentence === undefined ? [] : [{ ...audio, sentence, isOutdated: false }];
}

/** What waits hears of the change when its turn comes. */
function isOutdatedBy({ status, began_at }: CandidateAudio, changedAt: string): boolean {
  return status !== 'pending' && (began_at === null || began_at <= changedAt);
}
