import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  parseWords,
  rule,
  sentenceStop,
} from '../language.ts';
import { type MoneyWords, type Noun, parseNouns } from '../shared/amounts.ts';
import { createNumericDateRules, createShortDateRule } from '../shared/dates.ts';
import type { FractionWords } from '../shared/fractions.ts';
import {
  createNumberVerbalizer,
  createResultRule,
  createShortYearRules,
  groupThousands,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import tables from './tables.txt' with { type: 'text' };

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = '_ _ twintig dertig veertig vijftig zestig zeventig tachtig negentig'.split(' ');
const SCALES = ['miljoen', 'miljard', 'biljoen'];
const IRREGULAR_ORDINALS = parseTable('een = eerste; drie = derde; acht = achtste');

const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'komma',
  groupsDecimals: false,
  inflect: (words) => words,
  isOne: (written) => written === '1',
  rangeWord: 'tot',
  pointWord: 'punt',
});
const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "1234" → "twaalfhonderdvierendertig" only for years; "duizend tweehonderdvierendertig". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      if (power === 1) return value === 1 ? 'duizend' : `${verbalizeBelowThousand(value)}duizend`;
      return `${verbalizeBelowThousand(value)} ${SCALES[power - 2]}`;
    })
    .join(' ');
}

/** "1984" → "negentienvierentachtig", "2005" → "tweeduizend vijf", "1900" → "negentienhonderd". */
function verbalizeYear(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value < 1_100 || (value >= 2_000 && value < 2_010) || value >= 2_100) {
    return verbalizeCardinal(digits);
  }
  const [first, last] = [verbalizeCardinal(digits.slice(0, 2)), digits.slice(2)];
  if (last === '00') return `${first}honderd`;
  return last.startsWith('0') ? `${first}honderd ${verbalizeCardinal(last)}` : `${first} ${verbalizeCardinal(last)}`;
}

/** "23" → "drieëntwintigste", "100" → "honderdste". */
function verbalizeOrdinal(digits: string): string {
  const words = verbalizeCardinal(digits);
  const last = ONES[Number(digits) % 100] ?? '';
  const irregular = IRREGULAR_ORDINALS[last];
  if (irregular !== undefined) return words.slice(0, words.length - last.length) + irregular;
  const value = Number(digits) % 100;
  return value > 0 && value < 20 ? `${words}de` : `${words}ste`;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const start = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}honderd`;
  return value % 100 === 0 ? start : start + verbalizeBelowHundred(value % 100);
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const ones = ONES[value % 10] ?? '';
  if (value % 10 === 0) return tens;
  return `${ones}${/e$/.test(ones) ? 'ën' : 'en'}${tens}`;
}

const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
};

const units = parseNouns(findTable(tables, 'units'));

const fractions: FractionWords = {
  denominators: parseNouns('2 = half|halve; 3 = derde; 4 = kwart; 8 = achtste'),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 5 || Number(digits) > 1_000) return undefined;
    const name = verbalizeOrdinal(digits);
    return { one: name, many: name, gender: 'masculine' };
  },
  signs: parseTable('½ = een half; ⅓ = een derde; ⅔ = twee derde; ¼ = een kwart; ¾ = drie kwart'),
  joint: 'en ',
  half: 'een half',
  joinHalf: (whole) => {
    const words = verbalizeCardinal(whole);
    return whole === '1' ? 'anderhalf' : `${words}${words.endsWith('e') ? 'ën' : 'en'}half`;
  },
  fixed: { '24/7': 'vierentwintig zeven' },
};

const MONTHS = 'januari februari maart april mei juni juli augustus september oktober november december'.split(' ');
const MONTH = `(${MONTHS.join('|')}|(?:jan|febr|feb|mrt|apr|jun|jul|aug|sept|sep|okt|nov|dec)\\.?)(?!\\p{L})`;
const YEAR_BEFORE =
  /(?:(?:^|[^\p{L}])(?:jaar|jaren|sinds|van|tot|in|vanaf|uit|anno|voor|na|rond|begin|eind|medio|zomer|winter|najaar|voorjaar|herfst|lente)\s|\()$/iu;
const COUNTED_AFTER = /^[ \u00a0]\p{Ll}{2,}(?:en|s)(?!\p{L})/u;

/** "3 mei 2026", "03-05-2026", "2026-05-03". */
const dateRules: readonly NormalizationRule[] = [
  // "18/19 dec."
  rule(new RegExp(`(\\d{1,2})/(?=\\d{1,2}\\s${MONTH})`, 'u'), ([, day = '']) => `${verbalizeCardinal(day)} `),
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])\\s${MONTH}(?:\\s([12]\\d{3})(?!\\d))?`, 'u'),
    ([, day = '', month = '', year]) =>
      `${verbalizeCardinal(day)} ${findMonth(month)}${year ? ` ${verbalizeYear(year)}` : ''}`,
  ),
  // "sinds 3-11"
  rule(
    /(0?[1-9]|[12]\d|3[01])-(0?[1-9]|1[0-2])(?![\d-]|\s?°|\s(?:uur|jaar|graden|km|m)(?!\p{L}))/u,
    ([, day = '', month = ''], { before }) =>
      /(?:^|[^\p{L}])(?:sinds|vanaf|per|d\.d\.|datum:?|(?:maan|dins|woens|donder|vrij|zater|zon)dag)\s$/iu.test(before)
        ? `${verbalizeCardinal(day)} ${MONTHS[Number(month) - 1]}`
        : undefined,
  ),
  createShortDateRule(
    /(?:^|[^\p{L}])(?:sinds|vanaf|per|t\/m|tot en met|uiterlijk|(?:maan|dins|woens|donder|vrij|zater|zon)dag)\s$/iu,
    /(?:^|[^\p{L}])(?:op|van|tot|de)\s$/iu,
    (day, month) => `${verbalizeCardinal(day)} ${MONTHS[month - 1]}`,
  ),
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    return name && `${verbalizeCardinal(day)} ${name} ${verbalizeYear(year)}`;
  }),
];

