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
  rowsOf,
  say,
  sentencesOf,
  spokenWords,
} from './pairs.ts';
import { type PronunciationScore, scorePronunciations, scoreUnseenNames } from './pronunciations.ts';

const CORPUS = join(import.meta.dir, '../speech/corpus');
/** By language, reference readings that no newsreader would give: `written<TAB>why`. */
const findDisagreements = (code: string): string => join(import.meta.dir, `disagreements-${code}.tsv`);

/**
 * How many texts are read as a newsreader reads them, class by class, with each one that is not.
 * Usage: bun run score:text [FOLDER], a folder of `written<TAB>spoken` pairs, one file a class, in the language that its name ends
 * in (English without one); or of `news-LANGUAGE.tsv`, `fragments.tsv`, `names.tsv` and `heteronyms.tsv`; or of
 * web pages, each a folder with `source.html` and `expected.html`.
 */
async function main(folder: string | undefined): Promise<void> {
  for (const code of languagesWithCorpus()) {
    const language = getLanguage(code);
    const own = join(CORPUS, code);
    show(`${code}: own sentences`, scorePairs(readPairs(own), language, isSaidExactly));
    show(`${code}: sentence ends`, scoreBoundaries(own, language));
  }
  for (const { title, outcomes } of scoreArticles(CORPUS)) show(`own ${title}`, outcomes);
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
  const disagreements = new Map(rowsOf(findDisagreements(code)).map(([written = '', why = '']) => [written, why]));
  const outcomes = scorePairs(pairs, language, code === 'en' ? areSameWords : areSameLetters);
  show(`${folder}: as they are`, outcomes);
  const isListed = ({ sentences }: Pair) => disagreements.has(sentences.join(' '));
  showRows(
    `${folder}: outside the listed disagreements`,
    outcomes.filter((_outcome, index) => !isListed(pairs[index] as Pair)),
  );
  print('\nlisted disagreements:');
  for (const pair of pairs.filter(isListed)) {
    const written = pair.sentences.join(' ');
    print(`  ${written}\n    expected  ${pair.spoken}\n    said      ${say(written, language)}`);
    print(`    why       ${disagreements.get(written)}`);
  }
}

function showPronunciations(scores: readonly PronunciationScore[]): void {
  for (const { name, right, near, plainlyWrong, wrong } of scores) {
    const share = ((100 * plainlyWrong) / (right + near + plainlyWrong)).toFixed(1);
    print(`\n${name}: ${right} right, ${near} near, ${plainlyWrong} plainly wrong (${share} %)`);
    for (const one of wrong) print(`  ${one}`);
  }
}

function languagesWithCorpus(): string[] {
  return readdirSync(CORPUS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function scorePairs(
  pairs: readonly Pair[],
  language: Language,
  isSame: (expected: string, said: string) => boolean,
): Outcome[] {
  return pairs.map(({ kind, sentences, spoken }) => {
    const written = sentences.join(' ');
    const got = say(written, language);
    if (isSame(spoken, got)) return { kind };
    return { kind, miss: { written, expected: spokenWords(spoken), got: spokenWords(got) } };
  });
}

function isSaidExactly(expected: string, said: string): boolean {
  return spokenWords(expected) === spokenWords(said);
}

/** Every text of a corpus, those with a spoken side too. */
function scoreBoundaries(folder: string, language: Language): Outcome[] {
  return [...readPairs(folder), ...readBoundaries(folder)].map(({ kind, sentences }) => {
    const written = sentences.join(' ');
    const got = sentencesOf(written, language).join(' ‖ ');
    const expected = sentences.join(' ‖ ');
    return got === expected ? { kind } : { kind, miss: { written, expected, got } };
  });
}

function show(title: string, outcomes: readonly Outcome[]): void {
  showRows(title, outcomes);
  for (const { kind, miss } of outcomes) {
    if (miss) print(`  ${kind}: ${miss.written}\n    expected  ${miss.expected}\n    said      ${miss.got}`);
  }
}

function showPages(pages: readonly PageScore[]): void {
  print('\nwhole pages: spoken words, boilerplate among them, article that is spoken, with what is never read');
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
