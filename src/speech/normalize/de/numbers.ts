import { capitalize } from '../../../capitalize.ts';
import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  parseWords,
  rule,
  sentenceStop,
} from '../language.ts';
import { type MoneyWords, parseNouns, verbalizeCounted } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, groupThousands } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = '_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['Million', 'Millionen'],
  ['Milliarde', 'Milliarden'],
  ['Billion', 'Billionen'],
];
/** The phonemizer truncates longer words. */
const MAX_WORD_LENGTH = 40;

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'Komma',
  groupsDecimals: false,
  inflect: (words, gender, written) => (written === '1' ? (gender === 'feminine' ? 'eine' : 'ein') : words),
  isOne: (written) => written === '1',
  rangeWord: 'bis',
  pointWord: 'Punkt',
});
const { verbalizeCardinal } = numberVerbalizer;

/** "1234" → "eintausendzweihundertvierunddreißig". */
function verbalizeWhole(digits: string): string {
  const words: string[] = [];
  let thousand = '';
  let ones = '';
  for (const { value, power } of groupThousands(digits)) {
    if (power === 0) ones = verbalizeBelowThousand(value);
    else if (power === 1) thousand = `${toAttributive(verbalizeBelowThousand(value))}tausend`;
    else {
      const [one = '', many = ''] = SCALES[power - 2] ?? [];
      words.push(value === 1 ? `eine ${one}` : `${verbalizeBelowThousand(value)} ${many}`);
    }
  }
  const joint = thousand.length + ones.length > MAX_WORD_LENGTH ? ' ' : '';
  return [...words, thousand + joint + ones].join(' ').trim();
}

/** A year: "1989" → "neunzehnhundertneunundachtzig". */
export function verbalizeYear(digits: string): string {
  const century = Number(digits) >= 1100 && Number(digits) <= 1999 ? digits.slice(0, 2) : '';
  if (century === '') return verbalizeCardinal(digits);
  const remainder = Number(digits.slice(2));
  return `${verbalizeBelowHundred(Number(century))}hundert${remainder === 0 ? '' : verbalizeBelowHundred(remainder)}`;
}

function toAttributive(words: string): string {
  return words.replace(/eins$/, 'ein');
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const remainder = value % 100;
  const start = hundreds === 0 ? '' : `${toAttributive(ONES[hundreds] ?? '')}hundert`;
  return start + (remainder === 0 ? '' : verbalizeBelowHundred(remainder));
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const ones = value % 10;
  return ones === 0 ? tens : `${toAttributive(ONES[ones] ?? '')}und${tens}`;
}

const STEMS = parseTable('1 = erst; 3 = dritt; 7 = siebt; 8 = acht');

/** "mit der", "seit dem", "am": the ending -en follows. */
export const WEAK_BEFORE =
  /(?:\b[dv]\.|\b(?:am|ans|vom|zum|zur|beim|im|dem|den|des|ab|bis|seit|nach|vor|(?:k?ein|[msd]ein|ihr|unser|euer|dies)(?:en|em|er|es)|jede[nmr])|\b(?:in|an|auf|mit|bei|seit|nach|von|aus|vor|zu|während|ab|trotz|wegen|neben|unter|über|gegenüber|außer|innerhalb|hinter)\s(?:der|die\sersten)|\b(?:am\s)?(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag|(?:Mo|Di|Mi|Do|Fr|Sa|So)\.),)\s$/iu;
export const ARTICLE_BEFORE = /\b(?:der|die|das|dies(?:er|e|es)|jede[rs]?|(?:k?ein|[msd]ein|ihr|unser)e)\s$/iu;
const THE_BEFORE = /\bder\s$/iu;
const FEMININE_AFTER =
  /^\s?(?=\p{Lu})\p{L}{0,31}(?:e|ung|ion|heit|keit|schaft|tät|[Ll]iga|[Tt]ür|[Ww]ahl|[Bb]ank|[Ss]tadt|[Nn]acht|[Ff]rau|[Hh]and|[Zz]ahl|[Ff]ahrt|[Pp]erson|[Mm]utter|[Tt]ochter|[Ss]chwester|[Kk]ammer|[Mm]auer|[Nn]ummer|[Ff]eier|[Oo]per|[Aa]rbeit|[Zz]eit|[Ss]chlacht|[Ff]orm|(?:er|ist|ent|ant|or|eur)in)(?!\p{L})|^\s?(?:Aufl|Kl|Abt)\./u;
