import { CONTEXT_LENGTH, digitsToWords, MatchContext, type NormalizationRule, rule } from '../language.ts';

/** Pattern of a number with a decimal comma: "1.234.567,89", "1 234", "12,5". Bounded, never a part of a longer number. */
export const NUMBER = String.raw`(?:(?!0[ \u00a0\u2009\u202f])\d{1,3}(?:[.'’ \u00a0\u2009\u202f]\d{3}(?!\d)){1,4}|\d{1,15}(?!\d))(?:,\d{1,12}(?!,?\d))?`;
/** Pattern of the space between a number and its unit. */
export const GAP = String.raw`[ \u00a0\u2009\u202f]?`;
/** Pattern of the dash in a range. */
export const RANGE_DASH = String.raw`(?:[ \u00a0\u202f]?[-‐‑–—−][ \u00a0\u202f]?)`;

/** @returns the digits before and after the decimal comma, without separators */
export function splitDecimal(written: string): { whole: string; decimals: string } {
  const [whole = '', decimals = ''] = written.split(',');
  return { whole: whole.replace(/\D/g, ''), decimals };
}

export type Gender = 'masculine' | 'feminine' | 'neuter';

export interface NumberVerbalizer {
  /** A number before the noun it counts. */
  verbalizeQuantity(written: string, gender: Gender): string;
  verbalizeNumber(written: string): string;
  /** @param digits of a whole number */
  verbalizeCardinal(digits: string): string;
  spellDigits(written: string): string;
  /** Whether the noun is singular. */
  isOne(written: string): boolean;
  /** Between the ends of a range: "bis". */
  readonly rangeWord: string;
  /** @returns the end of a range in the case that `rangeWord` demands */
  inflectRangeEnd?(words: string): string;
  /** Between the parts of "3.14" and "2.0.1": "Punkt". */
  readonly pointWord: string;
}

interface NumberWords extends Pick<NumberVerbalizer, 'isOne' | 'rangeWord' | 'pointWord' | 'inflectRangeEnd'> {
  /** Begins with the words for 0 to 9. */
  readonly ones: readonly string[];
  /** @param digits of a number above 0, without leading zeros */
  readonly verbalizeWhole: (digits: string) => string;
  readonly decimalWord: string;
  /** Speaks up to three decimals as a number after their zeros, otherwise by digit. */
  readonly groupsDecimals: boolean;
  /** @returns the words for an integer before a noun */
  readonly inflect: (words: string, gender: Gender, written: string) => string;
}

/** Longer numbers are identifiers, spoken by digit. */
const MAX_CARDINAL_DIGITS = 15;

/** @returns a function from digits to words: "095" as 95 */
export function createCardinal({ ones, verbalizeWhole }: Pick<NumberWords, 'ones' | 'verbalizeWhole'>) {
  return (digits: string): string => {
    const significant = digits.replace(/^0+(?=\d)/, '');
    if (significant.length > MAX_CARDINAL_DIGITS) return digitsToWords(digits, ones);
    return Number(significant) === 0 ? (ones[0] ?? '') : verbalizeWhole(significant);
  };
}

export function createNumberVerbalizer(words: NumberWords): NumberVerbalizer {
  const { ones, isOne, rangeWord, pointWord } = words;
  const verbalizeCardinal = createCardinal(words);
  const spellDigits = (written: string) => digitsToWords(written, ones);
  const verbalizeDecimals = (decimals: string) => {
    const zeros = /^0*/.exec(decimals)?.[0] ?? '';
    const significant = decimals.slice(zeros.length);
    if (!words.groupsDecimals || decimals.length > 3 || significant === '') return spellDigits(decimals);
    return [...Array.from(zeros, () => ones[0]), verbalizeCardinal(significant)].join(' ');
  };
  const verbalizeNumber = (written: string) => {
    const { whole, decimals } = splitDecimal(written);
    const start = verbalizeCardinal(whole);
    return decimals === '' ? start : `${start} ${words.decimalWord} ${verbalizeDecimals(decimals)}`;
  };
  const verbalizeQuantity = (written: string, gender: Gender) => {
    const number = verbalizeNumber(written);
    return written.includes(',') ? number : words.inflect(number, gender, written);
  };
  const { inflectRangeEnd } = words;
  return {
    ...{ verbalizeQuantity, verbalizeNumber, verbalizeCardinal, spellDigits, isOne, rangeWord, pointWord },
    ...(inflectRangeEnd && { inflectRangeEnd }),
  };
}

