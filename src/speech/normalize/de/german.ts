import { MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { spellLetters } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { createResultRule, createSlashRangeRule, NUMBER, verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import {
  generalAbbreviations,
  mixedCaseAcronyms,
  numberAbbreviations,
  pronouncedAcronyms,
  sentenceStarters,
  signNames,
  spelledAcronyms,
  titleAbbreviations,
} from './abbreviations.ts';
import {
  buildOrdinalStem,
  findAdjectiveEnding,
  fractions,
  magnitudeRule,
  money,
  numberVerbalizer,
  ordinalRules,
  romanRules,
  units,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeYear,
} from './numbers.ts';

const HOUR = '([01]?\\d|2[0-4])';
const MINUTE = '([0-5]\\d)';
const CLOCK = `${HOUR}(?:[:.]${MINUTE})?`;

/** "14:30 Uhr", "8-17 Uhr", "20:45"; scores have one digit after the colon or are no time: "3:2", "34:28". */
const timeRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`${CLOCK}(?:\\sUhr)?\\s?(?:[-–]|bis)\\s?${CLOCK}\\s?(?:Uhr|h)(?!\\p{L})`, 'u'),
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      minute === undefined
        ? `${verbalizeHours(hour)} bis ${verbalizeClock(lastHour, lastMinute)}`
        : `${verbalizeClock(hour, minute)} bis ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(new RegExp(`${HOUR}\\.${MINUTE}\\s?h(?!\\p{L})`, 'u'), ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  rule(new RegExp(`${CLOCK}[ \\u00a0\\u202f]?Uhr(?!\\p{L})`, 'u'), ([, hour = '', minute]) =>
    verbalizeClock(hour, minute),
  ),
  rule(
    /(\d{1,2}):([0-5]\d):([0-5]\d)(?:,\d{1,3})?[ \u00a0]?(?:Std\.|Stunden|h)(?!\p{L})/u,
    ([, hour = '', minute = '', second = '']) =>
      `${verbalizeCount(hour, 'Stunde')} ${verbalizeCount(minute, 'Minute')} ${verbalizeCount(second, 'Sekunde')}`,
  ),
  rule(
    /(\d{1,2}):([0-5]\d)[ \u00a0]?(?:Std\.|Stunden)(?!\p{L})/u,
    ([, hour = '', minute = '']) => `${verbalizeCount(hour, 'Stunde')} ${verbalizeCount(minute, 'Minute')}`,
  ),
  // The time of a race, whose unit is named by the larger part: "1:23 Min.", "1:45,32 Minuten"
  rule(
    /(\d{1,2}):([0-5]\d)(,\d{1,3})?(?:[ \u00a0]?(?:[Mm]in\.|[Mm]in|Minuten)(?!\p{L})|(?<=,\d{1,3}))/u,
    ([, minute = '', second = '', part], place) => {
      const minutes = verbalizeCount(minute, 'Minute');
      const ending = Number(minute) === 1 && /(?<!\p{L})(?:in|nach|von|mit|bei)\s$/u.test(place.before) ? 'r' : '';
      const first = minutes.replace(' ', `${ending} `);
      return part === undefined
        ? `${first} ${verbalizeCount(second, 'Sekunde')}`
        : `${first} ${verbalizeNumber(Number(second) + part)} Sekunden`;
    },
  ),
  // "zwischen 8.30 und 9.15 Uhr"
  rule(
    new RegExp(`${HOUR}[.:]${MINUTE}(?=\\s(?:und|oder)\\s\\d{1,2}(?:[.:][0-5]\\d)?\\sUhr)`),
    ([, hour = '', minute = '']) => verbalizeClock(hour, minute),
  ),
  // The score at half-time, "34:32 (17:15)", is no time.
  rule(new RegExp(`${HOUR}:${MINUTE}(?![\\d:])`), ([, hour = '', minute = ''], place) =>
    /\d:\d{1,2}\s\($/.test(place.before) ? undefined : verbalizeClock(hour, minute),
  ),
  createResultRule(numberVerbalizer, 'zu'),
];

function verbalizeClock(hour: string, minute: string | undefined): string {
  const minuteWords = Number(minute ?? 0) === 0 ? '' : ` ${verbalizeCardinal(minute ?? '')}`;
  return `${verbalizeHours(hour)} Uhr${minuteWords}`;
}

function verbalizeHours(hour: string): string {
  return numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'masculine');
}

function verbalizeCount(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${number === '1' ? noun : `${noun}n`}`;
}

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');
const WEEKDAYS = parseTable(`
  Mo = Montag; Di = Dienstag; Mi = Mittwoch; Do = Donnerstag; Fr = Freitag; Sa = Samstag; So = Sonntag
`);
const MONTH =
  '(Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\\.?)';
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const YEAR = '([12]\\d{3})(?![\\d]|[.,]\\d)';
const SHORT_DATE_BEFORE =
  /\bv\.\s?$|\b(?:am|vom|bis|zum|ab|seit|den|dem|zwischen|und)\s$|(?:\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?|\p{L}{3,7}tag|Mittwoch|Sonnabend),\s$/iu;
