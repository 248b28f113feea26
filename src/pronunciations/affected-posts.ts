import { sql } from 'kysely';
import PQueue from 'p-queue';
import { beganAt } from '../audio/regenerate.ts';
import type { Database, Queries } from '../database/open.ts';
import type { AudioStatus } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { readingOf } from '../speech/narration-settings.ts';
import { createLexicon, foldWord, type Lexicon } from '../speech/pronunciation/lexicon.ts';
import type { Workers } from '../speech/worker-pool.ts';
import { type EntryAlias, type LevelRow, mergedLevels } from './entry.ts';
import { levelRows, type Owner } from './store.ts';

/** The states of an audio that has, or will have, the word in it. */
const current = ['ready', 'generating', 'pending'] as const;

/** An audio that may have a word in it. */
interface CurrentAudio {
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
async function nextPosts(
  db: Queries,
  owner: Owner,
  after: number,
  most: number,
): Promise<number[]> {
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
function currentAudios(
  db: Queries,
  postRowIds: readonly number[],
  language: string,
): Promise<CurrentAudio[]> {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.id', 'audio.post_id', 'audio.language', 'audio.status', 'audio.version_id'])
    .select(['post.external_id', 'post.site_id', beganAt().as('began_at')])
    .where('audio.post_id', 'in', postRowIds)
    .where('audio.status', 'in', current)
    .$if(language !== '', (all) =>
      all.where((row) =>
        row.or([
          row('audio.language', '=', language),
          sql<boolean>`json_extract(site.reading, '$.foreign_passages')`,
        ]),
      ),
    )
    .orderBy('audio.post_id')
    .orderBy('audio.id')
    .execute();
}

/** @returns the sentences of versions as they are written, in order; with the language of passages in another one */
function sentencesOf(
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
export async function newestChange(db: Queries, owner: Owner): Promise<string> {
  const row = await db
    .selectFrom('pronunciation')
    .select((is) => is.fn.max('updated_at').as('at'))
    .$if(owner !== null, (all) =>
      all.where((is) => is.or([is('site_id', 'is', null), is('site_id', '=', owner)])),
    )
    .executeTakeFirst();
  return row?.at ?? '';
}

/** @returns the text of an audio that is not made yet, and how its site has it read */
function articleOf(db: Queries, audioId: number) {
  return db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .select(['audio.title', 'audio.content', 'audio.language', 'site.reading'])
    .where('audio.id', '=', audioId)
    .executeTakeFirst();
}

/** So few that no other request waits noticeably. */
const postsAtOnce = 25;
/** What has more sentences is not gone through together with others. */
const sentencesAtOnce = 500;
/** More words than these are not looked for one by one beforehand. */
const needlesMax = 30;
const waitingMax = 4;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Letters that are the same as some of ASCII to the lexicon. */
const FOLDING_TO_ASCII = /[ßŉſǰıİẖẗẘẙẚK\ufb00-\ufb06]/;

export interface TouchedDeps {
  readonly database: Database;
  readonly workers: Pick<Workers, 'ask'>;
}

/** What is looked for. */
export interface Search {
  /** Null: in every site. */
  readonly owner: Owner;
  /** Looked for in audios of this language; empty: of every one. */
  readonly language: string;
  /** An entry as it would be, in the place of the one it would replace. */
  readonly instead?: LevelRow;
  /** Only audios that were made, or are being made, without what the entries say now. */
  readonly onlyOutdated: boolean;
  /** When the youngest of what is looked for was changed. */
  readonly changedAt: string;
  /** Which entries count. */
  isMeant(entry: EntryAlias): boolean;
}

/** An audio in which a word is that counts. */
export interface TouchedAudio extends CurrentAudio {
  /** The first sentence with it, as it is written. */
  readonly sentence: string;
  /** Made, or being made, without what the entry says now. */
  readonly isOutdated: boolean;
}

/** One search at a time: each reads all posts. */
const searching = new PQueue({ concurrency: 1 });

/**
 * Runs one search, after those that came before.
 * @throws AppError `busy` when too many wait
 */
export async function inTurn<T>(search: () => Promise<T>): Promise<T> {
  if (searching.size >= waitingMax) throw new AppError('busy', 'Other searches are under way');
  return searching.add(search);
}

/**
 * Finds audios with words of the lexicon in them, by the same rules by which they are said: in the sentences of what is
 * made, and in the articles of what is not. Gives them out post by post, a few at a time, so that the server can do
 * something else in between.
 */
export async function* touchedAudios(
  deps: TouchedDeps,
  search: Search,
): AsyncGenerator<TouchedAudio[]> {
  const { read } = deps.database;
  const lexicons = new Lexicons(deps.database, search);
  let after = 0;
  // Ends: each turn goes on behind a later post.
  while (true) {
    const posts = await nextPosts(read, search.owner, after, postsAtOnce);
    const last = posts.at(-1);
    if (last === undefined) return;
    after = last;
    const audios = await currentAudios(read, posts, search.language);
    const found: TouchedAudio[] = [];
    for (const [siteId, own] of Map.groupBy(audios, ({ site_id }) => site_id)) {
      const changed = own.filter(
        (audio) => !search.onlyOutdated || isBefore(audio, search.changedAt),
      );
      found.push(...(await touchedAmong(deps, search, changed, lexicons, siteId)));
    }
    yield found;
    await Bun.sleep(0);
  }
}

/** The lexicon of a site and a language, with what is looked for in it. */
interface SearchedLexicon {
  readonly lexicon: Lexicon;
  /** See `needlesOf`. */
  readonly needles: readonly string[] | undefined;
  /** Nothing of what is looked for holds in it. */
  readonly isEmpty: boolean;
  isMeant(entry: EntryAlias): boolean;
}

class Lexicons {
  readonly #database: Database;
  readonly #search: Search;
  readonly #known = new Map<string, SearchedLexicon>();

  constructor(database: Database, search: Search) {
    this.#database = database;
    this.#search = search;
  }

  async of(siteId: number, language: string): Promise<SearchedLexicon> {
    const key = `${siteId} ${language}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { instead, isMeant } = this.#search;
    const rows = await levelRows(this.#database.read, siteId, language);
    const holds = instead !== undefined && ['', language].includes(instead.language);
    const entries = mergedLevels([
      ...rows.filter((row) => instead === undefined || !isSamePlace(row, instead)),
      ...(holds ? [instead] : []),
    ]);
    const meant = entries.filter(isMeant);
    const made = {
      ...{ lexicon: createLexicon(entries), needles: needlesOf(meant), isMeant },
      isEmpty: meant.length === 0,
    };
    if (this.#known.size >= 100) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }

  /** @returns by language what is looked for in the sentences of an audio, passages in other languages among them */
  async forAll(
    siteId: number,
    audio: CurrentAudio,
    sentences: readonly WrittenSentence[],
  ): Promise<Map<string, SearchedLexicon>> {
    const languages = new Set(sentences.map(({ language }) => language ?? audio.language));
    const lexicons = new Map<string, SearchedLexicon>();
    for (const language of languages) lexicons.set(language, await this.of(siteId, language));
    return lexicons;
  }
}

/** A sentence of an article; without a language it is in the article's. */
interface WrittenSentence {
  readonly text: string;
  readonly language?: string | null;
}

function isSamePlace(one: LevelRow, other: LevelRow): boolean {
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
function needlesOf(entries: readonly EntryAlias[]): string[] | undefined {
  if (entries.length > needlesMax) return undefined;
  return entries.map(({ word }) =>
    (foldWord(word).match(/[a-z0-9]+/g) ?? []).reduce(
      (longest, run) => (run.length > longest.length ? run : longest),
      '',
    ),
  );
}

async function touchedAmong(
  { database, workers }: TouchedDeps,
  search: Search,
  audios: readonly CurrentAudio[],
  lexicons: Lexicons,
  siteId: number,
): Promise<TouchedAudio[]> {
  const made = audios.filter(({ status, version_id }) => status === 'ready' && version_id !== null);
  const versionIds = made.map(({ version_id }) => version_id ?? 0);
  const sentences = await sentencesOf(database.read, versionIds);
  const byVersion = Map.groupBy(sentences, ({ version_id }) => version_id);
  const touched: TouchedAudio[] = [];
  for (const audio of made) {
    const own = byVersion.get(audio.version_id ?? 0) ?? [];
    touched.push(...touchedBy(audio, own, await lexicons.forAll(siteId, audio, own)));
    if (own.length > sentencesAtOnce) await Bun.sleep(0);
  }
  for (const audio of audios.filter((one) => !made.includes(one))) {
    const article = await articleOf(database.read, audio.id);
    if (article === undefined) continue;
    const { title, content, language } = article;
    const { needles } = await lexicons.of(siteId, search.language || language);
    const texts = [title ?? '', content, article.reading];
    if (!texts.some((text) => mayHold(text, needles))) continue;
    const reading = readingOf(article.reading);
    const foreign =
      reading.foreign_passages && !['', language].includes(search.language)
        ? [{ language: search.language, aliases: [] }]
        : [];
    const read = await workers.ask('read', { title, content, language, reading, foreign });
    const own = read.sentences;
    touched.push(...touchedBy(audio, own, await lexicons.forAll(siteId, audio, own)));
  }
  return touched;
}

/** Quickly says of most texts that they hold none of the words. */
function mayHold(text: string, needles: readonly string[] | undefined): boolean {
  if (needles === undefined || FOLDING_TO_ASCII.test(text)) return true;
  const small = text.toLowerCase();
  return needles.some((needle) =>
    needle === '' ? BEYOND_ASCII.test(text) : small.includes(needle),
  );
}

/** @returns the audio, if a word that counts is in one of its sentences */
function touchedBy(
  audio: CurrentAudio,
  sentences: readonly WrittenSentence[],
  lexicons: ReadonlyMap<string, SearchedLexicon>,
): TouchedAudio[] {
  let sentence: string | undefined;
  for (const { text, language } of sentences) {
    const searched = lexicons.get(language ?? audio.language);
    if (searched === undefined || searched.isEmpty || !mayHold(text, searched.needles)) continue;
    const meant = searched
      .lexicon(text)
      .replacements.map(({ entry }) => entry as EntryAlias)
      .filter(searched.isMeant);
    if (meant.length === 0) continue;
    sentence ??= text;
    const isOutdated = meant.some(({ changedAt }) => isBefore(audio, changedAt));
    if (isOutdated) return [{ ...audio, sentence: text, isOutdated }];
  }
  return sentence === undefined ? [] : [{ ...audio, sentence, isOutdated: false }];
}

/** What waits hears of the change when its turn comes. */
function isBefore({ status, began_at }: CurrentAudio, changedAt: string): boolean {
  return status !== 'pending' && (began_at === null || began_at <= changedAt);
}
