import { capitalize } from '../../../capitalize.ts';
import { findTable, type MatchContext, parseTable, rule, sentenceStop } from '../language.ts';
import { buildAlternatives, type Noun } from '../shared/amounts.ts';
import { GAP } from '../shared/numbers.ts';
import {
  type Case,
  COUNTED_TOGETHER,
  countTogether,
  inflectCounted,
  inflectNumber,
  money,
  numberVerbalizer,
  type OrdinalForm,
  PERSONS,
  units,
  verbalizeOrdinal,
} from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "3. miejsce", "21. edycja": the ending of the noun decides. */
export const ordinalRule = rule(
  /(\d{1,3})\.(?=[ \u00a0](\p{Ll}{3,}|(?:Dywizj|Brygad|Pułk|Batalion|Korpus|Flot|Armi|Festiwal|Kongres|Zjazd|Maraton|Międzynarodow|Ogólnopolsk|Światow|Memoriał|Rajd|Tydzień|Tygodni|Dni|Forum|Konkurs|Mistrzostw|Igrzysk|Bieg|Półmaraton|Finał|Turniej)\p{Ll}{0,6}))/u,
  ([, digits = '', noun = ''], place) => {
    return Number(digits) === 0 ? undefined : verbalizeOrdinal(digits, chooseForm(noun, place));
  },
);

/** @returns the form of an ordinal before a noun, by its ending and the preposition before both */
export function chooseForm(noun: string, place: MatchContext): OrdinalForm {
  if (FEMININE_LOCATIVE.test(noun)) return 'feminineGenitive';
  if (/(?:e|y|i)m$/.test(noun)) return 'locative';
  // "w 2. uległa"
  if (/ł[aoy]?$|li$/.test(noun) && /(?:^|[^\p{L}])we?\s$/iu.test(place.before)) return 'locative';
  if (MASCULINE_GENITIVE.test(noun)) return 'genitive';
  if (
    /[yi]$/.test(noun) &&
    /(?:^|[^\p{L}])(?:do|od|z|bez|dla|około|ok\.|koło|obok|podczas|po|na|w|o|przy)\s$/iu.test(place.before)
  )
    return 'feminineGenitive';
  if (noun.endsWith('ą')) return 'feminineAccusative';
  if (noun.endsWith('ę') && !/(?:imię|ramię|zwierzę)$/.test(noun)) return 'feminineAccusative';
  const isLocative = /(?:^|[^\p{L}])(?:we?|na|po|o|przy)\s$/iu.test(place.before);
  if (isLocative && /^kw\.$|u$|(?<!miejs)[cdsnlrmwz]ie$|[rl][zn]?e$/.test(noun)) return 'locative';
  if (/ego$|u$/.test(noun)) return 'genitive';
  if (/[ai]$|część$|noc$/.test(noun) && !/dni$/.test(noun)) return /y$|i$/.test(noun) ? 'feminineGenitive' : 'feminine';
  return /[eo]$|um$|RP$/.test(noun) ? 'neuter' : 'nominative';
}
/** "na 214. km autostrady", "z 8. na 5. miejsce", "po raz 6." */
export const placeOrdinalRule = rule(
  /(\d{1,4})\.(?:[ \u00a0](km)(?!\p{L}|\/))?/u,
  ([, digits = '', kilometer], place) => {
    if (kilometer !== undefined) {
      if (/(?<!\p{L})(?:na|w|po|przy)\s$/iu.test(place.before))
        return `${verbalizeOrdinal(digits, 'locative')} kilometrze`;
      return /(?<!\p{L})(?:od|do|z|około|ok\.|koło)\s$/iu.test(place.before)
        ? `${verbalizeOrdinal(digits, 'genitive')} kilometra`
        : `${verbalizeOrdinal(digits, 'nominative')} kilometr`;
    }
    if (/(?<!\p{L})raz\s$/u.test(place.before)) return verbalizeOrdinal(digits, 'nominative');
    if (/(?<!\p{L})numerem\s$/u.test(place.before)) return verbalizeOrdinal(digits, 'locative');
    // "z 54. w rankingu Rosjanką"
    const ranked =
      /^\s(?:w|na)\s(?:rankingu|świecie|tabeli|klasyfikacji|liście)\s(?:\p{L}{2,12}\s)?(\p{Lu}\p{Ll}{3,20})/u.exec(
        place.after,
      )?.[1];
    if (ranked !== undefined) return verbalizeOrdinal(digits, chooseForm(ranked, place));
    // "w 34. i 78. minucie"
    const shared = /^(?:,\s\d{1,3}\.){0,3}\s(?:i|oraz|lub|albo)\s\d{1,3}\.\s(\p{Ll}{3,20})/u.exec(place.after)?.[1];
    if (shared !== undefined) return verbalizeOrdinal(digits, chooseForm(shared, place));
    const noun = /^\s(?:na|do|i|a)\s\d{1,3}\.\s(\p{Ll}{3,20})/u.exec(place.after)?.[1];
    if (noun?.endsWith('em') && /(?<!\p{L})(?:po)?między\s$/iu.test(place.before))
      return verbalizeOrdinal(digits, 'locative');
    if (noun === undefined || !/(?<!\p{L})(?:ze?|od|do)\s$/iu.test(place.before)) return undefined;
    return verbalizeOrdinal(digits, /[ęąi]$/u.test(noun) ? 'feminineGenitive' : 'genitive');
  },
);
const MASCULINE_GENITIVE =
  /^(?:gola|asa|gema|seta|kilometra|tygodnia|dnia|papieża|króla|prezydenta|zawodnika|gracza|mistrza|medalu|kandydata|posła|pilota|kierowcy)$/u;