/** "seit 12/2021" */
const MONTH_BEFORE = /(?<!\p{L})(?:seit|ab|bis|von|im|in|stand:?)\s$/iu;
const YEAR_BEFORE =
  /(?:\b(?:jahre?s?|jahren|seit|von|bis|in|ab|anno|um|zwischen|ende|anfang|mitte|nach|vor|und|sommer|winter|herbst|frühling|frühjahr|oktober|januar|februar|märz|april|mai|juni|juli|august|september|november|dezember|TSV|SV|FC|VfL|VfB|TuS|TSG|SSV|Turn|Turnverein)\s|\()$/iu;
const COUNTED_AFTER = /^[ \u00a0](?:\p{Lu}\p{Ll}|(?:neue|weitere|andere|junge)\w{0,2}\s)/u;

/** "3. Mai 2026", "03.05.2026", "2026-05-03". */
const dateRules: readonly NormalizationRule[] = [
  rule(new RegExp(`${DAY}\\.\\s?${MONTH}(?!\\p{L})(?:\\s${YEAR})?`, 'u'), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, getMonthNumber(month), digits, place),
  ),
  rule(new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?${YEAR}`), ([, day = '', month = '', digits], place) =>
    verbalizeDate(day, Number(month), digits, place),
  ),
  rule(
    new RegExp(`${DAY}\\.\\s?(0?[1-9]|1[0-2])\\.\\s?(\\d{2})(?![\\d.]|\\s?Uhr)`),
    ([, day = '', month = '', short], place) =>
      verbalizeDate(day, Number(month), `${Number(short) > 50 ? 19 : 20}${short}`, place),
  ),
  rule(new RegExp(`(0?[1-9]|1[0-2])/${YEAR}`), ([, month = '', digits = ''], place) =>
    MONTH_BEFORE.test(place.before) ? `${MONTHS[Number(month) - 1]} ${verbalizeYear(digits)}` : undefined,
  ),
  // "vom 1.–24.12.", "v. 1. bis 5.12."
  rule(
    new RegExp(
      `${DAY}\\.(\\s?[-–/]\\s?|\\s(?:bis|und)\\s(?:zum\\s)?)${DAY}\\.(0?[1-9]|1[0-2])\\.(?:${YEAR}|(\\d{2})(?!\\d|[.:]))?(?!\\d)`,
    ),
    ([, day = '', joint = '', lastDay = '', month = '', digits, short], place) => {
      const last = verbalizeDate(lastDay, Number(month), digits ?? (short && `20${short}`), place);
      const word = joint.includes('/') || joint.includes('und') ? 'und' : 'bis';
      return (
        last &&
        `${buildOrdinalStem(day)}${findAdjectiveEnding(new MatchContext(place.text, place.at, place.text.length))} ${word} ${last}`
      );
    },
  ),
  // "30.5.–2.6.2026"
  rule(
    new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.\\s?[-–]\\s?${DAY}\\.(0?[1-9]|1[0-2])\\.(?:${YEAR})?(?!\\d)`),
    ([, day = '', month = '', lastDay = '', lastMonth = '', digits], place) => {
      const first = verbalizeDate(day, Number(month), undefined, place);
      const last = verbalizeDate(lastDay, Number(lastMonth), digits, place);
      return first && last && `${first} bis ${last}`;
    },
  ),
  rule(new RegExp(`${DAY}\\.(0?[1-9]|1[0-2])\\.(?!\\d)`), ([, day = '', month = ''], place) =>
    SHORT_DATE_BEFORE.test(place.before) ? verbalizeDate(day, Number(month), undefined, place) : undefined,
  ),
  rule(/([12]\d{3})-(\d{2})-(\d{2})(?![\d-])/, ([, digits, month = '', day = ''], place) =>
    Number(day) < 1 || Number(day) > 31 ? undefined : verbalizeDate(day, Number(month), digits, place),
  ),
];

