import { after, arabicDigits, before, type Place, type Reader, reader } from '../language.ts';
import { areSaid, spell } from './acronyms.ts';
import {
  cardinal,
  fraction,
  numberWords,
  ordinal,
  pairs,
  plural,
  spellDigits,
} from './cardinals.ts';

const COUNTED_BEFORE =
  /\b(?:war|chapter|part|act|title|phase|volume|book|section|article|class|type|level|bowl|mark|schedule|tier|scene|stage|episode|appendix|grade|rocky|apollo|soyuz|olympiad|factor)\s$/i;
const RULERS =
  /\b(?:alexander|alfonso|benedict|boniface|catherine|charles|christian|clement|constantine|cosimo|edward|elizabeth|felipe|ferdinand|francis|frederick|george|gregory|gustav|harald|haakon|henry|innocent|isabella|ivan|james|john|juan carlos|john paul|joseph|leo|leopold|louis|ludwig|margrethe|mary|mehmed|mohammed|murad|napoleon|nicholas|otto|paul|peter|philip|pius|rama|ramses|richard|rudolf|selim|sixtus|suleiman|umberto|urban|victor emmanuel|vittorio|wilhelm|william|sam)\s$/i;
const FULL_NAME_BEFORE = /\p{Lu}[\p{L}.'’-]{0,20},?\s\p{Lu}[\p{L}'’-]{1,20},?\s$/u;

