import { Parser } from 'htmlparser2';
import { parseAlias } from '../speech/pronunciation/inline-phonemes.ts';
import type { Entry } from './entry.ts';

/** An entry of a file, not validated. */
export interface FileEntry {
  /** From 1. */
  readonly line: number;
  readonly fields: Readonly<Record<keyof Entry, unknown>>;
}

export interface FileProblem {
  readonly line: number;
  readonly problem: string;
}

export interface FileContent {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly FileProblem[];
  /** The only language of the file, as written; undefined: entries have their own. */
  readonly language?: string;
}

const namespace = 'http://www.w3.org/2005/01/pronunciation-lexicon';
/** PLS has no word for capitals; what a role means is for those who write it. */
const ownNamespace = 'urn:lectern:lexicon';
const matchCaseRole = 'lectern:match-case';
/** BCP 47: no language, or several. */
const anyLanguageCodes = ['und', 'mul', ''];
const maxDepth = 20;
const notPlsProblem = 'is not a PLS document';

/**
 * A lexicon of W3C PLS 1.0, which holds one language.
 * @param language empty: every one
 */
export function formatPls(entries: readonly Omit<Entry, 'language'>[], language: string): string {
  const lexemes = entries.map(({ word, alias, match_case }) => {
    const role = match_case ? ` role="${matchCaseRole}"` : '';
    return `  <lexeme${role}>\n    <grapheme>${escapeXml(word)}</grapheme>\n    ${renderAlias(alias)}\n  </lexeme>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="${namespace}" xmlns:lectern="${ownNamespace}"
    alphabet="ipa" xml:lang="${language || anyLanguageCodes[0]}">
${lexemes.join('')}</lexicon>
`;
}

/** An alias of phonemes alone is a phoneme to PLS. */
function renderAlias(alias: string): string {
  const [only, ...others] = parseAlias(alias);
  return only !== undefined && 'ipa' in only && others.length === 0
    ? `<phoneme>${escapeXml(only.ipa)}</phoneme>`
    : `<alias>${escapeXml(alias)}</alias>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Lexeme {
  readonly line: number;
  readonly matchCase: boolean;
  readonly graphemes: string[];
  readonly aliases: { readonly alias: string; readonly preferred: boolean }[];
}

interface TextElement {
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Ends the parsing. */
class PlsSyntaxError extends Error {}

/**
 * Reads W3C PLS 1.0. Each grapheme of a lexeme becomes an entry; of several pronunciations the preferred one counts, else the
 * first. No entity is read from anywhere.
 */
export function parsePls(text: string): FileContent {
  const reading = new PlsParser(text);
  try {
    reading.parse();
  } catch (error) {
    if (!(error instanceof PlsSyntaxError)) throw error;
    return { entries: [], problems: [{ line: reading.line, problem: error.message }] };
  }
  return reading;
}

class PlsParser implements FileContent {
  readonly entries: FileEntry[] = [];
  readonly problems: FileProblem[] = [];
  readonly #text: string;
  readonly #parser: Parser;
  readonly #openNames: string[] = [];
  language = '';
  #alphabet = '';
  #lexeme: Lexeme | undefined;
  #textElement: TextElement | undefined;
  #hasRoot = false;
  /** Where lines were counted last. */
  #lineCounter = { offset: 0, line: 1 };

  constructor(text: string) {
    this.#text = text;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#onOpenTag(localName(name), attributes),
        onclosetag: (name, isImplied) => this.#onCloseTag(localName(name), isImplied),
        ontext: (run) => {
          if (this.#textElement !== undefined) this.#textElement.text += run;
        },
        onprocessinginstruction: (name) => {
          if (/^!/.test(name)) throw new PlsSyntaxError('must not contain a DOCTYPE');
        },
      },
      { xmlMode: true },
    );
  }

  get line(): number {
    const end = this.#parser.startIndex;
    let { offset, line } = this.#lineCounter;
    for (; offset < end; offset += 1) if (this.#text.charCodeAt(offset) === 10) line += 1;
    this.#lineCounter = { offset, line };
    return line;
  }

  parse(): void {
    this.#parser.write(this.#text);
    this.#parser.end();
    if (!this.#hasRoot) this.problems.push({ line: 1, problem: notPlsProblem });
  }

  #onOpenTag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#openNames.length >= maxDepth) throw new PlsSyntaxError('is nested too deeply');
    if (this.#openNames.length === 0) this.#begin(name, attributes);
    const parent = this.#openNames.at(-1);
    this.#openNames.push(name);
    if (name === 'lexeme' && parent === 'lexicon') {
      const roles = (attributes['role'] ?? '').split(/\s+/);
      this.#lexeme = { line: this.line, matchCase: roles.includes(matchCaseRole), graphemes: [], aliases: [] };
    }
    const isPart = ['grapheme', 'phoneme', 'alias'].includes(name);
    if (isPart && parent === 'lexeme') this.#textElement = { attributes, text: '' };
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name !== 'lexicon' || this.#hasRoot) throw new PlsSyntaxError(notPlsProblem);
    this.#hasRoot = true;
    this.#alphabet = attributes['alphabet'] ?? '';
    const language = attributes['xml:lang'] ?? '';
    this.language = anyLanguageCodes.includes(language.toLowerCase()) ? '' : language;
  }

  #onCloseTag(name: string, isImplied: boolean): void {
    if (isImplied && !this.#isSelfClosing) throw new PlsSyntaxError(`is not well-formed: ${name} is not closed`);
    this.#openNames.pop();
    const lexeme = this.#lexeme;
    if (lexeme === undefined) return;
    if (this.#openNames.at(-1) === 'lexeme') this.#addToLexeme(lexeme, name);
    if (name !== 'lexeme' || this.#openNames.length !== 1) return;
    this.#lexeme = undefined;
    this.#finish(lexeme);
  }

  get #isSelfClosing(): boolean {
    const { startIndex, endIndex } = this.#parser;
    return this.#text.slice(startIndex, endIndex + 1).endsWith('/>');
  }

  #addToLexeme(lexeme: Lexeme, name: string): void {
    const gathered = this.#textElement;
    if (gathered === undefined) return;
    this.#textElement = undefined;
    const text = gathered.text.replace(/[ \t\r\n]+/g, ' ').trim();
    if (name === 'grapheme') {
      lexeme.graphemes.push(text);
      return;
    }
    const preferred = gathered.attributes['prefer'] === 'true';
    const alphabet = gathered.attributes['alphabet'] ?? this.#alphabet;
    if (name === 'phoneme' && alphabet.toLowerCase() !== 'ipa') {
      this.problems.push({ line: this.line, problem: `phonemes must be in ipa, not ${alphabet || 'unnamed'}` });
    }
    lexeme.aliases.push({ alias: name === 'phoneme' ? `[[${text}]]` : text, preferred });
  }

  #finish({ line, matchCase, graphemes, aliases }: Lexeme): void {
    const { alias } = aliases.find(({ preferred }) => preferred) ?? aliases[0] ?? {};
    if (graphemes.length === 0) this.problems.push({ line, problem: 'has no grapheme' });
    if (alias === undefined) this.problems.push({ line, problem: 'has no phoneme and no alias' });
    if (alias === undefined) return;
    for (const word of graphemes) {
      const fields = { word, alias, language: this.language, match_case: matchCase };
      this.entries.push({ line, fields });
    }
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