const NEUTER_AFTER =
  /^\s?\p{L}{0,25}(?:auto|kind|tor|haus|buch|spiel|mal|opfer|jahr|semester|quartal|land|unternehmen|fahrzeug|boot|flugzeug|team|album|treffen|feuer|schiff|werk|gebäude|leben|gericht|verfahren|drittel|viertel|foto|video|konzert|stück|tier|referendum|begehren|chen|zentrum|gutachten|angebot|mitglied|ergebnis|zimmer|bein|gleis|geschoss|kapitel|urteil|signal|flugzeug|handy|studio)(?!\p{L})/iu;
/** The first ordinal of a pair, with the same ending: "am 3. und 4. Mai". */
const PAIR_BEFORE =
  /(?:\d{1,3}\.(?:,?\s(?:(?:und|u\.|bis|oder|sowie)\s)?|\s?[-–/]\s?)){1,5}$|\d{1,3}\.\s\p{Lu}\p{L}{1,30}\s(?:und|bis|oder|sowie)\s$/u;
/** The others of a list, before their noun: "der 64., 74. und 77. Minute". */
const LIST_AFTER = /^(?:(?:,\s|\s(?:und|oder|bis|sowie)\s)(?:\p{Lu}\p{Ll}{2,20}\s)?\d{1,3}\.){1,5}/u;

/** "Sie wurde 3. in der Wertung" */
const WOMAN_BEFORE = /(?:^|\s)sie\s(?:(?:wurde|wird|war|ist|blieb)\s(?:nur\s)?)?$/iu;

/** "Sie lief 5.000 m und wurde 2." */
const WOMAN_STARTS = /^Sie (?:(?!\s(?:er|der)\s).){1,100} und (?:wurde|ist|war|wird|blieb) $/iu;
const maxClause = 120;

const FEMININE_PLURAL =
  /innen$|[Ff]rauen$|ungen$|heiten$|keiten$|schaften$|(?:[Ff]irm|[Pp]erson|[Ff]amili|[Ss]chul|[Ss]tädt|[Gg]emeind|[Kk]lass|[Ss]tund|[Ff]rag|[Ss]timm)en$/u;
const NEUTER_PLURAL =
  /(?:kinder|kindern|mädchen|autos|unternehmen|ländern|häusern|spielen|jahren|dörfern|bundesländern|tieren)$/iu;

