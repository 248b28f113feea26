import PQueue from 'p-queue';
import { selectStartedAt } from '../audio/regenerate.ts';
import type { Queries } from '../database/database.ts';
import { isTrueMember } from '../database/dialect.ts';
import type { AudioStatus } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import { createReplacer, type PronunciationReplacer } from '../speech/pronunciation/replacer.ts';
import { foldWord } from '../speech/pronunciation/word-matcher.ts';
import type { WorkerPool } from '../speech/worker-pool.ts';
import { type EntryAlias, mergeScopes, type Owner, type ScopeRow } from './entry.ts';
import { listScopeRows } from './store.ts';

/** The states of audio that contains the word, or will. */
const currentStatuses = ['ready', 'generating', 'pending'] as const;

interface CandidateAudio {
  readonly id: number;
  readonly post_id: number;
  readonly external_id: string;
  readonly site_id: number;
  readonly language: string;
  readonly status: AudioStatus;
  readonly version_id: number | null;
  /** Start of its generation; null: not recorded. */
  readonly started_at: string | null;
}

/** @returns the next posts of a site, or of all, by their row ids */
async function listPostIds(db: Queries, owner: Owner, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('post')
    .select('id')
    .where('id', '>', after)
    .$if(owner !== null, (all) => all.where('site_id', '=', owner ?? 0))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** @param language empty: every language; else also audio that may have spans in it */
function listCandidateAudio(db: Queries, postRowIds: readonly number[], language: string): Promise<CandidateAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.status', 'audio.version_id'])
    .select(['post.external_id', 'post.site_id', selectStartedAt().as('started_at')])
    .where('audio.post_id', 'in', postRowIds)
    .where('audio.status', 'in', currentStatuses)
    .$if(language !== '', (all) =>
      all.where((row) =>
        row.or([row('audio.language', '=', language), isTrueMember(db, 'site.reading', 'foreign_passages')]),
      ),
    )
    .orderBy('audio.post_id')
    .orderBy('audio.id')
    .execute();
}

/** A sentence as written. Without a language it is in that of its article. */
interface SourceSentence {
  readonly text: string;
  readonly language?: string | null;
}

/** @returns the sentences of each version, in order */
async function listSentences(db: Queries, versionIds: readonly number[]): Promise<Map<number, SourceSentence[]>> {
  if (versionIds.length === 0) return new Map();
  const sentences = await db
    .selectFrom('planned_segment')
    .leftJoin('voice', 'voice.id', 'planned_segment.voice_id')
    .select(['version_id', 'text', 'voice.language'])
    .where('version_id', 'in', versionIds)
    .orderBy('version_id')
    .orderBy('position')
    .execute();
  return Map.groupBy(sentences, ({ version_id }) => version_id);
}

/** @returns when an entry that applies to a site, or any, was changed last; empty where there is none */
export async function findNewestChange(db: Queries, owner: Owner): Promise<string> {
  const row = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.max('updated_at').as('at'))
    .$if(owner !== null, (all) => all.where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', owner)])))
    .executeTakeFirst();
  return row?.at ?? '';
}

/** Small enough that no other request waits noticeably. */
const postsPerBatch = 25;
/** An audio with more sentences ends its turn. */
const maxSentencesPerBatch = 500;
/** With more entries the prefilter costs more than it saves. */
const maxPrefilterTerms = 30;
const maxCachedLexicons = 100;
const maxQueuedSearches = 4;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Letters that the lexicon folds to ASCII. */
const FOLDING_TO_ASCII = /[ßŉſǰıİẖẗẘẙẚK\ufb00-\ufb06]/;

export interface AffectedSearch {
  /** Null: every site. */
  readonly owner: Owner;
  /** Of the audio; empty: every language. */
  readonly language: string;
  /** A changed entry that is not stored, in place of the stored one. */
  readonly replacement?: ScopeRow;
  /** Only audio that was generated, or is being generated, without the current entries. */
  readonly onlyOutdated: boolean;
  /** The newest change of a matching entry. */
  readonly changedAt: string;
  /** Selects the entries to look for. */
  matches(entry: EntryAlias): boolean;
}

export interface AffectedAudio extends CandidateAudio {
  /** The first sentence with a matching word, as written. */
  readonly sentence: string;
  /** Generated, or being generated, without the current entry. */
  readonly isOutdated: boolean;
}

/** Of one owner one search at a time: each reads all its posts. Searches of several owners alternate. */
const searchQueues = new Map<Owner, PQueue>();

/** @throws AppError `busy` when too many searches of the owner wait */
export async function enqueueSearch<T>(owner: Owner, search: () => Promise<T>): Promise<T> {
  const queue = searchQueues.get(owner) ?? new PQueue({ concurrency: 1 });
  if (queue.size >= maxQueuedSearches) throw new AppError('busy', 'Too many concurrent pronunciation searches');
  searchQueues.set(owner, queue);
  try {
    return await queue.add(search);
  } finally {
    if (queue.size + queue.pending === 0) searchQueues.delete(owner);
  }
}

/**
 * Finds audio that contains words with matching entries, by the rules of synthesis: in the stored sentences of ready audio, in the
 * article of other audio. Yields in small batches and lets other work run in between.
 * @param signal aborts when nobody waits for the result
 * @throws AppError `client_disconnected`
 */
