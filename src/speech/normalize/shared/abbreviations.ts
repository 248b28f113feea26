import { capitalize } from '../../../capitalize.ts';
import { type MatchContext, type NormalizationRule, rule, sentenceStop } from '../language.ts';
import { buildAlternatives, type Nouns } from './amounts.ts';
import type { NumberVerbalizer } from './numbers.ts';

/** Written → spoken. A space in the written form may be missing or non-breaking. */
type AbbreviationTable = Readonly<Record<string, string>>;

export interface Abbreviations {
  /** Anywhere, also with a capital at the start of a sentence. */
  readonly general: AbbreviationTable;
  /** Only before a name: "St. Pauli". */
  readonly titles: AbbreviationTable;
  /** Only before a number: "Nr. 5". */
  readonly numbered: AbbreviationTable;
}

export function createAbbreviationRules({ general, titles, numbered }: Abbreviations): NormalizationRule[] {
  const beforeName = '(?=[ \\u00a0\\u202f-]["“„«]?\\p{Lu})';
  const generalForms = addCapitalized(general);
  // "el Prof. Soto", but "5 m de prof."
  const ambiguous = Object.entries(titles).filter(([name]) => name in generalForms);
  return [
    ...(ambiguous.length === 0 ? [] : [createAbbreviationRule(Object.fromEntries(ambiguous), beforeName)]),
    createAbbreviationRule(generalForms, '(?![\\p{L}\\p{N}])'),
    // Before titles: "Cap. IV", but "Cap. Ruiz"
    createAbbreviationRule(
      addCapitalized(numbered),
      '(?=[ \\u00a0\\u202f]?(?:\\d|[IVXLC]{1,6}(?![\\p{L}\\p{N}]|\\.\\p{L})))',
      ' ',
    ),
    createAbbreviationRule(titles, beforeName),
  ];
}

/** "And so on". */
const OFTEN_FINAL = new Set(['itd.', 'itp.', 'Itd.', 'Itp.']);

/** Of the abbreviations with a full stop, in the text before it. */
export function createFinalPatterns({ general, titles, numbered }: Abbreviations, units: Nouns, rarelyFinal: RegExp) {
  const toPattern = (...tables: readonly AbbreviationTable[]) => {
    const names = tables
      .flatMap((table) => Object.keys(addCapitalized(table)))
      .filter((name) => /\p{L}{2}\.$/u.test(name) && !OFTEN_FINAL.has(name));
    return `(?:^|[\\s("„“«/¿¡-])(?:${buildAlternatives(names.map((name) => name.slice(0, -1)))})$`;
  };
  const unitNames = Object.keys(units).filter((name) => /\p{L}{2}\.$/u.test(name));
  const afterNumber = `\\d\\s?(?:${buildAlternatives(unitNames.map((name) => name.slice(0, -1)))})$`;
  return {
    rarelyFinal: new RegExp(
      `${rarelyFinal.source}|${toPattern(general, titles)}${unitNames.length === 0 ? '' : `|${afterNumber}`}`,
      rarelyFinal.flags,
    ),
    beforeNumber: new RegExp(toPattern(numbered), 'u'),
  };
}