/** Without a day: "Aug. 2025"; "Mo. bis Fr.". */
const monthRules: readonly NormalizationRule[] = [
  rule(
    /(Mo|Di|Mi|Do|Fr|Sa|So)\.?\s?[-–]\s?(Mo|Di|Mi|Do|Fr|Sa|So)(?:\.(?=[ ,]))?(?![\p{L}-])/u,
    ([, first = '', last = '']) => `${WEEKDAYS[first]} bis ${WEEKDAYS[last]}`,
  ),
  rule(/(Mo|Di|Mi|Do|Fr|Sa|So)(?=,\s\d{1,2}\.)/u, ([, day = '']) => WEEKDAYS[day]),
  rule(/(Mo|Di|Mi|Do|Fr|Sa|So)\.(?=,|[-–]|\s(?:\p{Ll}|\d))/u, ([, day = '']) => WEEKDAYS[day]),
  rule(
    /(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez)\.(?=\s\d|\s\p{Ll}|,)/u,
    ([month]) => MONTHS[getMonthNumber(month) - 1],
  ),
];

/** Decades and ranges of years: "1990er Jahre", "80er-Jahre", "2018–2022", "1914/18". */
const yearRules: readonly NormalizationRule[] = [
  rule(/(\d{1,3}(?:\.\d{3}){1,2})er(?!\p{L})/u, ([, written = '']) => `${verbalizeNumber(written)}er`),
  rule(/(\d{3}0|\d0)er[- ](?=[Jj]ahre)/u, ([, digits = '']) => `${verbalizeYear(digits)}er `),
  rule(/(\d{2,4})er(n?)(?!\p{L})/u, ([, digits = '', plural = '']) => `${verbalizeYear(digits)}er${plural}`),
  rule(/([12]\d{3})\s?[-–—]\s?([12]\d{3})(?![\d]|[.,:/-]\d)/, ([, first = '', last = '']) =>
    Number(first) < Number(last) && Number(last) < 2100
      ? `${verbalizeYear(first)} bis ${verbalizeYear(last)}`
      : undefined,
  ),
  // "von 1927–29"
  rule(
    /(1[1-9]\d\d|20\d\d)\s?[-–]\s?(\d{2})(?![\d]|[.,:/-]\d|\s?(?:%|€|Euro|Uhr|km|[Mm]))/,
    ([, first = '', last = '']) =>
      Number(first.slice(2)) < Number(last) ? `${verbalizeYear(first)} bis ${verbalizeCardinal(last)}` : undefined,
  ),
  rule(
    /([12]\d{3})\/(\d{4}|\d{2})(?![\d/])/,
    ([, first = '', last = '']) =>
      `${verbalizeYear(first)} ${last.length === 4 ? verbalizeYear(last) : verbalizeCardinal(last)}`,
  ),
];

