import { Parser } from 'htmlparser2';
import { aliasParts } from '../speech/pronunciation/inline-phonemes.ts';
import type { Entry } from './entry.ts';
import type { FileContent, FileEntry, FileProblem } from './import-export.ts';

const namespace = 'http://www.w3.org/2005/01/pronunciation-lexicon';
/** PLS has no word for capitals; what a role means is for those who write it. */
const ownNamespace = 'urn:lectern:lexicon';
const matchCaseRole = 'lectern:match-case';
/** BCP 47: no language, or several. */
const everyLanguage = ['und', 'mul', ''];
const depthMax = 20;
const noPls = 'is no PLS document';

/**
 * A lexicon of W3C PLS 1.0, which holds one language.
 * @param language empty: every one
 */
export function writePls(entries: readonly Omit<Entry, 'language'>[], language: string): string {
  const lexemes = entries.map(({ word, alias, match_case }) => {
    const role = match_case ? ` role="${matchCaseRole}"` : '';
    return `  <lexeme${role}>\n    <grapheme>${escaped(word)}</grapheme>\n    ${saidAs(alias)}\n  </lexeme>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="${namespace}" xmlns:lectern="${ownNamespace}"
    alphabet="ipa" xml:lang="${language || everyLanguage[0]}">
${lexemes.join('')}</lexicon>
`;
}

/** An alias of phonemes alone is a phoneme to PLS. */
function saidAs(alias: string): string {
  const [only, ...others] = aliasParts(alias);
  return only !== undefined && 'ipa' in only && others.length === 0
    ? `<phoneme>${escaped(only.ipa)}</phoneme>`
    : `<alias>${escaped(alias)}</alias>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A `lexeme` that is being read. */
interface Lexeme {
  readonly line: number;
  readonly matchCase: boolean;
  readonly graphemes: string[];
  readonly said: { readonly alias: string; readonly preferred: boolean }[];
}

/** The text that is being gathered. */
interface Gathered {
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** What cannot be read on from. */
class Unreadable extends Error {}

/**
 * Reads W3C PLS 1.0. Each grapheme of a lexeme becomes an entry; of several ways to say it the preferred one counts, else the
 * first. No entity is read from anywhere.
 */
export function readPls(text: string): FileContent {
  const reading = new PlsReading(text);
  try {
    reading.read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { entries: [], problems: [{ line: reading.line, problem: error.message }] };
  }
  return reading;
}

class PlsReading implements FileContent {
  readonly entries: FileEntry[] = [];
  readonly problems: FileProblem[] = [];
  readonly #text: string;
  readonly #parser: Parser;
  readonly #open: string[] = [];
  language = '';
  #alphabet = '';
  #lexeme: Lexeme | undefined;
  #gathered: Gathered | undefined;
  #hasRoot = false;
  /** Where lines were counted last. */
  #counted = { offset: 0, line: 1 };

  constructor(text: string) {
    this.#text = text;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#opened(localName(name), attributes),
        onclosetag: (name, isImplied) => this.#closed(localName(name), isImplied),
        ontext: (run) => {
          if (this.#gathered !== undefined) this.#gathered.text += run;
        },
        onprocessinginstruction: (name) => {
          if (/^!/.test(name)) throw new Unreadable('must have no DOCTYPE');
        },
      },
      { xmlMode: true },
    );
  }

  get line(): number {
    const end = this.#parser.startIndex;
    let { offset, line } = this.#counted;
    for (; offset < end; offset += 1) if (this.#text.charCodeAt(offset) === 10) line += 1;
    this.#counted = { offset, line };
    return line;
  }

  read(): void {
    this.#parser.write(this.#text);
    this.#parser.end();
    if (!this.#hasRoot) this.problems.push({ line: 1, problem: noPls });
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length >= depthMax) throw new Unreadable('is nested too deeply');
    if (this.#open.length === 0) this.#begin(name, attributes);
    const parent = this.#open.at(-1);
    this.#open.push(name);
    if (name === 'lexeme' && parent === 'lexicon') {
      const roles = (attributes['role'] ?? '').split(/\s+/);
      this.#lexeme = {
        ...{ line: this.line, matchCase: roles.includes(matchCaseRole), graphemes: [], said: [] },
      };
    }
    const isPart = ['grapheme', 'phoneme', 'alias'].includes(name);
    if (isPart && parent === 'lexeme') this.#gathered = { attributes, text: '' };
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name !== 'lexicon' || this.#hasRoot) throw new Unreadable(noPls);
    this.#hasRoot = true;
    this.#alphabet = attributes['alphabet'] ?? '';
    const language = attributes['xml:lang'] ?? '';
    this.language = everyLanguage.includes(language.toLowerCase()) ? '' : language;
  }

  #closed(name: string, isImplied: boolean): void {
    if (isImplied && !this.#closesItself)
      throw new Unreadable(`is not well-formed: ${name} is not closed`);
    this.#open.pop();
    const lexeme = this.#lexeme;
    if (lexeme === undefined) return;
    if (this.#open.at(-1) === 'lexeme') this.#addTo(lexeme, name);
    if (name !== 'lexeme' || this.#open.length !== 1) return;
    this.#lexeme = undefined;
    this.#finish(lexeme);
  }

  get #closesItself(): boolean {
    const { startIndex, endIndex } = this.#parser;
    return this.#text.slice(startIndex, endIndex + 1).endsWith('/>');
  }

  #addTo(lexeme: Lexeme, name: string): void {
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#gathered = undefined;
    const text = gathered.text.replace(/[ \t\r\n]+/g, ' ').trim();
    if (name === 'grapheme') {
      lexeme.graphemes.push(text);
      return;
    }
    const preferred = gathered.attributes['prefer'] === 'true';
    const alphabet = gathered.attributes['alphabet'] ?? this.#alphabet;
    if (name === 'phoneme' && alphabet.toLowerCase() !== 'ipa') {
      const { line } = this;
      this.problems.push({
        line,
        problem: `phonemes must be in ipa, not ${alphabet || 'unnamed'}`,
      });
    }
    lexeme.said.push({ alias: name === 'phoneme' ? `[[${text}]]` : text, preferred });
  }

  #finish({ line, matchCase, graphemes, said }: Lexeme): void {
    const { alias } = said.find(({ preferred }) => preferred) ?? said[0] ?? {};
    if (graphemes.length === 0) this.problems.push({ line, problem: 'has no grapheme' });
    if (alias === undefined) this.problems.push({ line, problem: 'has no phoneme and no alias' });
    if (alias === undefined) return;
    for (const word of graphemes) {
      const given = { word, alias, language: this.language, match_case: matchCase };
      this.entries.push({ line, given });
    }
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
