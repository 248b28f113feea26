import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Reads docs/glossary.md, and splits sources and documents into fragments to search for its words.
export const projectFolder = join(import.meta.dir, '../..');
export const glossaryPath = 'docs/glossary.md';

export type Place = 'identifiers' | 'messages' | 'docs';
export const allPlaces: readonly Place[] = ['identifiers', 'messages', 'docs'];

/** A word that the glossary forbids. */
export interface AvoidedWord {
  readonly word: string;
  /** The term to use instead. */
  readonly term: string;
  readonly places: readonly Place[];
}

/** Text of one place of a file, with the line on which it begins. */
export interface Fragment {
  readonly place: Place;
  readonly text: string;
  readonly line: number;
}

/**
 * Reads the rows `| term | meaning | avoid |`. An avoided word is in backticks, and can be followed by `(identifiers)`, `(messages)`
 * or `(docs)` to limit the search to these places.
 */
export function parseGlossary(markdown: string): { terms: string[]; avoided: AvoidedWord[] } {
  const terms: string[] = [];
  const avoided: AvoidedWord[] = [];
  for (const line of markdown.split('\n')) {
    const [, term = '', , avoid = ''] = line.split('|').map((cell) => cell.trim());
    if (!line.startsWith('|') || term === 'Term' || /^-+$/.test(term)) continue;
    terms.push(term);
    for (const [, word = '', limits] of avoid.matchAll(/`([^`]+)`(?: \(([a-z, ]+)\))?/g)) {
      const places = limits === undefined ? allPlaces : limits.split(', ').map(toPlace);
      avoided.push({ word, term, places });
    }
  }
  return { terms, avoided };
}

function toPlace(name: string): Place {
  const place = allPlaces.find((place) => place === name);
  if (place === undefined) throw new Error(`${glossaryPath}: unknown place "${name}"`);
  return place;
}

/** @returns sources of the program and pages of the documentation, by path */
export function readProject(): { path: string; fragments: Fragment[] }[] {
  const sources = list('src/**/*.{ts,tsx}').map((path) => ({
    path,
    fragments: splitSource(read(path), path.endsWith('.tsx')),
  }));
  const documents = listDocuments()
    .filter((path) => path !== glossaryPath)
    .map((path) => ({ path, fragments: splitDocument(read(path)) }));
  return [...sources, ...documents];
}

/** @returns the pages of the documentation */
export function listDocuments(): string[] {
  const paths = [...list('*.md'), ...list('docs/**/*.md'), ...list('src/**/README.md')];
  return paths.filter((path) => path !== 'THIRD-PARTY-NOTICES.md');
}

export function read(path: string): string {
  return readFileSync(join(projectFolder, path), 'utf8');
}

function list(pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync(projectFolder)].sort();
}

/** Tokens at the current offset; a `/` starts a regular expression if no value can end before it. */
const token = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  pattern: /(?<=(?:^|[=(,:[!&|?{};>]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  string: /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y,
  template: /(?:\\.|\$(?!\{)|[^`\\$])*/y,
  // Text of a page between two tags.
  shown: /(?<=(?:[\w"'}/]|<)>\s*|\}\s*)[^<>{}();=`]*[A-Za-z][^<>{}();=`]*(?=<\/|<[A-Za-z]|\{)/y,
  identifier: /[A-Za-z_$][\w$]*/y,
};

/** Splits a TypeScript source into identifiers and messages: strings with a space or a capital, and text between tags. */
export function splitSource(source: string, hasTags = false): Fragment[] {
  const fragments: Fragment[] = [];
  /** Braces open since each `${` that is not closed yet. */
  const interrupted: number[] = [];
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found === undefined || found === '') return undefined;
    at += found.length;
    return found;
  };
  const add = (place: Place, text: string): void => {
    if (place === 'identifiers' || /\s|^[A-Z]/.test(text)) fragments.push({ place, text, line });
    line += text.split('\n').length - 1;
  };
  const takeTemplate = (): void => {
    add('messages', take(token.template) ?? '');
    if (source.startsWith('${', at)) interrupted.push(0);
    at += source.startsWith('${', at) ? 2 : 1;
  };
  while (at < source.length) {
    const skipped = take(token.comment) ?? take(token.pattern);
    if (skipped !== undefined) {
      line += skipped.split('\n').length - 1;
      continue;
    }
    const shown = hasTags ? take(token.shown) : undefined;
    const message = shown ?? take(token.string)?.slice(1, -1);
    if (message !== undefined) {
      add('messages', message);
      continue;
    }
    const identifier = take(token.identifier);
    if (identifier !== undefined) {
      add('identifiers', identifier);
      continue;
    }
    const sign = source[at];
    at += 1;
    const depth = interrupted.at(-1);
    if (sign === '\n') line += 1;
    else if (sign === '`') takeTemplate();
    else if (sign === '{' && depth !== undefined) interrupted[interrupted.length - 1] = depth + 1;
    else if (sign === '}' && depth === 0) {
      interrupted.pop();
      takeTemplate();
    } else if (sign === '}' && depth !== undefined) interrupted[interrupted.length - 1] = depth - 1;
  }
  return fragments;
}

/** Splits a page without its code, which contains public names. */
export function splitDocument(markdown: string): Fragment[] {
  const withoutBlocks = markdown.replace(/^```[\s\S]*?^```|^( {4,}[^\n]*\n)+/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  );
  return withoutBlocks.split('\n').map((text, index) => ({
    place: 'docs',
    text: text.replace(/`[^`]*`|\]\([^)]*\)/g, ' '),
    line: index + 1,
  }));
}

/** Finds a word in camelCase, snake_case and prose alike: `leftOut` also as `left_out` and "left out". */
export function containsWord(text: string, word: string): boolean {
  return toWords(text).includes(toWords(word));
}

/** @returns the words in lower case, with a space on either side of each */
export function toWords(text: string): string {
  const words = text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}']+/gu, ' ');
  return ` ${words.trim()} `;
}