/** @returns "zehn bis fünfzehn" for two ends, the number itself for one */
export function verbalizeRange(
  speech: NumberVerbalizer,
  first: string,
  last: string | undefined,
  gender: Gender,
): string {
  const end = speech.verbalizeQuantity(last ?? first, gender);
  if (last === undefined) return end;
  const start = gender === 'feminine' ? speech.verbalizeQuantity(first, gender) : speech.verbalizeNumber(first);
  return `${start} ${speech.rangeWord} ${last.includes(',') ? end : (speech.inflectRangeEnd?.(end) ?? end)}`;
}

function joinRange({ rangeWord, inflectRangeEnd }: NumberVerbalizer, first: string, last: string): string {
  return `${first} ${rangeWord} ${inflectRangeEnd?.(last) ?? last}`;
}

/** "3:1", "6,5:4,5": a result or a ratio that is no time of day. @param to between the numbers: "zu" */
export function createResultRule({ verbalizeNumber }: NumberVerbalizer, to: string): NormalizationRule {
  return rule(
    /(\d{1,3}):(\d{1,3})(?!:?\d)|(\d{1,3},\d{1,2}):(\d{1,3},\d{1,2})(?!:?\d)/,
    ([, first = '', last = '', share = first, other = last]) =>
      `${verbalizeNumber(share)} ${to} ${verbalizeNumber(other)}`,
  );
}

/** "im Maßstab 1:25.000", "au 1/25 000". @param to between the numbers: "zu" */
export function createScaleRule({ verbalizeNumber }: NumberVerbalizer, to: string): NormalizationRule {
  return rule(
    /1[:/](\d{1,3}(?:[. \u00a0\u202f]\d{3}){0,2}[. \u00a0\u202f]\d00)(?!\d)/,
    ([, last = '']) => `${verbalizeNumber('1')} ${to} ${verbalizeNumber(last)}`,
  );
}

/** "7-6 (7/3)": points of a tie-break. @param to between the numbers: "à" */
export function createTieBreakRule({ verbalizeCardinal }: NumberVerbalizer, to: string): NormalizationRule {
  return rule(/(\d{1,2})[/-](\d{1,2})(?=\))/, ([, first = '', last = ''], place) =>
    /\d[-–/]\d\s?\($/.test(place.before) ? `${verbalizeCardinal(first)} ${to} ${verbalizeCardinal(last)}` : undefined,
  );
}

/** "6/4, 3/6 e 7/6": sets of tennis. @param to between the numbers: "a" */
export function createSetsRule({ verbalizeCardinal }: NumberVerbalizer, to: string): NormalizationRule {
  return rule(/([0-7])\/([0-7])(?![\d/]|[.,]\d)/, ([written, first = '', last = ''], place) =>
    /[67]/.test(written) &&
    (/\d\/\d(?: \(\d{1,2}\))?(?:,? |, | (?:e|et|y|i|en|und) )$/.test(place.before) ||
      /^(?: \(\d{1,2}\))?(?:,? | (?:e|et|y|i|en|und) )\d\/\d/.test(place.after))
      ? `${verbalizeCardinal(first)} ${to} ${verbalizeCardinal(last)}`
      : undefined,
  );
}