const FEMININE_LOCATIVE =
  /(?:minu|lo[kt]a|kwar)cie$|(?:run|deka|sekun|gwieź)dzie$|[^e]j?ji$|[^e]cji$|kolejce|połowie|godzinie|rocznicy|lidze|klasie|części|próbie|turze|serii|wojnie|dobie|dzielnicy$/u;
/** "przy ul. Długiej", "z art. 148": the case that a preposition takes */
export const caseRule = rule(/(ul|al|pl|art)\.(?=[ \u00a0][\p{Lu}\d])/iu, ([written, word = ''], place) => {
  const [nominative, genitive, locative, accusative] = CASES[word.toLowerCase()] ?? [];
  // "powołali się na art. 6"
  if (word.toLowerCase() === 'art' && /(?:^|[^\p{L}])na\s$/iu.test(place.before)) return accusative;
  if (/(?:^|[^\p{L}])(?:przy|na|we?|po|o)\s$/iu.test(place.before)) return locative;
  if (/(?:^|[^\p{L}])przez\s$/iu.test(place.before)) return accusative;
  if (/(?:^|[^\p{L}])(?:z|od|do|obok|koło|według|wobec|podstawie|podst\.|treści)\s$/iu.test(place.before))
    return genitive;
  return /^\p{Lu}/u.test(written) ? capitalize(nominative ?? '') : nominative;
});
const CASES: Readonly<
  Record<string, readonly [nominative: string, genitive: string, locative: string, accusative: string]>
> = {
  ul: ['ulica', 'ulicy', 'ulicy', 'ulicę'],
  al: ['aleja', 'alei', 'alei', 'aleję'],
  pl: ['plac', 'placu', 'placu', 'plac'],
  art: ['artykuł', 'artykułu', 'artykule', 'artykuł'],
};