/** A number with a full stop within a sentence. */
export const ordinalRules: readonly NormalizationRule[] = [
  // "die 1.-Mai-Demo"
  rule(/(\d{1,3})\.-(?=\p{Lu})/u, ([, digits = '']) => `${buildOrdinalStem(digits)}e `),
  // "der 3.-größte Hafen"
  rule(
    /(\d{1,2})\.-?(?=(?:größt|höchst|best|wichtigst|stärkst|schnellst|meist|jüngst|ältest|längst|reichst|teuerst|kleinst|niedrigst|häufigst|erfolgreichst|beliebtest|letzt|tiefst)(?:e[rnms]?(?!\p{L})|\p{Ll}{2,15}te[rnms]?)\p{Ll}{0,8}(?!\p{L}))/u,
    ([, digits = '']) => buildOrdinalStem(digits),
  ),
  // "1 von 8 Bewerbern"
  rule(
    /1(?= von (?:\d{1,5}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert)(?: (\p{Lu}\p{L}{2,30}))?(?!\p{L}))/u,
    ([, noun]) => {
      if (noun === undefined) return undefined;
      if (FEMININE_PLURAL.test(noun)) return 'eine';
      return NEUTER_PLURAL.test(noun) ? 'eins' : 'einer';
    },
  ),
  // The minute of a goal: "Kane (64.)", "Wirtz (45.+2)"
  rule(/(\d{1,3})\.(?:\s?\+\s?(\d{1,2})\.?)?(?=\s?[,)/]|\/\p{L})/u, ([, minute = '', extra], place) =>
    /\((?:\d{1,3}\.[^()]{0,30})?$/.test(place.before) && Number(minute) > 0
      ? `${buildOrdinalStem(minute)}e${extra ? ` plus ${verbalizeCardinal(extra)}` : ''}`
      : undefined,
  ),
  // "Wellinger wurde 12."
  rule(/(\d{1,3})\.(?=[,;)]|$)/, ([written, digits = ''], place) =>
    /\d\.[,;]\s(?:und\s)?[\p{L}.\s-]{3,30}\s$|(?:bleibt|ist|sind|bleiben|liegt|wird|wurde)\s(?:nun\s)?mit\s\d{1,3}\s(?:Punkten|Zählern)\s$|(?:^|\s)(?:wurden?|wird|war|ist|blieb|als|jede[rsn]?)\s(?:nur\s|dort\s|Gesamt-?)?$/u.test(
      place.before,
    ) && Number(digits) > 0
      ? `${buildOrdinalStem(digits)}${findAdjectiveEnding(place)}${sentenceStop(written, place)}`
      : undefined,
  ),
  // "in der 90.+3 Minute"
  rule(
    /(\d{1,3})\.\s?\+\s?(\d{1,2})\.?(?=[ \u00a0]Min)/,
    ([, minute = '', extra = ''], place) =>
      `${buildOrdinalStem(minute)}${findAdjectiveEnding(place)} plus ${verbalizeCardinal(extra)}`,
  ),
  rule(/(\d{1,3})\.\s?([-–/])\s?(\d{1,3})\.(?=[ \u00a0]\p{L})/u, ([, first = '', joint = '', last = ''], place) => {
    const ending = findAdjectiveEnding(place);
    return `${buildOrdinalStem(first)}${ending} ${joint === '/' ? 'und' : 'bis'} ${buildOrdinalStem(last)}${ending}`;
  }),
  rule(
    /(\d{1,3}\.\d{3}|\d{1,4})\.(?=[ \u00a0](?:\p{L}|\d{1,3}\.)|,[ \u00a0]\d{1,3}\.[ ,])/u,
    ([, written = ''], place) => {
      const digits = written.replace('.', '');
      if (Number(digits) === 0) return undefined;
      // "in 1. Lesung"
      const isDative =
        /(?:^|\s)in\s$/iu.test(place.before) &&
        /^\s(?:Lesung|Instanz|Ehe|Generation|Auflage|Linie)(?!\p{L})/u.test(place.after);
      return buildOrdinalStem(digits) + (isDative ? 'er' : findAdjectiveEnding(place));
    },
  ),
  rule(/(\d{1,3})te([rnms]?)(?!\p{L})/u, ([, digits = '', ending = '']) =>
    Number(digits) === 0 ? undefined : `${buildOrdinalStem(digits)}e${ending}`,
  ),
];

/** "3" → "dritt": an ending follows. */
export function buildOrdinalStem(digits: string): string {
  const lastTwoDigits = Number(digits) % 100;
  const words = verbalizeCardinal(digits);
  if (lastTwoDigits >= 20 || lastTwoDigits === 0) return `${words}st`;
  const stem = STEMS[String(lastTwoDigits)];
  const whole = verbalizeCardinal(String(lastTwoDigits));
  return stem === undefined ? `${words}t` : words.slice(0, words.length - whole.length) + stem;
}

/** "jeder 10. Bürger", but "in jeder 2. Woche" */
const EVERY_BEFORE =
  /(?<!(?:^|\s)(?:in|an|auf|mit|bei|seit|nach|von|aus|vor|zu|hinter|unter|während)\s)(?<!\p{L})jeder\s$/iu;