export async function* findAffectedAudio(
  read: Queries,
  workers: Pick<WorkerPool, 'call'>,
  search: AffectedSearch,
  signal?: AbortSignal,
): AsyncGenerator<AffectedAudio[]> {
  const getLexicon = createLexiconCache(read, search);
  let after = 0;
  while (true) {
    if (signal?.aborted) throw new AppError('client_disconnected');
    const posts = await listPostIds(read, search.owner, after, postsPerBatch);
    const last = posts.at(-1);
    if (last === undefined) return;
    after = last;
    const candidates = (await listCandidateAudio(read, posts, search.language)).filter(
      (audio) => !search.onlyOutdated || isOutdatedBy(audio, search.changedAt),
    );
    const versionIds = candidates.flatMap((audio) => getReadyVersion(audio) ?? []);
    const stored = await listSentences(read, versionIds);
    const batch: AffectedAudio[] = [];
    for (const audio of candidates) {
      const versionId = getReadyVersion(audio);
      const sentences =
        versionId === undefined
          ? await readArticle(read, workers, search, audio, getLexicon)
          : (stored.get(versionId) ?? []);
      const affected = await matchSentences(audio, sentences, search, getLexicon);
      if (affected !== undefined) batch.push(affected);
      if (sentences.length > maxSentencesPerBatch) await Bun.sleep(0);
    }
    yield batch;
    await Bun.sleep(0);
  }
}

function getReadyVersion({ status, version_id }: CandidateAudio): number | undefined {
  return status === 'ready' ? (version_id ?? undefined) : undefined;
}

/** The lexicon of a site and a language, for one search. */
interface Lexicon {
  readonly replacer: PronunciationReplacer;
  /** See `buildPrefilter`. */
  readonly prefilter: readonly string[] | undefined;
}

type GetLexicon = (siteId: number, language: string) => Promise<Lexicon>;

function createLexiconCache(db: Queries, { replacement, matches }: AffectedSearch): GetLexicon {
  const cached = new Map<string, Lexicon>();
  return async (siteId, language) => {
    const key = `${siteId} ${language}`;
    const cachedResult = cached.get(key);
    if (cachedResult !== undefined) return cachedResult;
    const rows = await listScopeRows(db, siteId, language);
    const applies = replacement !== undefined && ['', language].includes(replacement.language);
    const entries = mergeScopes([
      ...rows.filter((row) => replacement === undefined || !hasSameKey(row, replacement)),
      ...(applies ? [replacement] : []),
    ]);
    const lexicon = { replacer: createReplacer(entries), prefilter: buildPrefilter(entries.filter(matches)) };
    if (cached.size >= maxCachedLexicons) cached.clear();
    cached.set(key, lexicon);
    return lexicon;
  };
}

function hasSameKey(a: ScopeRow, b: ScopeRow): boolean {
  return (
    a.id === b.id ||
    (a.site_id === b.site_id && a.language === b.language && a.match_case === b.match_case && a.word_key === b.word_key)
  );
}

/**
 * @returns for each entry its longest run of ASCII letters and digits, in lower case: a text without any of them contains no word.
 *   Empty for a word without such a run. Undefined for too many entries
 */
function buildPrefilter(entries: readonly EntryAlias[]): string[] | undefined {
  if (entries.length > maxPrefilterTerms) return undefined;
  return entries.map(({ word }) =>
    (foldWord(word).match(/[a-z0-9]+/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a), ''),
  );
}

function passesPrefilter(text: string, terms: readonly string[] | undefined): boolean {
  if (terms?.length === 0) return false;
  if (terms === undefined || FOLDING_TO_ASCII.test(text)) return true;
  const lowerCase = text.toLowerCase();
  return terms.some((term) => (term === '' ? BEYOND_ASCII.test(text) : lowerCase.includes(term)));
}

/** @returns the sentences of audio that has none yet; none where the article contains no word */
async function readArticle(
  read: Queries,
  workers: Pick<WorkerPool, 'call'>,
  search: AffectedSearch,
  audio: CandidateAudio,
  getLexicon: GetLexicon,
): Promise<readonly SourceSentence[]> {
  const article = await read
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.title', 'audio.content', 'audio.content_type', 'audio.language', 'site.reading'])
    .where('audio.id', '=', audio.id)
    .executeTakeFirst();
  if (article === undefined) return [];
  const { title, content, content_type: contentType, language } = article;
  const { prefilter } = await getLexicon(audio.site_id, search.language || language);
  if (![title ?? '', content, article.reading].some((text) => passesPrefilter(text, prefilter))) return [];
  const reading = parseNarrationSettings(article.reading);
  const isForeign = reading.foreign_passages && !['', language].includes(search.language);
  const foreign = isForeign ? [{ language: search.language, aliases: [] }] : [];
  return (await workers.call('read', { title, content, contentType, language, reading, foreign })).sentences;
}

/** @returns undefined where no sentence contains a matching word; else the first outdated sentence, or the first */
async function matchSentences(
  audio: CandidateAudio,
  sentences: readonly SourceSentence[],
  { matches }: AffectedSearch,
  getLexicon: GetLexicon,
): Promise<AffectedAudio | undefined> {
  const lexicons = new Map<string, Lexicon>();
  let affected: AffectedAudio | undefined;
  for (const { text, language } of sentences) {
    const code = language ?? audio.language;
    const lexicon = lexicons.get(code) ?? (await getLexicon(audio.site_id, code));
    lexicons.set(code, lexicon);
    if (!passesPrefilter(text, lexicon.prefilter)) continue;
    const entries = lexicon.replacer(text).replacements.map(({ entry }) => entry as EntryAlias);
    const matching = entries.filter(matches);
    if (matching.length === 0) continue;
    const isOutdated = matching.some(({ changedAt }) => isOutdatedBy(audio, changedAt));
    if (isOutdated) return { ...audio, sentence: text, isOutdated };
    affected ??= { ...audio, sentence: text, isOutdated };
  }
  return affected;
}

/** Pending audio will use the change. */
function isOutdatedBy({ status, started_at }: CandidateAudio, changedAt: string): boolean {
  return status !== 'pending' && (started_at === null || started_at <= changedAt);
}