export const hourRule = rule(/godz\.(?=\s?\d)/u, (_match, place) => {
  if (/^\s?\d{1,2}(?:[.:]\d\d)?\s?[-–]/.test(place.after)) return 'godzinach';
  if (/(?:^|\s)(?:do|od|około|ok\.|koło|przed)\s$/iu.test(place.before)) return 'godziny';
  if (/(?:^|\s)(?:na|przez)\s$/iu.test(place.before)) return 'godzinę';
  return /(?:^|\s)(?:o|po|przy)\s$/iu.test(place.before) ? 'godzinie' : 'godzina';
});
/** "w woj. lubelskim": the ending of the name decides. */
export const regionRule = rule(/(woj|pow|gm)\.(?=\s(\p{L}{3,30}))/iu, ([, word = '', name = '']) => {
  const [nominative = '', genitive, locative] = REGIONS[word.toLowerCase()]?.split('|') ?? [];
  return /ego$|iej$/u.test(name) ? genitive : /im$|ym$/u.test(name) ? locative : nominative;
});
const REGIONS = parseTable(findTable(tables, 'regions'));
const GENITIVE_BEFORE =
  /(?<!\p{L})(?:do|od|około|ok\.|powyżej|poniżej|bez|blisko|sprzed|zamiast|oprócz|wobec|dawce|dawki|kwocie|kwoty|cenie|składzie|grupie|gronie|granicy|poziomu|poziomie|progu|limitu|wart\.|pow\.|wys\.|szer\.|dł\.|głęb\.|o śr\.|szefowie|szefów|liderzy|liderów|przywódcy|przywódców|przedstawiciele|przedstawicieli|mieszkańcy|mieszkańców|właściciele|właścicieli|zespół|zespołu|listę|lista|liście|seria|serii|serię|grupa|grupę|zbiór|większość|większością|połowa|połowę|kwota|kwotę|suma|sumę|wartość|wysokość|długość|powierzchnię|prędkość|dotację|dotacji|grzywnę|grzywny|dług|długu|zysk|zysku|odszkodowanie|zadośćuczynienie|zażąda\p{L}{0,3}|poszukiwani\p{L}{1,3}|domaga się|spodziewa\p{L}{1,5} się|oczekiwa\p{L}{1,4}|potrzebuj\p{L}{1,3}|udziel\p{L}{1,5}|dokona\p{L}{1,4}|brakowa\p{L}{1,3}|dotycz\p{L}{1,4}|szuka\p{L}{0,3}|sięga\p{L}{0,8}|poszukuj\p{L}{1,3}|domaga się|karę|kary|wyrok|wieku|ciągu|okresie|prędkości\p{L}?|prędkością|odległości|wysokości|szerokości|długości|głębokości|mocy|wartości|średnicy|powierzchni|udziałem|spośród|żąda|żądał\p{L}?|wymaga|potrzeba|brakuje|zasięg|dystansie|promieniu|grona|zderzenia|zabójstwa|śmierci|porwania|zatrzymania|grupy|liczby|wieku \d{1,3}(?:,| i| oraz))\s(?:(?:ostatnich|kolejnych|najbliższych|pierwszych|następnych|co najmniej|prawie|ponad|niemal|zaledwie|nawet|aż|minus|dla \d{1,3}-\p{L}{3,8})\s)?(?:[-−–])?$/iu;
/** "posłów", "z 25 radnych", "byłych ministrów": whether men or men and women are counted, whose number has the form of the genitive */
export function countsMen(digits: string, after: string): boolean {
  // "4 wstrzymujących się", "62 mieszkańców": of things there would be "4 domy"
  if (/(?:^|[^1])[2-4]$/.test(digits) && /^[ \u00a0]\p{Ll}{3,25}(?:[nctłrw]ych|[ck]ich|ów)(?!\p{L})/u.test(after))
    return true;
  const noun = MEN.exec(after)?.[1] ?? '';
  return (
    PERSONS.has(noun) ||
    /(?:[iy]stów|(?:psycho|bio|arche|socjo|geo|kardio|onko|wiruso|epidemio|meteoro|polito|neuro)logów)$/u.test(noun)
  );
}
const MEN =
  /^(?:[ \u00a0]ze?[ \u00a0]\d{1,4})?[ \u00a0](?:\p{Ll}{3,20}(?:ych|ich)\s(?=\p{Ll}{3,20}(?:ów|i|y|ych)(?!\p{L}))|b\.\s)?(\p{L}{3,25})/u;