/** A date at the start of a text: "Mittwoch, 3. April" */
const WEEKDAY_BEFORE =
  /^(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag|(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?), $/;

/** @returns the ending of an adjective by the article before it and the noun after it */
export function findAdjectiveEnding(place: MatchContext): 'e' | 'en' | 'er' | 'es' {
  // "der Tabellen-2."
  const textBefore = place.before.replace(PAIR_BEFORE, '').replace(/\p{Lu}\p{L}{1,30}-$/u, '');
  if (EVERY_BEFORE.test(textBefore)) return 'e';
  if (place.at === place.before.length && WEEKDAY_BEFORE.test(place.before)) return 'er';
  if (WEAK_BEFORE.test(textBefore) || /(?<!\p{L})(?:de[mns]|[ai]m|vom|zu[mr]|beim) \p{Ll}{2,20}en $/u.test(textBefore))
    return 'en';
  if (WOMAN_BEFORE.test(textBefore) || WOMAN_STARTS.test(place.text.slice(Math.max(0, place.at - maxClause), place.at)))
    return 'e';
  const textAfter = place.after.replace(LIST_AFTER, '');
  const isFeminine = FEMININE_AFTER.test(textAfter);
  if (isFeminine && THE_BEFORE.test(textBefore)) return 'en';
  // "Schüler der 5. bis 10. Klassen"
  const isPair = textBefore.length < place.before.length || textAfter.length < place.after.length;
  if (isPair && THE_BEFORE.test(textBefore) && /^\s?\p{Lu}\p{Ll}{1,30}en(?!\p{L})/u.test(textAfter)) return 'en';
  if (isFeminine || ARTICLE_BEFORE.test(textBefore)) return 'e';
  return NEUTER_AFTER.test(place.after) ? 'es' : 'er';
}

const MASCULINE_OR_PLURAL_AFTER = /^\s\p{Lu}\p{L}{1,40}(?:n|er|s|chen)(?!\p{L})/u;
const FEMININE_NOUN_AFTER =
  /^\s\p{Lu}\p{L}{0,40}(?:e|ung|ion|heit|keit|schaft|tät|in|mutter|tochter|schwester|steuer|mauer|feier|kammer|nummer|praxis|basis)(?!\p{L})/iu;

/** @returns the ending of an adjective by the article before it and the noun after it */
export function findWeakEnding({ before, after }: MatchContext): 'e' | 'en' {
  if (WEAK_BEFORE.test(before)) return 'en';
  const isFeminine = FEMININE_NOUN_AFTER.test(after);
  if (/(?:^|\s)Der\s$/.test(before)) return 'e';
  if (THE_BEFORE.test(before))
    return isFeminine || /^\s\p{Lu}\p{L}{1,40}(?:[^e]n|innen)(?!\p{L})/u.test(after) ? 'en' : 'e';
  if (/(?<!\p{L})(?:die|diese|keine|alle|beide|[msd]eine|ihre|unsere)\s$/iu.test(before))
    return isFeminine || !MASCULINE_OR_PLURAL_AFTER.test(after) ? 'e' : 'en';
  if (/(?<!\p{L})(?:mit|von|aus|bei|nach|seit|zu|unter|zwischen|vor)\s$/iu.test(before))
    return /^\s\p{Lu}\p{L}{1,40}n(?!\p{L})/u.test(after) && !isFeminine ? 'en' : 'e';
  return 'e';
}

const magnitudes = parseNouns(findTable(tables, 'magnitudes'));

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes,
};

/** "84 Mio. Menschen". */
export const magnitudeRule = rule(
  /(\d{1,3}(?:\.\d{3}){0,2}(?:,\d{1,6})?)(?:\s?[-–]\s?(\d{1,3}(?:,\d{1,6})?))?[ \u00a0\u202f]?(Tsd\.|Mio\.?|Mrd\.?|Bio\.)(?!\p{L})/u,
  ([, first = '', last, name = '']) =>
    magnitudes[name] && verbalizeCounted(numberVerbalizer, first, last, magnitudes[name]),
);

export const units = parseNouns(findTable(tables, 'units'));

export const fractions: FractionWords = {
  denominators: parseNouns(findTable(tables, 'denominators')),
  nameDenominator: (digits) => {
    if (Number(digits) > 100 && !/^\d0+$/.test(digits)) return undefined;
    const name = `${capitalize(buildOrdinalStem(digits))}el`;
    return { one: name, many: name, gender: 'masculine' };
  },
  signs: parseTable('½ = ein halb; ⅓ = ein Drittel; ⅔ = zwei Drittel; ¼ = ein Viertel; ¾ = drei Viertel'),
  joint: '',
  half: 'einhalb',
  joinHalf: (whole) => `${numberVerbalizer.verbalizeQuantity(whole, 'masculine')}einhalb`,
  fixed: parseTable(findTable(tables, 'fixed')),
};