const NAMED_BEFORE = /(?:\d\/|(?:resolution|nummer|zimmer|boeing|flug|raum|modell|porsche|linie|nr\.)\s)$/iu;

/** Four digits without a separator that count nothing may be a year. */
function verbalizeNumberOrYear(written: string, place: MatchContext): string {
  if (!/^1[1-9]\d\d$/.test(written)) return verbalizeNumber(written);
  if (NAMED_BEFORE.test(place.before)) return verbalizeNumber(written);
  const isYear = YEAR_BEFORE.test(place.before) || !COUNTED_AFTER.test(place.after);
  return isYear ? verbalizeYear(written) : verbalizeNumber(written);
}

function getMonthNumber(written: string): number {
  if (written === 'Jänner') return 1;
  const start = written.slice(0, 3);
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1;
}

function verbalizeDate(day: string, month: number, digits: string | undefined, place: MatchContext) {
  const name = MONTHS[month - 1];
  if (name === undefined) return undefined;
  // Only the text before a date decides the ending.
  const ending = findAdjectiveEnding(new MatchContext(place.text, place.at, place.text.length));
  return `${buildOrdinalStem(day)}${ending} ${name}${digits ? ` ${verbalizeYear(digits)}` : ''}`;
}

/** "17-Jähriger", "3-fach", "20-köpfig". */
const compoundRule = rule(
  /(\d{1,4})[-‑]?((?:[Jj]ährig|köpfig|prozentig|fach|mal|stündig|tägig|wöchig|monatig|minütig|teilig|stellig|stöckig|malig)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => (digits === '1' ? 'ein' : verbalizeCardinal(digits)) + ending.toLowerCase(),
);
/** The file number of a court: "VI ZR 12/23". */
const fileNumberRule = rule(/(\d{1,5})\/(\d{2})(?![\d/])/, ([, number = '', year = ''], place) =>
  /(?:\b(?:[A-Z][A-Za-z]?R|[IVX]{1,4} [A-Z]{1,3}|Js|Ks|Ls|Ds|Qs|Ws)|Az\.:?)\s$/.test(place.before)
    ? `${verbalizeCardinal(number)} Schrägstrich ${verbalizeCardinal(year)}`
    : undefined,
);
/** "der 20%ige Rabatt" */
const percentageRule = rule(
  /(\d{1,3}(?:,\d{1,2})?)[ \u00a0]?%[-‑]?(ig\p{L}{1,3})(?!\p{L})/u,
  ([, written = '', ending = '']) => `${verbalizeNumber(written)}prozent${ending}`,
);
/** "Hauptstr.", "Marienpl. 8" */
const streetRule = rule(/(\p{L}[\p{L}-]{1,30})([Ss]tr|pl)\.(?!\p{L})/u, ([written, name = '', kind = ''], place) => {
  if (kind === 'pl' && !/^\s?\d/.test(place.after)) return undefined;
  return `${name}${kind === 'pl' ? 'platz' : `${kind}aße`}${sentenceStop(written, place)}`;
});
const localTelephoneRule = rule(/0\d{1,5}\)?(?:[ \u00a0/-]{1,3}\d{1,9}){1,4}(?!\d)/, ([written]) =>
  written.replace(/\D/g, '').length < 6 ? undefined : verbalizeDigitGroups(numberVerbalizer, written),
);
/** "jeden 1 Euro": a masculine noun after a word that takes the accusative. */
const accusativeRule = rule(
  /1(?=[ \u00a0](?:Euro|Dollar|Franken|Cent|Rubel|Yen|Punkt|Tag|Monat|Meter|Kilometer|Liter|Platz|Prozentpunkt)(?!\p{L}))/u,
  (_match, place) =>
    /(?<!\p{L})(?:jeden|für|um|ohne|gegen|durch|pro|je|über)\s$/iu.test(place.before) ? 'einen' : undefined,
);
/** "Entwurf v. 14.11.", "F. Henckel v. Donnersmarck" */
const fromRule = rule(/v\.(?=[ \u00a0](?:\d{1,2}\.|\p{Lu}))/u, (_match, place) =>
  /^\s\d/.test(place.after) ? 'vom' : 'von',
);
/** "in der 89. Min.", "3 Std. 41 Min.", "min. 3 Jahre" */
const minuteRule = rule(/[Mm]in\.(?!\p{L}|-)/u, ([written], place) => {
  const noun = /\d\.(?:\+\d)?\s$/.test(place.before) ? 'Minute' : 'Minuten';
  return `${written.startsWith('m') ? 'minimal' : noun}${sentenceStop(written, place)}`;
});
/** A license plate: "HH-AB 1234" */
const plateRule = rule(
  /([A-ZÄÖÜ]{1,3})[- ]([A-Z]{1,2})[- ](\d{1,4})([EH]?)(?![\p{L}\p{N}]|[.,]\d)/u,
  ([written, place = '', letters = '', digits = '', sign = ''], { before }) =>
    written.includes('-') && (before === '' || /[\s("„]$/.test(before))
      ? [place, letters].map(spellLetters).join(' ') + ` ${numberVerbalizer.spellDigits(digits)} ${sign}`.trimEnd()
      : undefined,
);
/** "im 4. OG" */
const storeyRule = rule(/(O|U)G(?![\p{L}\p{N}])/u, ([, kind], place) =>
  /\d\.\s$/.test(place.before) ? (kind === 'O' ? 'Obergeschoss' : 'Untergeschoss') : undefined,
);
/** "4x100-m-Staffel" */
const compoundUnitRule = rule(
  new RegExp(`(${NUMBER})-(${buildAlternatives(Object.keys(units))})-(?=\\p{Lu})`, 'u'),
  ([, written = '', name = '']) => `${verbalizeNumber(written)} ${units[name]?.many} `,
);
const mixedCaseRule = rule(
  new RegExp(`(?:${buildAlternatives(Object.keys(mixedCaseAcronyms))})(?![\\p{L}\\p{N}])`, 'u'),
  ([written]) => mixedCaseAcronyms[written],
);

/** "1 Kind", "1 Frage"; "Platz 1". */
function verbalizePlainNumber(written: string, place: MatchContext): string {
  if (written !== '1') return verbalizeNumberOrYear(written, place);
  if (/(?:Art(?:ikel|\.)|Abs(?:atz|\.)|Satz|Nr\.|§)\s$/u.test(place.before)) return 'eins';
  const noun = /^[ \u00a0](\p{Lu}\p{Ll}[\p{Ll}-]{0,40})(?!\p{L})/u.exec(place.after)?.[1];
  if (noun === undefined) return 'eins';
  return /(?:e|ung|ion|heit|keit|schaft|tät|erin|ik|frau|Frau|Person|Stadt|Firma|Zahl|Nacht|Wahl|Hand|Uhr)$/u.test(noun)
    ? 'eine'
    : 'ein';
}

const MONTH_AFTER =
  /^(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jh|Jahrestag|Geburtstag|Platz|Rang|Runde|Minute|Spieltag|Lebensjahr|Etage|Stock|Liga|Bundesliga)/u;
const COUNTED_BEFORE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|nach|(?:[msd]?ein|ihr|unser|jed|dies)(?:e|en|em|er|es))\s\(?\d{1,3}$/iu;

/** Cases and genders are known only from articles and endings. */
export const german = createRuleBasedLanguage({
  code: 'de',
  extraLetters: 'äöüß',
  capitalizesNouns: true,
  numbers: numberVerbalizer,
  verbalizePlainNumber,
  units,
  money,
  fractions,
  abbreviations: { general: generalAbbreviations, titles: titleAbbreviations, numbered: numberAbbreviations },
  acronyms: { pronounced: pronouncedAcronyms, spelled: spelledAcronyms },
  signs: signNames,
  periods: parseTable('a = Jahr; d = Tag; Std = Stunde; Einw = Einwohner; Pers = Person'),
  words: {
    dot: 'Punkt',
    hyphen: 'minus',
    underscore: 'Unterstrich',
    hashtag: 'Hashtag',
    per: 'pro',
    plus: 'plus',
    minus: 'minus',
  },
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...timeRules,
      localTelephoneRule,
      fileNumberRule,
      percentageRule,
      accusativeRule,
      compoundUnitRule,
      createSlashRangeRule(numberVerbalizer),
    ],
    afterAmounts: [magnitudeRule, compoundRule, ...yearRules, ...ordinalRules],
  },
  letters: {
    beforeAmounts: [...monthRules, minuteRule, fromRule, plateRule, streetRule],
    afterAmounts: [
      ...romanRules,
      storeyRule,
      mixedCaseRule,
      createDirectionRule(
        parseTable(
          'N = Nord; S = Süd; O = Ost; E = Ost; W = West; NO = Nordost; NW = Nordwest; SO = Südost; SW = Südwest',
        ),
        /^\s(?:von|des|der)\s/u,
      ),
    ],
  },
  signRules: [
    rule(/§§\s?/, () => 'Paragrafen '),
    // "(21./Foulelfmeter)"
    rule(/\/(?=\p{Lu}\p{Ll})/u, (_match, place) =>
      /\(\d{1,3}\.(?:\+\d{1,2})?$/.test(place.before) ? ', ' : undefined,
    ),
    // "Schüler/innen", "Bürger:innen"
    rule(/[/:*_](?=in(?:nen)?(?!\p{L}))/u, (_match, place) => (/\p{Ll}$/u.test(place.before) ? '' : undefined)),
  ],
  describeCode: (count) => `ein Code aus ${count} Zeichen`,
  plainWord: /(?!(?:dpa|epd|apa|kna)(?![a-zäöüß]))[a-zäöüß]{2,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("„“«/-])(?:Dr|Prof|Hr|Fr|St|Nr|Nrn|Art|Abs|Kap|Abb|Bd|Ziff|Rn|Az|Dipl|Ing|bzw|ca|vgl|ggf|evtl|inkl|sog|mind|max|z\.\s?B|d\.\s?h|u\.\s?a|v\.\s?a|i\.\s?d|geb|bspw|insb|Hl|Gebr|ehem|bes|erm|Präs|(?:am|bis|ab|vom|seit|von|und|jeden)\s(?:Mo|Di|Mi|Do|Fr|Sa|So)|n\.\s?[VE])$/iu,
    rarelyFinal:
      /(?:^|[\s("„“«/-])(?:usw|etc|Jh|Jhdt|Chr|Mio|Mrd|Tsd|Str|Tel|jr|sen|Std|Min|Sek|Co|Bio|Jan|Feb|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez|[IVX]{1,7}|\p{L}{3,30}(?:str|pl)|e\.\s?V|a\.\s?D|a\.\s?M|z\.\s?T|u\.\s?U|d\.\s?R)$/u,
    firstWords: sentenceStarters,
    isOrdinal: (tail, head, startsAnew) =>
      /(?:^|\D)\d{1,3}$/u.test(tail) &&
      (MONTH_AFTER.test(head) ||
        /^[-–/+][\d\p{L}]/u.test(head) ||
        /^(?:0?[1-9]|1[0-2])\.\s?(?:\d|$)/.test(head) ||
        (/^(?:[12]\d{3}(?!\d)|\d\d(?![\d.]))/.test(head) && /\d\.\s?\d{1,2}$/.test(tail)) ||
        (/^\d{1,2}\.(?:\s?\d|$)/.test(head) && COUNTED_BEFORE.test(tail)) ||
        (/^\p{L}/u.test(head) && (COUNTED_BEFORE.test(tail) || !startsAnew))),
  },
});