/** Words between a number and its noun, with their ending. */
const between = (ending: string) => `^[ \\u00a0](?:\\p{Ll}{3,20}${ending}\\s){0,2}`;
const DATIVE_AFTER = new RegExp(
  `${between('[yi]m')}\\p{Ll}{2,20}(?:om|(?:[ntrł]|dz)ym)(?!\\p{L}|\\s\\p{Ll}{2,20}[ei]m(?!\\p{L}))`,
  'u',
);
const INSTRUMENTAL_AFTER = new RegExp(
  `${between('[yi]mi')}\\p{Ll}{0,20}(?:ami|(?:dzieć|ludź|gość|koń|brać|przyjaciół|księż|pieniędz)mi)(?!\\p{L})`,
  'u',
);
const LOCATIVE_AFTER = new RegExp(`${between('[yi]ch')}\\p{Ll}{2,20}ach(?!\\p{L})`, 'u');
const GENITIVE_AFTER = new RegExp(
  `${between('[yi]ch')}(?:\\p{Ll}{2,20}(?:ów|ek|ic|iet|aw|in|yn|ost|ji|zkół|nych|tych|rych)|państw|lat|miast|miejsc|osób|drużyn|firm|gmin|partii|stron|spółek|dni|krajów)(?!\\p{L})`,
  'u',
);
const SHARE = /^(?:pkt|punkt|proc|%)/;
const PERIOD = /^(?:godz|h$|min|s$|sek|mies|tyg)/;

/** The case that a preposition or a verb demands, or that the noun shows: "w 5 województwach", "z 5 krajów", "4 urzędnikom", "z 25 pkt" */
function findCase({ before, after }: MatchContext, unit: string | undefined, magnitude?: string): Case | undefined {
  const preposition =
    /(?<!\p{L})(we?|po|o|przy|na|ze?|wśród|dla|pod|nad|przed)\s$/iu.exec(before)?.[1]?.toLowerCase() ?? '';
  if (/(?<!\p{L})do lat\s$/u.test(before)) return 'genitive';
  const isFrom = /^(?:ze?)$/.test(preposition);
  if (isFrom && /^\s(?:do|na)\s(?:ok\.\s|około\s|ponad\s)?[-–]?\d/u.test(after)) return 'genitive';
  if (unit !== undefined) {
    if (PERIOD.test(unit) && (preposition === 'po' || /(?<!\p{L})po \d{1,3} (?:godz\.|h|min) i\s$/u.test(before)))
      return 'locative';
    if (isFrom && SHARE.test(unit))
      return /^\s(?:we?\s\p{Ll}|rok\s|przed\s|miesiąc\s|kwartał\s)/u.test(after) ||
        /(?<!\p{L})do [\d,]{1,8} \S{1,5} z\s$/u.test(before)
        ? 'genitive'
        : 'instrumental';
    if (isFrom && (magnitude !== undefined || unit in money.currencies)) return 'genitive';
  } else {
    if (INSTRUMENTAL_AFTER.test(after)) return 'instrumental';
    if (DATIVE_AFTER.test(after)) return 'dative';
    if (/^(?:we?|po|o|przy|na)$/.test(preposition) && LOCATIVE_AFTER.test(after)) return 'locative';
    if (/^(?:ze?|wśród|dla)$/.test(preposition) && GENITIVE_AFTER.test(after)) return 'genitive';
  }
  // "15 lat więzienia i 100 tys. zł" after one that is a genitive
  const first =
    /^(.*)(?<![\d ,])[ \u00a0]\d{1,3}(?:[ \u00a0]\d{3})?(?:[ \u00a0][\p{L}.]{1,20}){1,3}[ \u00a0](?:i|oraz)[ \u00a0]$/u.exec(
      before,
    )?.[1];
  return GENITIVE_BEFORE.test(
    before.replace(/(?<=(?:szef|lider|przywódc|przedstawiciel)\p{L}{1,4}\s)(?-i:\p{Lu}{2,6})\s$/iu, ''),
  ) ||
    (first !== undefined && GENITIVE_BEFORE.test(`${first} `))
    ? 'genitive'
    : undefined;
}