const SCREEN_BEFORE =
  /(?:bildschirm|display|monitor|écran|pantalla|móvil|televis|schermo|tela|ekran|scherm|celular|smartphone|tablet|telefon|tv|zoll|roues|llantas|cerchi|jantes|rodas|iphone|ipad|galaxy|macbook|laptop|notebook|portátil|portatile|ordinateur)(?:[\s,(]{1,2}[\p{L}\d]{1,12}){0,4}[\s,(]{1,2}$/iu;
const SCREEN_AFTER = /^-?\s?(?:scherm|display|tv|Bildschirm|écran|monitor|laptop)/iu;

/** A screen: "de 6,7\"". @param inches with a space before */
export function createInchRule(speech: NumberVerbalizer, inches: string): NormalizationRule {
  return rule(
    /(\d{1,2}(?:[.,]\d{1,2})?)(?:["″”]|'')(?![\p{L}\p{N}])(-(?=\p{L}))?/u,
    ([, size = '', hyphen = ''], place) =>
      SCREEN_BEFORE.test(place.before) || SCREEN_AFTER.test(place.after)
        ? `${speech.verbalizeNumber(size.replace('.', ','))} ${inches}${hyphen}`
        : undefined,
  );
}

/** A year or a decade without its century: "anni '80", "nel '24", "1817-'90". */
export function createShortYearRules({ verbalizeCardinal, rangeWord }: NumberVerbalizer): NormalizationRule[] {
  return [
    rule(/[-–](?=['’]\d\d(?!\d))/, (_match, { before }) => (/\d$/.test(before) ? ` ${rangeWord} ` : undefined)),
    rule(/['’](\d\d)(?![\d\p{L}"”″'’])/u, ([, digits = ''], { before }) =>
      /\d0/.test(digits) || /(?:^|[\s(–-])$/.test(before) ? verbalizeCardinal(digits) : undefined,
    ),
  ];
}

/** @returns the groups of three digits that are not 0, with their power of a thousand, highest first */
export function groupThousands(digits: string): { value: number; power: number }[] {
  const groups: { value: number; power: number }[] = [];
  for (let end = digits.length, power = 0; end > 0; end -= 3, power += 1) {
    const value = Number(digits.slice(Math.max(0, end - 3), end));
    if (value > 0) groups.unshift({ value, power });
  }
  return groups;
}

/** The rest of a number that is too long for one match. Must be the first rule: it begins within a word. */
export function createNumberTailRule({ spellDigits }: Pick<NumberVerbalizer, 'spellDigits'>): NormalizationRule {
  return rule(/(?<=\d{4})\d{1,12}/, ([digits]) => ` ${spellDigits(digits)}`);
}

/** "600/800 m", "-2/-3 °C": the lower end of a range before one with a unit. "12/9 €": a price and its reduction. */
export function createSlashRangeRule(speech: NumberVerbalizer): NormalizationRule {
  return rule(
    /(\d{1,3}\.\d{3}|\d{1,4}(?:,\d{1,2})?)\/(?=([-−–]?)(\d{1,3}\.\d{3}|\d{1,4}(?:,\d{1,2})?)[ \u00a0\u202f]?(%|[°º](?: ?[CF])?|Grad|km\/h|[ckm]?m|kg|h|Std\.|Uhr|t|l|MW|€|[Ee]uros?|EUR)(?![\p{L}\p{N}]))/u,
    ([, first = '', minus, last = '', unit = ''], place) => {
      const [low, high] = [first, last].map((end) => Number(end.replaceAll('.', '').replace(',', '.')));
      const isTemperature = /^(?:[°º]|Grad)/.test(unit);
      // "3/4 km" is a fraction.
      if (
        low === undefined ||
        high === undefined ||
        (low < 10 && !(low >= 5 && high === low + 1) && !isTemperature && !/^(?:€|[Ee])/.test(unit))
      )
        return undefined;
      if (minus || low < high) return `${speech.verbalizeNumber(first)} ${speech.rangeWord} `;
      const isReduced = /^(?:€|[Ee])/.test(unit) && low > high && /(?:^|[\s(])$/.test(place.before);
      return isReduced ? `${speech.verbalizeNumber(first)}, ` : undefined;
    },
  );
}

/** Numbers as English writes them: "1,250.50", "3.5", "1,234,567". */
const POINT_NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+\.\d{1,2}|\d{1,3}(?:,\d{3}){2,}|\d{1,12}\.\d{1,2})(?!\d|[.,]\d)`;

/** "3,145": as English writes thousands, or with three decimals. */
const COMMA_GROUP = String.raw`\d{1,3},\d{3}(?!\d|[.,]\d)`;

/** Whether a number with one comma and three digits after it has thousands. */
export type IsCommaGroup = (written: string, place: MatchContext) => boolean;

/**
 * "3.5 %", "$1,250.50": rules for numbers with a decimal comma, applied to those with a decimal point, which are as long.
 * @param rules that match a unit, a currency or the like together with its number
 * @param isCommaGroup given: for numbers such as "3,145" instead
 */
export function createDecimalPointRule(
  rules: readonly NormalizationRule[],
  isCommaGroup?: IsCommaGroup,
): NormalizationRule {
  const written = isCommaGroup === undefined ? POINT_NUMBER : COMMA_GROUP;
  const pattern = new RegExp(
    `(\\D{0,4})(${written})(?:${RANGE_DASH}${written})?(?!(?:${RANGE_DASH}\\d{1,2})?\\s?h)`,
    'y',
  );
  return (text, at) => {
    pattern.lastIndex = at;
    const [number, sign = '', digits = ''] = pattern.exec(text) ?? [];
    if (number === undefined) return undefined;
    const place = new MatchContext(text, at + sign.length, at + number.length);
    if (isCommaGroup?.(digits, place) === false) return undefined;
    // A part of the text, so that the time is linear.
    const start = Math.max(0, at - CONTEXT_LENGTH);
    const swapped = sign + swapSigns(number.slice(sign.length));
    const window =
      text.slice(start, at) + swapped + text.slice(at + number.length, at + number.length + 2 * CONTEXT_LENGTH);
    for (const normalizationRule of rules) {
      const match = normalizationRule(window, at - start);
      if (match === undefined) continue;
      const end = match.end + start;
      const isWhole = end > at + number.length || (end === at + number.length && !/^\d/.test(number));
      return isWhole ? { spoken: match.spoken, end } : undefined;
    }
    return undefined;
  };
}

function swapSigns(number: string): string {
  return number.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'));
}

/** A blood pressure: "120/80 mmHg". @param over between the numbers: "sobre" */
export function createPressureRule({ verbalizeCardinal }: NumberVerbalizer, over: string): NormalizationRule {
  return rule(/(\d{2,3})\/(?=(\d{2,3})(?![\d/]))/, ([, top = '', bottom = '']) =>
    Number(top) >= 90 && Number(top) <= 250 && Number(bottom) >= 40 && Number(bottom) < Number(top)
      ? `${verbalizeCardinal(top)} ${over} `
      : undefined,
  );
}

/** Ranges, versions and numbers with a decimal point. */
export function createRangeRules(
  speech: NumberVerbalizer,
  say: (written: string, place: MatchContext) => string,
): NormalizationRule[] {
  return [
    // "un 4-3-3"
    rule(/\d{1,2}(?:-\d{1,2}){2,4}(?![\d-]|[.,/]\d)/, ([written]) =>
      written.split('-').map(speech.verbalizeNumber).join(' '),
    ),
    // As in English: "1,234,567", "1,250.50"
    rule(/\d{1,3}(?:,\d{3}){1,4}\.\d{1,2}(?!\d|[.,]\d)|\d{1,3}(?:,\d{3}){2,4}(?!\d|[.,]\d)/, ([written]) =>
      speech.verbalizeNumber(swapSigns(written)),
    ),
    rule(/\d{1,3}(?:\.\d{1,3}){2,4}(?!\.?\d)/, ([written], place) =>
      /^\d{1,3}(?:\.\d{3}){2,4}$/.test(written)
        ? undefined
        : addSpaces(written.split('.').map(speech.verbalizeNumber).join(` ${speech.pointWord} `), place),
    ),
    rule(
      new RegExp(`(${NUMBER})${RANGE_DASH}(${NUMBER})(?![-–/:.]?\\d|[-–]?\\p{L})`, 'u'),
      ([written, first = '', last = ''], place) =>
        /\s\S+$/u.test(written) && !/\s\S\s/u.test(written)
          ? undefined
          : joinRange(
              speech,
              say(first, new MatchContext(place.text, place.at, place.at + first.length)),
              say(last, place),
            ),
    ),
    rule(/(\d{1,12})\.(\d{1,2}|\d{4,12})(?![\d]|[.,:/-]\d)/, ([, whole = '', part = ''], place) =>
      addSpaces(`${speech.verbalizeNumber(whole)} ${speech.pointWord} ${speech.spellDigits(part)}`, place),
    ),
  ];
}

/** Plain numbers: the last rules for digits. */
export function createPlainNumberRules(
  speech: NumberVerbalizer,
  say: (written: string, place: MatchContext) => string,
): NormalizationRule[] {
  return [
    rule(new RegExp(`${NUMBER}(?!\\d)`), ([written], place) =>
      addSpaces(/^0\d/.test(written) ? speech.spellDigits(written) : say(written, place), place),
    ),
    rule(/\d{1,12}/, ([digits]) => speech.spellDigits(digits)),
  ];
}

/** International telephone numbers, by digit with a pause between groups: "+49 89 123456". */
export function createTelephoneRule(speech: NumberVerbalizer, plus: string): NormalizationRule {
  return rule(/\+\d{1,3}(?:[ \u00a0./-]?\(?\d{1,12}\)?){1,6}(?!\d)/, ([written]) =>
    written.replace(/\D/g, '').length < 8 ? undefined : `${plus} ${verbalizeDigitGroups(speech, written)}`,
  );
}

export function verbalizeDigitGroups(speech: NumberVerbalizer, written: string): string {
  return (written.match(/\d+/g) ?? []).map(speech.spellDigits).join(', ');
}

export function createNegativeRule(minus: string): NormalizationRule {
  return rule(new RegExp(`[-−–]${GAP}(?=[$€£]?\\d)`), ([written], place) =>
    /(?:^|[\s([]|\d\/)$/.test(place.before) && !/\s/.test(written) ? `${minus} ` : undefined,
  );
}

/** A letter after a number is a separate word: "5G". */
function addSpaces(words: string, place: MatchContext): string {
  return /^\p{L}/u.test(place.after) ? `${words} ` : words;
}
