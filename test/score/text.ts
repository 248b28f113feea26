import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../src/speech/normalize/language.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { scoreArticles } from './articles.ts';
import { type PageScore, scorePages, summarizePages } from './pages.ts';
import {
  areSameLetters,
  areSameWords,
  type Outcome,
  type Pair,
  readBoundaries,
  readPairs,
  readRows,
  simplifySpoken,
  splitSentences,
  verbalize,
} from './pairs.ts';
import { type PronunciationScore, scorePronunciations, scoreUnseenNames } from './pronunciations.ts';

const CORPUS = join(import.meta.dir, '../speech/corpus');
/** Reference readings of a language that no newsreader would use: `written<TAB>why`. */
const findDisagreements = (code: string): string => join(import.meta.dir, `disagreements-${code}.tsv`);

/**
 * Prints how many texts are read as a newsreader would read them, by class, and each error.
 * Usage: bun run score:text [FOLDER], a folder of `written<TAB>spoken` pairs, one file a class, in the language at the end of the
 * folder's name (default: English); or of `news-LANGUAGE.tsv`, `fragments.tsv`, `names.tsv` and `heteronyms.tsv`; or of
 * web pages, each a folder with `source.html` and `expected.html`.
 */
async function main(folder: string | undefined): Promise<void> {
  for (const code of listCorpusLanguages()) {
    const language = getLanguage(code);
    const corpusFolder = join(CORPUS, code);
    show(`${code}: project sentences`, scorePairs(readPairs(corpusFolder), language, areEqual));
    show(`${code}: sentence ends`, scoreBoundaries(corpusFolder, language));
  }
  for (const { title, outcomes } of scoreArticles(CORPUS)) show(`project ${title}`, outcomes);
  showPronunciations(await scoreUnseenNames());
  if (folder === undefined) return;
  const pages = scorePages(folder);
  if (pages.length > 0) return showPages(pages);
  const articles = scoreArticles(folder);
  for (const { title, outcomes } of articles) show(title, outcomes);
  const pronunciations = await scorePronunciations(folder);
  showPronunciations(pronunciations);
  if (articles.length + pronunciations.length > 0) return;
  const code = /-([a-z]{2})\/?$/.exec(folder)?.[1] ?? 'en';
  const language = getLanguage(code);
  const pairs = readPairs(folder);
  const disagreements = new Map(readRows(findDisagreements(code)).map(([written = '', why = '']) => [written, why]));
  const outcomes = scorePairs(pairs, language, code === 'en' ? areSameWords : areSameLetters);
  show(`${folder}: all`, outcomes);
  const isListed = ({ sentences }: Pair) => disagreements.has(sentences.join(' '));
  showRows(
    `${folder}: outside the listed disagreements`,
    outcomes.filter((_outcome, index) => !isListed(pairs[index] as Pair)),
  );
  print('\nlisted disagreements:');
  for (const pair of pairs.filter(isListed)) {
    const written = pair.sentences.join(' ');
    print(`  ${written}\n    expected  ${pair.spoken}\n    actual    ${verbalize(written, language)}`);
    print(`    why       ${disagreements.get(written)}`);
  }
}

function showPronunciations(scores: readonly PronunciationScore[]): void {
  for (const { name, right, near, plainlyWrong, wrong } of scores) {
    const share = ((100 * plainlyWrong) / (right + near + plainlyWrong)).toFixed(1);
    print(`\n${name}: ${right} right, ${near} near, ${plainlyWrong} plainly wrong (${share} %)`);
    for (const text of wrong) print(`  ${text}`);
  }
}

function listCorpusLanguages(): string[] {
  return readdirSync(CORPUS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function scorePairs(
  pairs: readonly Pair[],
  language: Language,
  isSame: (expected: string, actual: string) => boolean,
): Outcome[] {
  return pairs.map(({ kind, sentences, spoken }) => {
    const written = sentences.join(' ');
    const got = verbalize(written, language);
    if (isSame(spoken, got)) return { kind };
    return { kind, miss: { written, expected: simplifySpoken(spoken), got: simplifySpoken(got) } };
  });
}

function areEqual(expected: string, actual: string): boolean {
  return simplifySpoken(expected) === simplifySpoken(actual);
}

/** Scores all texts of a corpus, also those with a spoken form. */
function scoreBoundaries(folder: string, language: Language): Outcome[] {
  return [...readPairs(folder), ...readBoundaries(folder)].map(({ kind, sentences }) => {
    const written = sentences.join(' ');
    const got = splitSentences(written, language).join(' ‖ ');
    const expected = sentences.join(' ‖ ');
    return got === expected ? { kind } : { kind, miss: { written, expected, got } };
  });
}

function show(title: string, outcomes: readonly Outcome[]): void {
  showRows(title, outcomes);
  for (const { kind, miss } of outcomes) {
    if (miss) print(`  ${kind}: ${miss.written}\n    expected  ${miss.expected}\n    actual    ${miss.got}`);
  }
}

function showPages(pages: readonly PageScore[]): void {
  print('\nwhole pages: spoken words, share of boilerplate, coverage of the article, coverage with excluded text');
  for (const page of pages) print(pageRow(page.name, [page]));
  print(pageRow('all', pages));
}

function pageRow(name: string, pages: readonly PageScore[]): string {
  const { spoken, boilerplate, coverage, wholeCoverage } = summarizePages(pages);
  const shares = [boilerplate, coverage, wholeCoverage].map((share) => `${(100 * share).toFixed(1).padStart(6)} %`);
  return `  ${name.padEnd(42)} ${String(spoken).padStart(7)} ${shares.join(' ')}`;
}

function showRows(title: string, outcomes: readonly Outcome[]): void {
  print(`\n${title}`);
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  for (const kind of kinds)
    print(
      row(
        kind,
        outcomes.filter((outcome) => outcome.kind === kind),
      ),
    );
  print(row('all', outcomes));
}

function row(name: string, outcomes: readonly Outcome[]): string {
  const right = outcomes.filter(({ miss }) => miss === undefined).length;
  const percent = ((100 * right) / outcomes.length).toFixed(1);
  return `  ${name.padEnd(18)} ${`${right}/${outcomes.length}`.padStart(8)} ${percent.padStart(6)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main(process.argv[2]);