function createAbbreviationRule(table: AbbreviationTable, follows: string, joint = ''): NormalizationRule {
  const expansions = new Map(Object.entries(table).map(([written, words]) => [removeSpaces(written), words]));
  return rule(
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${buildAlternatives(Object.keys(table))})${follows}${joint && '[ \\u00a0\\u202f]?'}`,
      'u',
    ),
    ([written], place) => {
      const words = expansions.get(removeSpaces(written));
      return words === undefined ? undefined : words + joint + sentenceStop(written, place);
    },
  );
}

function addCapitalized(table: AbbreviationTable): AbbreviationTable {
  const all: Record<string, string> = { ...table };
  for (const [written, expansion] of Object.entries(table)) {
    // A capital letter with a full stop is an initial.
    if (/^\p{L}\.$/u.test(written)) continue;
    all[capitalize(written)] ??= capitalize(expansion);
  }
  return all;
}

function removeSpaces(written: string): string {
  return written.replace(/\s/g, '');
}

export interface AcronymSets {
  /** Acronyms of two or three letters that are words, and words capitalized for emphasis. */
  readonly pronounced: ReadonlySet<string>;
  readonly spelled: ReadonlySet<string>;
}

/** Starts and ends that no word has: "DGSI", "FNSEA", "IRPF", "CICR". */
const UNPRONOUNCEABLE = new RegExp(
  [
    '^(?!(?:[BCFGPKV][LR]|[DTW]R|S[CHKLMNPQTVW]|[CPKTGRW]H|[CDKGPM]N|[DGKTZ]W|P[FS]|TS|S[CPT][HLR]|[LR]V|LJ|MB|N[DG]|RW|TB)[AEIOUYÀ-Ü])[B-DF-HJ-NP-TV-XZ]{2}',
    '[B-DF-HJ-NP-TV-XZ](?!CH|TH|SH|PH|LD|CK|SK)[B-DF-HJ-NP-TV-XZ][B-DF-HJ-NP-RV-X]$',
    '[BCDFGKPTV][LR]$',
  ].join('|'),
);

/** Spells initialisms and letters with a number: "A7", "CO2". */
export function createAcronymRules(
  { pronounced, spelled }: AcronymSets,
  { verbalizeCardinal, spellDigits }: NumberVerbalizer,
): NormalizationRule[] {
  const isSpelled = (letters: string): boolean =>
    !pronounced.has(letters) &&
    (letters.length <= 3 ||
      spelled.has(letters) ||
      INTERNATIONAL.has(letters) ||
      (letters.length <= 6 && (!/[AEIOUYÄÖÜÉÁÍÓÚ]/.test(letters) || UNPRONOUNCEABLE.test(letters))));
  return [
    rule(/((?:\p{Lu}\.[ \u00a0-]?){1,7}\p{Lu})\.?(?![\p{L}\p{N}])/u, ([written, letters = ''], place) =>
      isSingle(place) ? spellLetters(letters) + sentenceStop(written, place) : undefined,
    ),
    rule(/(\p{Lu})\.(?=[ \u00a0-]?\p{Lu})/u, ([, letter = ''], place) => (isSingle(place) ? letter : undefined)),
    rule(/(?:[A-Z]{1,2}\d{1,3}){1,3}(?:[A-Z]{1,2}\d{1,3}|[A-Z])(?![\p{L}\p{N}])/u, ([written]) =>
      (written.match(/\D+|\d+/g) ?? [])
        .map((run) => (/^\d/.test(run) ? verbalizeCardinal(run) : spellLetters(run)))
        .join(' '),
    ),
    rule(
      /([A-ZÄÖÜ]{1,4})[-‑]?(\d{1,4})(\p{Ll}{2,6})?(?![\p{L}\p{N}]|[.,]\d)/u,
      ([, letters = '', digits = '', suffix = ''], place) =>
        isSingle(place) && !(letters.length > 3 && !spelled.has(letters))
          ? `${letters.length > 2 && pronounced.has(letters) ? letters : spellLetters(letters)} ${verbalizeCardinal(digits)} ${suffix}`.trim()
          : undefined,
    ),
    // "BNT162b2", "A321XLR", "PETR4", and by character "DE000ENER6Y0"
    rule(
      /(?:[A-Z]{2}(?=[A-Z\d]{0,8}\d)[A-Z\d]{9}\d|[A-Z]{1,5}\d{1,4}[A-Za-z]{1,4}\d{0,4}|[A-Z]{4}\d{1,2})(?![\p{L}\p{N}])/u,
      ([written], place) =>
        isSingle(place)
          ? (written.match(/\p{L}+|\d+/gu) ?? [])
              .map((run) =>
                /^\D/.test(run) ? spellLetters(run) : written.length > 11 ? spellDigits(run) : verbalizeCardinal(run),
              )
              .join(' ')
          : undefined,
    ),
    // "BMW i4", "e-208"
    rule(/([a-z])-?(\d{1,3})(?![\p{L}\p{N}]|[.,]\d)/u, ([, letter = '', digits = ''], place) =>
      isSingle(place) && !/\d\s$/.test(place.before)
        ? `${spellLetters(letter)} ${verbalizeCardinal(digits)}`
        : undefined,
    ),
    // "mWIG40", "Euro95"
    rule(/(\p{L}{2,12})(\d{1,4})(?![\p{L}\p{N}]|[.,]\d)/u, ([, name = '', digits = ''], place) =>
      isSingle(place) && /\p{Ll}/u.test(name) && /\p{Lu}/u.test(name)
        ? `${name} ${verbalizeCardinal(digits)}`
        : undefined,
    ),
    // A code: "DE0007164600"
    rule(/([A-Z]{1,4})[-‑]?(\d{5,14})(?![\p{L}\p{N}]|[.,]\d)/u, ([, letters = '', digits = ''], place) =>
      isSingle(place) ? `${spellLetters(letters)} ${spellDigits(digits)}` : undefined,
    ),
    rule(/(\p{Lu}{2,40})(s?)(?![\p{L}\p{N}])/u, ([, letters = '', plural = ''], place) => {
      if (plural !== '' && letters.length > 5) return undefined;
      // "GDAŃSK (PAP)"
      if (letters.length > 3 && place.at === 0 && DATELINE_AFTER.test(place.after)) return letters.toLowerCase();
      if (isAllCapitals(place)) return spelled.has(letters) ? spellLetters(letters) : letters.toLowerCase();
      // "(ETR: SIE)"
      const isTicker = place.after.startsWith(')') && /\(\p{L}[\p{L} ]{1,14}:\s?$/u.test(place.before);
      if (!isSpelled(letters) && !(isTicker && letters.length <= 5)) return undefined;
      return spellLetters(letters) + (plural === '' ? '' : 's');
    }),
  ];
}

/** Spelled in every language. */
const INTERNATIONAL = new Set(['USGS', 'UNHCR', 'UCLA', 'ESPN', 'IAEA', 'USMCA', 'OSCE']);
const DATELINE_AFTER = /^(?: \p{Lu}{2,20}){0,2}(?:,[^()]{1,30})? \((?:PAP|IAR|AFP|ANP|ANSA|dpa|AP|EFE|Lusa|Reuters)\)/u;

/** "SPD" → "S.P.D": espeak-ng reads letters with dots as one group. */
export function spellLetters(letters: string): string {
  return [...letters.toUpperCase().replace(/[^\p{L}]/gu, '')].join('.');
}

/** Whether a letter is not part of a word. */
export function isSingle(place: MatchContext): boolean {
  return !/[\p{L}\p{N}]$/u.test(place.before.slice(-2));
}

/** In an all-caps headline capitals do not mark an acronym. */
function isAllCapitals(place: MatchContext): boolean {
  const context = `${place.before.slice(-30)} ${place.after.slice(0, 30)}`;
  // "NOSTRA CORRISPONDENTE NEW YORK - Il presidente"
  if (/\p{Lu}{4,}\s$/u.test(place.before) && /^\s\p{Lu}{4,}/u.test(place.after)) return true;
  return !/\p{Ll}/u.test(context) && /\p{Lu}{4,}/u.test(context);
}

/**
 * An abbreviation that has this reading only beside certain words.
 * @param pattern its condition for the text after it is a lookahead
 */
export function createContextualRule(pattern: RegExp, spoken: string, before?: RegExp): NormalizationRule {
  return rule(pattern, ([written], place) =>
    before === undefined || before.test(place.before) ? spoken + sentenceStop(written, place) : undefined,
  );
}
