import type { NormalizationRule } from './language.ts';

/** Rules are selected by ASCII characters; for others all apply. */
const ASCII = String.fromCharCode(...Array(128).keys());

/** Positions in texts before patterns are read, which costs a short-lived process more CPU time than it saves. */
const MIN_POSITIONS = 1_000;

interface RuleIndex {
  positions: number;
  /** Per rule; undefined: any. */
  firstCharacters?: readonly (ReadonlySet<number> | undefined)[];
  /** By character code. */
  readonly selections: (readonly NormalizationRule[])[];
}

const indexes = new WeakMap<readonly NormalizationRule[], RuleIndex>();

/** @returns at least the rules, in order, whose patterns can match text that begins with this UTF-16 unit */
export function selectByFirstCharacter(
  rules: readonly NormalizationRule[],
  code: number,
): readonly NormalizationRule[] {
  if (code >= ASCII.length) return rules;
  let index = indexes.get(rules);
  if (index === undefined) {
    index = { positions: 0, selections: [] };
    indexes.set(rules, index);
  }
  index.positions += 1;
  if (index.positions <= MIN_POSITIONS) return rules;
  index.firstCharacters ??= rules.map(({ pattern }) => pattern && findFirstCharacters(pattern));
  const { firstCharacters, selections } = index;
  selections[code] ??= rules.filter((_rule, at) => firstCharacters[at]?.has(code) ?? true);
  return selections[code];
}

/** @returns the ASCII codes that a match can begin with, or more; undefined: any */
function findFirstCharacters({ source, flags }: RegExp): ReadonlySet<number> | undefined {
  // Not read: nested classes and groups with flags.
  if (flags.includes('v') || /\(\?[a-z-]/.test(source)) return undefined;
  const atoms = new Set<string>();
  if (readAlternatives({ source, at: 0, atoms }, true)) return undefined;
  const codes = new Set<number>();
  for (const atom of atoms) addCodes(atom, flags, codes);
  return codes;
}

interface Reader {
  readonly source: string;
  at: number;
  /** Characters and character classes that a match can begin with. */
  readonly atoms: Set<string>;
}

/** Characters and classes before a group or the next alternative. */
const WITHOUT_GROUPS = /(?:[^\\[()|]+|\\.|\[(?:[^\\\]]|\\.)*\])+/sy;

/**
 * @param isStart whether a match can begin here
 * @returns whether it can begin after these alternatives
 */
function readAlternatives(reader: Reader, isStart: boolean): boolean {
  let canFollow = readSequence(reader, isStart);
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    if (readSequence(reader, isStart)) canFollow = true;
  }
  return canFollow;
}

function readSequence(reader: Reader, isStart: boolean): boolean {
  const { source } = reader;
  let canStart = isStart;
  while (reader.at < source.length && source[reader.at] !== '|' && source[reader.at] !== ')') {
    if (canStart) {
      const canFollow = readPart(reader, true);
      canStart = readQuantifier(reader) || canFollow;
    } else if (source[reader.at] === '(') readPart(reader, false);
    else {
      WITHOUT_GROUPS.lastIndex = reader.at;
      WITHOUT_GROUPS.test(source);
      reader.at = WITHOUT_GROUPS.lastIndex;
    }
  }
  return canStart;
}

/** @returns whether the quantified part may be absent */
function readQuantifier(reader: Reader): boolean {
  const { source, at } = reader;
  const sign = source[at];
  if (sign === '{') reader.at = source.indexOf('}', at) + 1;
  else if (sign === '?' || sign === '*' || sign === '+') reader.at += 1;
  else return false;
  if (source[reader.at] === '?') reader.at += 1;
  return sign === '?' || sign === '*' || (sign === '{' && source[at + 1] === '0');
}

/** Reads a group, a condition, a class or a character. */
function readPart(reader: Reader, isStart: boolean): boolean {
  const { source, at } = reader;
  if (source[at] === '(') {
    const isLookaround = /^\(\?<?[=!]/.test(source.slice(at, at + 4));
    const nameEnd = source.startsWith('(?<', at) ? source.indexOf('>', at) + 1 : at + 3;
    reader.at = isLookaround ? at + 3 : source[at + 1] === '?' ? nameEnd : at + 1;
    const canFollow = readAlternatives(reader, isStart && !isLookaround);
    reader.at += 1;
    return isLookaround ? isStart : canFollow;
  }
  reader.at = findAtomEnd(source, at);
  if (!isStart) return false;
  const atom = source.slice(at, reader.at);
  if (atom === '^' || atom === '$' || atom === '\\b' || atom === '\\B') return true;
  // A reference to a group can be empty.
  const isReference = /^\\[1-9k]/.test(atom);
  reader.atoms.add(isReference ? '[\\s\\S]' : atom);
  return isReference;
}

function findAtomEnd(source: string, at: number): number {
  if (source[at] === '[') {
    let end = at + 1;
    while (source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (source[at] !== '\\') return at + 1;
  const kind = source[at + 1] ?? '';
  if ('pPu'.includes(kind) && source[at + 2] === '{') return source.indexOf('}', at) + 1;
  return at + ({ u: 6, x: 4 }[kind] ?? 2);
}

const codesByAtom = new Map<string, readonly number[]>();

function addCodes(atom: string, flags: string, codes: Set<number>): void {
  if (atom.length === 1 && atom !== '.' && !flags.includes('i')) {
    codes.add(atom.charCodeAt(0));
    return;
  }
  const key = `${flags} ${atom}`;
  let added = codesByAtom.get(key);
  if (added === undefined) {
    const pattern = new RegExp(atom, `${flags.replace(/[^iu]/g, '')}g`);
    added = Array.from(ASCII.matchAll(pattern), ({ index }) => index);
    codesByAtom.set(key, added);
  }
  for (const code of added) codes.add(code);
}