const counted = { ...units, ...money.currencies };
const COUNTED = buildAlternatives(Object.keys(counted));
const UNCOUNTED_AFTER =
  /^[ \u00a0](?:roku|lat(?:a|ach)?\s\d|godz\.|[a-ząćęłńóśźż]{4,12}(?:cznia|tego|rca|etnia|aja|erwca|pca|pnia|śnia|ernika|topada|udnia)(?!\p{L}))/u;

/** "do 8 lat", "od -8 st. C", "z 12 ministrami", "sprzed 45 tys. lat", "do 4,23 zł" */
export const caseNumberRule = rule(
  new RegExp(
    `((\\d{1,3}(?:[ \\u00a0]\\d{3}){0,2}|\\d{4,6})(?:,\\d{1,3})?)(?:${GAP}(${buildAlternatives(Object.keys(money.magnitudes))})(?!\\p{L}))?(?:${GAP}(${COUNTED})(?![\\p{L}\\p{N}²³/]))?(?![\\d]|[,.:/]\\d|[-–]\\d|[ \\u00a0]?(?:tys|mln|mld|bln)(?!\\p{L}))`,
    'u',
  ),
  ([written, number = '', whole = '', magnitude, unit], place) => {
    const wanted = findCase(place, unit, magnitude);
    if (
      wanted === undefined ||
      (number === '1' && !GENITIVE_BEFORE.test(place.before) && unit === undefined) ||
      (number !== '1' && UNCOUNTED_AFTER.test(place.after))
    )
      return undefined;
    if (
      magnitude === undefined &&
      unit === undefined &&
      !place.before.endsWith('do lat ') &&
      !(/(?<!\p{L})(?:ok\.|około|powyżej|poniżej)\s$/iu.test(place.before) && /^(?:[.,;)]|$)/.test(place.after)) &&
      !/^[ \u00a0](?:\p{Ll}{3}|(?:do|i|oraz|na)\s[-–−]?\d)/u.test(place.after)
    )
      return undefined;
    const stop = /\.$/.test(written) ? sentenceStop(written, place) : '';
    const noun = unit === undefined ? undefined : counted[unit];
    if (number.includes(',')) return magnitude || !noun ? undefined : inflectDecimal(number, noun, wanted, unit) + stop;
    const digits = whole.replace(/\D/g, '');
    const words = inflectNumber(verbalizeCardinal(digits), wanted);
    const scale = magnitude === undefined ? undefined : money.magnitudes[magnitude];
    if (scale !== undefined) {
      const amount = inflectCounted(scale, wanted, digits === '1');
      return `${digits === '1' ? '' : `${words} `}${amount}${noun ? ` ${noun.many}` : ''}${stop}`;
    }
    if (noun === undefined && COUNTED_TOGETHER.test(place.after)) return countTogether(digits, wanted) ?? words;
    return noun ? `${words} ${inflectCounted(noun, wanted, digits === '1')}${stop}` : words;
  },
);

/** "do czterech złotych dwudziestu trzech groszy", "do czterech przecinek pięć procenta" */
function inflectDecimal(number: string, noun: Noun, wanted: Case, unit = ''): string {
  const [whole = '', decimals = ''] = number.replace(/[ \u00a0]/g, '').split(',');
  const start = inflectNumber(verbalizeCardinal(whole), wanted);
  if (/^(?:zł|PLN|złotych)$/.test(unit) && decimals.length === 2) {
    const cents = inflectNumber(verbalizeCardinal(decimals), 'genitive');
    return `${start} ${inflectCounted(noun, wanted, whole === '1')} ${cents} groszy`;
  }
  return `${verbalizeNumber(`${whole},${decimals}`).replace(verbalizeCardinal(whole), start)} ${noun.part ?? noun.many}`;
}