function findMonth(written: string): string {
  if (written.startsWith('mrt')) return 'maart';
  return MONTHS.find((month) => month.startsWith(written.slice(0, 3))) ?? written;
}

/** "14.30 uur", "9:05", "20 uur". */
const timeRules: readonly NormalizationRule[] = [
  // "in 2u34", "1u05min"
  rule(/(\d{1,2})u([0-5]\d)(?:min)?(?![\p{L}\p{N}])/u, ([, hours = '', minutes = '']) =>
    verbalizeClock(hours, minutes),
  ),
  // "van 9.30 tot 17.00 uur"
  rule(
    /([01]?\d|2[0-4])\.([0-5]\d)(?=(?: tot (?:en met )?| en | t\/m |[-–])[0-2]?\d(?:[.:][0-5]\d)? (?:uur|u\.))/u,
    ([, hour = '', minute = '']) => verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-4])[.:]([0-5]\d)[ \u00a0]?(?:uur|u\.?)(?!\p{L})/u, ([, hour = '', minute = '']) =>
    verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute = '']) => verbalizeClock(hour, minute)),
  createResultRule(numberVerbalizer, 'tegen'),
  // "met 4-0", "6-4 7-5"
  rule(
    /(\d{1,3})[-–](\d{1,3})(?![\d-]|\s?(?!n\.[vs]\.)(?:\p{Ll}|%|°))|(\d{1,3})[-–](\d{1,3})(?=\s(?:van|tegen|voor|op|in|na|en|uit|bij)\s)/u,
    ([, ...numbers], place) => {
      const [first = '', last = ''] = numbers.filter((number) => number !== undefined);
      return Number(first) >= Number(last) || SCORE_BEFORE.test(place.before)
        ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`
        : undefined;
    },
  ),
];
const SCORE_BEFORE =
  /(?:^|[^\p{L}])(?:met|stand|het|werd|naar|uitslag|:)\s(?:een\s)?$|\d-\d(?:\s\(\d{1,2}\))?,?\s\(?$|\p{Lu}\p{L}{1,20}\s?[-–]\s?(?:\p{Lu}[\p{L}.]{0,20}\s){1,3}$/iu;

/** "veertien uur dertig", "negen uur". */
function verbalizeClock(hour: string, minute: string): string {
  const minutes = Number(minute) === 0 ? '' : ` ${verbalizeCardinal(minute)}`;
  return `${verbalizeCardinal(String(Number(hour)))} uur${minutes}`;
}

/** "1990-2000", "jaren 80", "de jaren '90". */
const yearRules: readonly NormalizationRule[] = [
  rule(/([12]\d{3})\s?[-–—]\s?([12]\d{3})(?![\d]|[.,:/-]\d)/, ([, first = '', last = '']) =>
    Number(first) < Number(last) && Number(last) < 2_100
      ? `${verbalizeYear(first)} tot ${verbalizeYear(last)}`
      : undefined,
  ),
];
/** "3e", "21ste", "8ste" */
const ordinalRule = rule(/(\d{1,4})(?:e|de|ste)(?![\p{L}\p{N}])/u, ([, digits = '']) =>
  Number(digits) === 0 ? undefined : verbalizeOrdinal(digits),
);
/** "17-jarige", "3-voudig" */
const compoundRule = rule(
  /(\d{1,4})[-‑]((?:jarige?n?|voudige?|daagse|delige?|koppige?|urige?|persoons)\p{L}{0,3})(?!\p{L})/u,
  ([, digits = '', ending = '']) => verbalizeCardinal(digits) + ending,
);
/** "12 t/m 15 maart": no tons */
const throughRule = rule(
  /(\d{1,4})[ \u00a0]?t\/m(?![\p{L}\p{N}])/u,
  ([, first = ''], place) => `${verbalizeNumberOrYear(first, place)} tot en met`,
);
/** "0800-6070", "0900 8844" */
const serviceNumberRule = rule(/0([89]00)[ -](\d{2})(\d{2})(?!\d)/, ([, prefix = '', first = '', last = '']) =>
  ['0', prefix, first, last]
    .map((part) => (part.startsWith('0') ? numberVerbalizer.spellDigits(part) : verbalizeCardinal(part)))
    .join(' '),
);
const telephoneRule = rule(/0\d{1,3}(?:[ -]| - )\d{3,8}(?:[ -]\d{2,4}){0,3}(?!\d)/, ([written]) =>
  written.replace(/\D/g, '').length < 9 ? undefined : verbalizeDigitGroups(numberVerbalizer, written),
);

/** "in de 90e+3 min." */
const minuteRule = rule(
  /(\d{1,3})e(?:\s?\+\s?(\d{1,2}))?(?= min\.)(?: min\.)/u,
  ([written, minute = '', extra], place) =>
    `${verbalizeOrdinal(minute)}${extra ? ` plus ${verbalizeCardinal(extra)}` : ''} minuut${sentenceStop(written, place)}`,
);
/** "di. t/m zo.", "vr. 12 mei"; "zo." and "do." are words, too */
const weekdayRule = rule(/(ma|di|wo|do|vr|za|zo)(\.?)(?!\p{L})/u, ([written, day = '', stop], place) => {
  const isRange = /^\st\/m\s/.test(place.after) || /\st\/m\s$/.test(place.before);
  const isDated = /^(?:,?\s\d|\s(?:tot|en|of)\s(?:ma|di|wo|do|vr|za|zo)\.|\s?[-–]\s?(?:di|wo|do|vr|za|zo)\.)/u.test(
    place.after,
  );
  const isLast = /(?<!\p{L})(?:ma|di|wo|do|vr|za)\.(?:\s(?:tot|en|of)\s|\s?[-–]\s?)$/u.test(place.before);
  return isRange || (stop && (isDated || isLast)) ? WEEKDAYS[day] + sentenceStop(written, place) : undefined;
});
const WEEKDAYS = parseTable(findTable(tables, 'weekdays'));
/** "di-zo van 10.00 tot 17.00 uur" */
const weekdayRangeRule = rule(
  /(ma|di|wo|do|vr|za)[-–](di|wo|do|vr|za|zo)(?=,?\s(?:van\s)?\d)/u,
  ([, first = '', last = '']) => `${WEEKDAYS[first]} tot en met ${WEEKDAYS[last]}`,
);
/** "Kalverstr. 12", "Museumpl.", "Churchillln." */
const streetRule = rule(
  /(\p{L}[\p{L}-]{2,30})(str|pln|wg|ln|dk)\.(?!\p{L})/u,
  ([written, name = '', kind = ''], place) => {
    return `${name}${{ str: 'straat', pln: 'plein', wg: 'weg', ln: 'laan', dk: 'dijk' }[kind]}${sentenceStop(written, place)}`;
  },
);
/** "art. 6:162 BW" */
const codeArticleRule = rule(
  /(\d{1,2}):(\d{1,4})(?=[a-z]{0,2}\s(?:BW|Awb)(?!\p{L}))/u,
  ([, book = '', article = '']) => `${verbalizeCardinal(book)} ${verbalizeCardinal(article)}`,
);
/** "art. 289 Sr" */
const codeOfLawRule = rule(/S([rv])(?![\p{L}\p{N}])/u, ([, letter], { before }) =>
  /(?:art\.|artikel(?:en)?)\s\d{1,4}[a-z]{0,3}\s$/u.test(before)
    ? `Wetboek van Straf${letter === 'r' ? 'recht' : 'vordering'}`
    : undefined,
);

const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:hoofdstuk|deel|akte|artikel|boek|klasse|type|fase|groep|bijlage|wereldoorlog)\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])(?:\p{Lu}\p{Ll}{2,20}|Willem|Lodewijk|Karel|Filips|Albert|Leopold)\s$/u;

/** "Willem III" → "Willem de derde"; "deel IV". */
const romanRule = rule(
  /([IVX]{2,7}(?=e|ste)|[IVXLCDM]{1,8})(?:e|ste)?(?![\p{L}\p{N}]|\.\p{Lu})/u,
  ([written, numeral = ''], place) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    if (written !== numeral) return numeral.length > 1 ? verbalizeOrdinal(digits) : undefined;
    if (COUNTED_BEFORE.test(place.before)) return verbalizeCardinal(digits);
    if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(place.before)) return undefined;
    if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
    return `de ${verbalizeOrdinal(digits)}`;
  },
);

/** Four digits without a separator that count nothing may be a year. */
function verbalizeNumberOrYear(written: string, place: MatchContext): string {
  if (!/^(?:1[1-9]|20)\d\d$/.test(written)) return verbalizeNumber(written);
  return YEAR_BEFORE.test(place.before) || !COUNTED_AFTER.test(place.after)
    ? verbalizeYear(written)
    : verbalizeNumber(written);
}

export const dutch = createRuleBasedLanguage({
  code: 'nl',
  extraLetters: 'àáäèéêëïíóöúü',
  verbalizePlainNumber: verbalizeNumberOrYear,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      minuteRule,
      codeArticleRule,
      ...dateRules,
      ...timeRules,
      throughRule,
      serviceNumberRule,
      telephoneRule,
    ],
    afterAmounts: [compoundRule, ...yearRules, ordinalRule],
  },
  letters: {
    beforeAmounts: [
      weekdayRangeRule,
      weekdayRule,
      streetRule,
      codeOfLawRule,
      createDirectionRule(parseTable(findTable(tables, 'directions')), /^\.?\s(?:van|\d{1,2} Bft)\s/u),
    ],
    afterAmounts: [romanRule],
  },
  signRules: createShortYearRules(numberVerbalizer),
  describeCode: (count) => `een code van ${count} tekens`,
  plainWord: /[a-zàáäèéêëïíóöúü]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("„“«])(?:Min|min|Pr|Mr|Rb|Stb|Burg|Gebr|dhr|mevr|mw|dr|drs|prof|ir|ing|mr|ds|St|gen|nr|nrs|p|pp|blz|art|hfst|par|fig|ca|ong|bijv|bv|tel|vgl|o\.\s?a|o\.\s?m|d\.w\.z|m\.a\.w|i\.v\.m|m\.b\.t|n\.a\.v|i\.p\.v|t\.o\.v|incl|excl|resp|evt|v\.a|m\.n|v\.d|knp)$/iu,
    rarelyFinal:
      /(?:^|[\s("„“«])(?:\p{L}{3,30}(?:str|pln)|enz|etc|jl|a\.s|mln|mld|[vn]\.Chr|N\.V|B\.V|jan|feb|febr|mrt|apr|jun|jul|aug|sept|sep|okt|nov|dec|[IVX]{1,7})$/u,
    finalLetter: /\d[ \u00a0]?[hmglu]$/u,
  },
});
