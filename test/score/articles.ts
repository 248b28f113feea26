import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ContentType, extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { type Outcome, readRows } from './pairs.ts';

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'];

/** Outcomes of the files of one language, by file name. */
export interface ArticleScore {
  readonly title: string;
  readonly outcomes: readonly Outcome[];
}

/**
 * Scores the reading of whole articles. `news-LANGUAGE.tsv`: class, written, spoken, with `{a|b}` for alternatives and `‖` for a sentence
 * end; `fragments.tsv`: name, language, content, spoken parts, excluded parts, separated by `¦`; the content of a name with the prefix
 * `md-` is Markdown.
 */
export function scoreArticles(folder: string): ArticleScore[] {
  const news = languages.flatMap((code) => {
    const file = join(folder, `news-${code}.tsv`);
    return existsSync(file) ? [{ title: `news-${code}`, outcomes: readRows(file).slice(1).map(scoreNews(code)) }] : [];
  });
  const file = join(folder, 'fragments.tsv');
  const fragments = existsSync(file) ? readRows(file).slice(1).map(scoreFragment) : [];
  return fragments.length === 0 ? news : [...news, { title: 'fragments', outcomes: fragments }];
}

function scoreNews(code: string) {
  return ([kind = '', written = '', spoken = '']: readonly string[]): Outcome => {
    const got = readSentences(written, code)
      .map((sentence) => sentence.spoken)
      .join(' ‖ ');
    const actual = simplify(got);
    if (listChoices(spoken).some((choice) => simplify(choice) === actual)) return { kind };
    return { kind, miss: { written, expected: spoken, got } };
  };
}

function scoreFragment([name = '', code = '', content = '', spoken = '', silent = '']: readonly string[]): Outcome {
  const contentType = name.startsWith('md-') ? 'text/markdown' : 'text/html';
  const got = readSentences(content.replaceAll('\\n', '\n'), code, contentType)
    .map((sentence) => sentence.text)
    .join(' ');
  const lost = listParts(spoken).filter((part) => !got.includes(part));
  const extra = listParts(silent).filter((part) => got.includes(part));
  if (lost.length + extra.length === 0) return { kind: 'fragment' };
  const expected = [...lost.map((part) => `+ ${part}`), ...extra.map((part) => `- ${part}`)].join(' ¦ ');
  return { kind: 'fragment', miss: { written: `${name}: ${content}`, expected, got } };
}

function readSentences(
  content: string,
  code: string,
  contentType: ContentType = 'text/html',
): { text: string; spoken: string }[] {
  const document = extractDocument({ content, contentType });
  const { sentences } = buildSentences(document, getLanguage(code));
  return sentences.map(({ text, tokens }) => ({ text, spoken: tokens.map(({ spoken }) => spoken).join('') }));
}

function listParts(parts: string): string[] {
  return parts.split('¦').filter((part) => part !== '');
}

/** All texts that `{a|b}` stands for. */
function listChoices(text: string): string[] {
  const [choice, options = ''] = /\{([^{}]*)\}/.exec(text) ?? [];
  if (choice === undefined) return [text];
  return options.split('|').flatMap((option) => listChoices(text.replace(choice, () => option)));
}

function simplify(spoken: string): string {
  return spoken
    .toLowerCase()
    .replace(/['’‘]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}‖]/gu, ' ')
    .replace(/(?<=hundred|thousand) +and(?= )/g, '')
    .replace(/‖/g, ' ‖ ')
    .replace(/\s+/g, ' ')
    .trim();
}