/** Roman numerals after what they count, "World War II", and after whom they number, "Henry VIII". */
export const romanReaders: readonly Reader[] = [
  reader(
    /([IVXLCDM]{1,10})(['’]s)?(?![\p{L}\p{N}.]\p{L}|[\p{L}\p{N}])/u,
    ([, numeral = '', ending = ''], place) => {
      const spoken = numeralWords(numeral, place);
      return spoken === undefined ? undefined : spoken + ending;
    },
  ),
];

function numeralWords(numeral: string, place: Place): string | undefined {
  const digits = arabicDigits(numeral);
  if (digits === undefined) return undefined;
  const textBefore = before(place);
  if (COUNTED_BEFORE.test(textBefore)) return cardinal(digits);
  if (/[LCDM]/.test(numeral)) return undefined;
  if (RULERS.test(textBefore)) {
    // "George I think" and "Mary V. Smith" have no number.
    if (
      numeral === 'I' &&
      /^\s(?:am|was|have|had|think|know|said|will|would|can|could|did|do)\b/.test(after(place))
    )
      return undefined;
    return after(place).startsWith('.') && numeral.length === 1 && /^\.\s\p{Lu}/u.test(after(place))
      ? undefined
      : `the ${ordinal(digits)}`;
  }
  if (numeral.length < 2 || !/\p{Lu}[\p{L}'’-]{1,20},?\s$/u.test(textBefore)) return undefined;
  return FULL_NAME_BEFORE.test(textBefore) && numeral.length <= 3
    ? `the ${ordinal(digits)}`
    : cardinal(digits);
}

/** Numerals that are not 0 to 9: "①", "Ⅳ", "⅐", "٣", "१२". */
export const otherNumeralReaders: readonly Reader[] = [
  reader(/\p{Nd}{1,15}/u, ([numerals]) => {
    const digits = Array.from(numerals, digitOf).join('');
    return /^0\d/.test(digits) ? spellDigits(digits) : cardinal(digits);
  }),
  reader(/[\p{Nl}\p{No}]/u, ([numeral]) => {
    const plain = numeral.normalize('NFKC');
    const [top, bottom] = plain.split('\u2044');
    if (top && bottom) return fraction(top, bottom);
    const digits = plain.replace(/\D/g, '');
    if (digits !== '') return cardinal(digits);
    const value = arabicDigits(plain.toUpperCase());
    return value === undefined ? undefined : cardinal(value);
  }),
];

/** The digits of a script follow each other from its zero on. */
function digitOf(numeral: string): string {
  const plain = numeral.normalize('NFKC');
  if (/^\d$/.test(plain)) return plain;
  const code = numeral.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

const CALLED =
  /\b(?:call|dial|phone|ring|text)(?:ed|ing|s)?\s$|\b(?:TTY|TDD):?\s$|\b(?:hotline|helpline|lifeline)\s(?:at|is|on)\s$/i;
const CALL_FOLLOWS =
  /^\s(?:calls?|callers?|dispatch|dispatchers?|operators?|hotline|lifeline)(?!\p{L})/u;
/** "Text HOME to 741741". */
const TEXTED = /\btext(?:ing)?\s(?:[\p{L}“”"']{1,20}\s)?to\s$/iu;

/** Telephone and other numbers in groups, read digit by digit with a pause between groups. */
export const telephoneReaders: readonly Reader[] = [
  reader(/(?:[2-9]11|988|999|11[12])(?!\d|[,.:/-]\d)/, readServiceNumber),
  reader(/\d{5,6}(?!\d|[,.]\d)/, ([digits], place) =>
    TEXTED.test(before(place)) ? spellDigits(digits) : undefined,
  ),
  reader(
    /1[-. ](8\d\d)[-. ]([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) =>
      `one, ${tollFree(code)}, ${rest.split('-').map(vanityGroup).join(', ')}`,
  ),
  reader(/(\d{1,3})[-. ]\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, groups),
  reader(/(?:(\d{1,3})[-. ])?(\d{3})([-.])(\d{3})\3(\d{4})(?:-\d{1,5})?(?!\d)/, ([written]) =>
    spellExtension(written),
  ),
  reader(/(\d{3})-(\d{2})-(\d{4})(?!\d)/, groups),
  reader(/0\d{2,4}[ ]\d{3,4}[ ]\d{3,4}(?!\d)/, groups),
  reader(/([2-9]\d{2})-(\d{4})(?![\d-])/, groups),
];

/** Telephone numbers that begin with a sign: "+1 212-555-0100", "(212) 555-0100". */
export const signedTelephoneReaders: readonly Reader[] = [
  reader(
    /\+(\d{1,3})[-. ]?\(?(\d{2,4})\)?[-. ]?\d{3,4}(?:[-. ]?\d{2,4}){0,3}(?!\d)/,
    ([written]) => `plus ${spellExtension(written)}`,
  ),
  reader(/\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, groups),
];

function groups([written]: RegExpExecArray): string {
  return spellExtension(written);
}

/** "Dial 988", "a 911 call": numbers of three digits that are called, not counted. */
function readServiceNumber([digits]: RegExpExecArray, place: Place): string | undefined {
  const isCalled = CALLED.test(before(place)) || CALL_FOLLOWS.test(after(place));
  return isCalled ? spellDigits(digits) : undefined;
}

function spellExtension(written: string): string {
  return (written.match(/\d+/g) ?? []).map(spellDigits).join(', ');
}

function tollFree(code: string): string {
  return code.endsWith('00') ? cardinal(code) : spellDigits(code);
}

function vanityGroup(group: string): string {
  return /\d/.test(group) ? spellDigits(group) : group;
}

/** "3x a day", "10x faster" */
const TIMES_FOLLOWS = /^\s(?:an?|as|per|the|more|less|daily|weekly|[a-z]{3,10}er)(?!\p{L})/u;
const RUNS = /\d+['’]?s(?!\p{L})|\d+(?:\.\d+)?|\p{L}+|[-/]/gu;

/** Names that mix letters and digits: "A380", "F-16", "Covid-19", "H1N1". */
export const serialReaders: readonly Reader[] = [
  reader(
    /(?=\p{L}{1,14}-?\d)(?!\p{L}{1,14}-\d{2,4}s|(?:noon|midnight)-)[\p{L}\d]{1,20}(?:(?<=\d)\.\d{1,3})?(?:[-/](?=[\p{L}-]{0,10}\d|(?<=-)\p{L})[\p{L}\d]{1,12}){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => (/\d/.test(written) ? sayRuns(written) : undefined),
  ),
];

/** Aircraft, plans and rows of numbers: "747-400", "401(k)", "4-4-2". */
export const modelReaders: readonly Reader[] = [
  // A book's number
  reader(/97[89](?:-\d{1,7}){3}-[\dX](?![\p{L}\p{N}])/u, ([written]) =>
    written
      .split('-')
      .map((group) => (group === 'X' ? 'X' : spellDigits(group)))
      .join(', '),
  ),
  reader(/401\(k\)(s?)/i, ([, s]) => `four oh one K${s ? "'s" : ''}`),
  // Paragraphs of the law: "501(c)(3)"
  reader(/(\d{1,5})((?:\([a-zA-Z\d]{1,3}\)){1,4})/, ([, number = '', parts = '']) =>
    [pairs(number), ...(parts.match(/[a-zA-Z\d]+/g) ?? []).map(sayRun)].join(' '),
  ),
  reader(
    /(7[0-9]7)-(\d{1,3})([A-Z]{1,3})?(s?)(?![\p{L}\p{N}])/u,
    ([, model = '', variant = '', letters, s]) =>
      `${pairs(model)} ${s ? plural(pairs(variant)) : pairs(variant)}${letters ? ` ${spell(letters)}` : ''}`,
  ),
  reader(/(7[0-9]7)s(?!\p{L})/u, ([, model = '']) => `${pairs(model)}s`),
  reader(/(7[0-9]7)(?=\s(?:Max|Dreamliner|jets?|jumbo|airliners?|planes?)\b)/i, ([, model = '']) =>
    pairs(model),
  ),
  reader(/\d{1,4}(?:-\d{1,4}){2,6}(?![\p{L}\p{N}])/u, ([written]) =>
    written.split('-').map(cardinal).join(' '),
  ),
];

/** Other names that begin with a digit: "5G", "3D", "4x". */
export const digitSerialReaders: readonly Reader[] = [
  reader(
    /\d{1,6}(?:\.\d{1,6})?[xX](?![\p{L}\p{N}])/u,
    ([written], place) =>
      `${numberWords(written.slice(0, -1))} ${TIMES_FOLLOWS.test(after(place)) ? 'times' : 'X'}`,
  ),
  reader(/\d{1,4}x\d{1,4}(?![\p{L}\p{N}])/u, ([written]) =>
    written.split('x').map(cardinal).join(' by '),
  ),
  reader(
    /(?=\d{1,6}[\p{L}])[\p{L}\d]{2,16}(?:-[\p{L}\d]{1,12}){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => sayRuns(written),
  ),
];

function sayRuns(written: string): string {
  // A code rather than the name of a model: "ab9453"
  const code = /^([a-z]{1,3})(\d{4,20})$/.exec(written);
  if (code) return `${code[1]} ${spellDigits(code[2] ?? '')}`;
  const runs = written.match(RUNS) ?? [];
  return runs
    .map((run) => (/[-/]/.test(run) ? ' ' : sayRun(run)))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function sayRun(run: string): string {
  if (/^\d+['’]?s$/.test(run)) return plural(pairs(run.replace(/\D/g, '')));
  if (run.includes('.')) return numberWords(run);
  if (/^\d/.test(run)) return pairs(run);
  if (areSaid(run)) return run.toLowerCase();
  return /^\p{Lu}{1,3}$/u.test(run) || run.length === 1 ? spell(run) : run;
}