/** "w wieku 5-11 lat", "o ok. 5-7 proc." */
export const caseRangeRule = rule(
  new RegExp(`(\\d{1,3})[-–](\\d{1,3})(?:${GAP}(${COUNTED})(?![\\p{L}\\p{N}²³/])|(?=[ \\u00a0]\\p{Ll}{3}))`, 'u'),
  ([written, first = '', last = '', unit], place) => {
    if (!GENITIVE_BEFORE.test(place.before)) return undefined;
    const [from, to] = [first, last].map((digits) => inflectNumber(verbalizeCardinal(digits), 'genitive'));
    const noun = unit === undefined ? '' : ` ${counted[unit]?.many}`;
    return `${/wieku\s$/.test(place.before) ? 'od ' : ''}${from} do ${to}${noun}${/\.$/.test(written) ? sentenceStop(written, place) : ''}`;
  },
);

/** "w 1 godz. 52 min": an accusative that shows */
export const onePeriodRule = rule(/1[ \u00a0](godz\.|min\.?|sek\.|s)(?!\p{L})/u, ([written, unit = ''], place) =>
  /(?<!\p{L})(?:we?|na|za|przez|lidera|o|ponad)\s$/iu.test(place.before)
    ? `jedną ${{ g: 'godzinę', m: 'minutę', s: 'sekundę' }[unit.charAt(0)]}${sentenceStop(written, place)}`
    : undefined,
);

/** "27-latek z 2-godz. opóźnieniem": an adjective that is cut short takes the ending of its noun. */
export const shortAdjectiveRule = rule(
  /(\d{1,3})[-‑](godz|proc|os|min|dn|km|m|kg|tyg|mies|pkt|let)\.?[ \u00a0](?=(\p{Ll}{3,25}))/u,
  ([written, digits = '', short = '', noun = ''], place) => {
    if (!written.includes('.') && short !== 'km') return undefined;
    return `${toCompoundForm(verbalizeCardinal(digits))}${ADJECTIVES[short]}${chooseAdjectiveEnding(noun, place.before)} `;
  },
);
const ADJECTIVES = parseTable(findTable(tables, 'adjectives'));

function chooseAdjectiveEnding(noun: string, before: string): string {
  if (/[ąę]$/.test(noun)) return 'ą';
  if (/em$|im$/.test(noun)) return 'ym';
  if (/ach$|ów$/.test(noun)) return 'ych';
  if (/ami$/.test(noun)) return 'ymi';
  if (/ość$|oc$|ść$/.test(noun))
    return /(?<!\p{L})(?:mam\p{L}{0,3}|ma|mają|mieć|daj\p{L}{1,3}|osiąg\p{L}{2,6}|przez|na|o|za|w)\s$/iu.test(before)
      ? 'ą'
      : 'a';
  if (/^(?:odcinka|korka|dnia|tygodnia|samochodu|chłopca|wyścigu)$/.test(noun)) return 'ego';
  if (/a$/.test(noun)) return 'a';
  if (/[oe]$/.test(noun)) return 'e';
  if (/[yi]$/.test(noun)) return 'ej';
  return /u$/.test(noun) ? 'ego' : 'y';
}

/** "tzw. ustawą" → "tak zwaną ustawą" */
export const calledRule = rule(
  /tzw\.(?=[ \u00a0][„"]?(?:\p{Ll}{3,20}(?:ą|ej|ego|ym|ych|ymi)\s)?(\p{L}{3,25}))/iu,
  ([written, noun = ''], place) =>
    `${written.startsWith('T') ? 'T' : 't'}ak zwan${chooseAdjectiveEnding(noun, place.before)}`,
);

/** "siedemnaście" → "siedemnasto": as the first part of a compound. */
export function toCompoundForm(words: string): string {
  return words
    .split(' ')
    .map((word) => word.replace(COMPOUND_ENDING, (ending) => compoundForms[ending] ?? ending))
    .join('');
}
const compoundForms = parseTable(findTable(tables, 'compound forms'));
const COMPOUND_ENDING = new RegExp(`(?:${buildAlternatives(Object.keys(compoundForms))})$`);
/** "o pow. 54 m kw.", "na wys. 10 tys. m", "śr. 6 zł" */
export const measureWordRule = rule(
  /(wart|pow|wys|szer|dł|głęb|śr|poj|temp)\.(?=[ \u00a0](?:\d|ok\.|około|ponad|blisko|do\s\d|od\s\d))/u,
  ([, word = ''], place) => {
    if (/(?<!\p{L})(?:o|na|przy|od|do|z)\s$/iu.test(place.before)) return MEASURE_WORDS[word];
    return word === 'śr' && !/(?<!\p{L})we?\s$/iu.test(place.before) ? 'średnio' : undefined;
  },
);
const MEASURE_WORDS = parseTable(findTable(tables, 'measure words'));

/** "na m kw.", "za kWh": a unit without a number */
export const perUnitRule = rule(
  /(m kw\.|km kw\.|mkw\.|m²|km²|m³|kWh|MWh|km|kg|ha)(?![\p{L}\p{N}])/u,
  ([written], place) => {
    const noun = units[written];
    if (noun === undefined || !/(?<!\p{L})(?:na|za)\s$/u.test(place.before)) return undefined;
    return noun.one.replace(/a$/, 'ę') + (written.endsWith('.') ? sentenceStop(written, place) : '');
  },
);

const FORMER_ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ów$|ych$/, 'ych'],
  [/em$|ym$/, 'ym'],
  [/owi$/, 'emu'],
  [/[kwn]a$/, 'a'],
  [/a$/, 'ego'],
  [/ki$/, 'ej'],
  [/[ęą]$/, 'ą'],
];
/** "2 b. wiceministrów", "b. premier" */
export const formerRule = rule(/b\.(?=[ \u00a0](\p{Ll}{4,25}))/u, ([, noun = '']) => {
  const ending = FORMER_ENDINGS.find(([pattern]) => pattern.test(noun))?.[1] ?? 'y';
  return `był${ending}`;
});

/** "pon.-pt." */
export const weekdayRangeRule = rule(
  /(pon|wt|śr|czw|pt|sob)\.?\s?[-–]\s?(wt|śr|czw|pt|sob|niedz)\.(?!\p{L})/u,
  ([written, first = '', last = ''], place) =>
    `od ${WEEKDAYS[first]?.split('|')[1]} do ${WEEKDAYS[last]?.split('|')[1]}${sentenceStop(written, place)}`,
);
/** "od wt. do niedz.", "w śr. 12 maja" */
export const weekdayRule = rule(/(pon|wt|śr|czw|pt|sob|niedz)\.(?!\p{L})/u, ([written, day = ''], place) => {
  const [nominative = '', genitive, accusative] = WEEKDAYS[day]?.split('|') ?? [];
  // "pt." is "pod tytułem", too.
  if (day === 'pt' && !/^\s(?:\d|do\s)|^[-–,;)]/.test(place.after) && !/(?:do|od|[-–])\s?$/.test(place.before))
    return undefined;
  const form = /(?<!\p{L})(?:do|od)\s$/iu.test(place.before)
    ? genitive
    : /(?<!\p{L})we?\s$/iu.test(place.before)
      ? accusative
      : nominative;
  return `${form}${sentenceStop(written, place)}`;
});
const WEEKDAYS = parseTable(findTable(tables, 'weekdays'));

/** "1200 pracowników": the thousands keep their form. */
export function countMen(digits: string): string {
  const value = Number(digits);
  const thousands = value - (value % 1_000);
  const parts = [
    thousands === 0 ? '' : verbalizeCardinal(String(thousands)),
    value % 1_000 === 0 ? '' : inflectNumber(verbalizeCardinal(String(value % 1_000)), 'genitive'),
  ];
  return parts.filter((part) => part !== '').join(' ');
}
