import { type MatchContext, parseTable, rule, sentenceStop } from '../language.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { GAP } from '../shared/numbers.ts';
import { money, numberVerbalizer, type OrdinalForm, toGenitive, units, verbalizeOrdinal } from './numbers.ts';

const { verbalizeCardinal } = numberVerbalizer;

/** "3. miejsce", "21. edycja": the ending of the noun decides. */
export const ordinalRule = rule(/(\d{1,3})\.(?=[ \u00a0](\p{Ll}{3,}))/u, ([, digits = '', noun = ''], place) => {
  return Number(digits) === 0 ? undefined : verbalizeOrdinal(digits, chooseForm(noun, place));
});

/** @returns the form of an ordinal before a noun, by its ending and the preposition before both */
export function chooseForm(noun: string, place: MatchContext): OrdinalForm {
  if (FEMININE_LOCATIVE.test(noun)) return 'feminineGenitive';
  if (noun.endsWith('ę') && !/(?:imię|ramię|zwierzę)$/.test(noun)) return 'feminineAccusative';
  const isLocative = /(?:^|[^\p{L}])(?:we?|na|po|o|przy)\s$/iu.test(place.before);
  if (isLocative && /^kw\.$|u$|(?<!miejs)[cdsnlrmwz]ie$|[rl][zn]?e$/.test(noun)) return 'locative';
  if (/ego$|(?:^|[^\p{L}])(?:do|od|z|podczas|koniec|początku?)\s$/iu.test(noun.endsWith('u') ? place.before : ''))
    return 'genitive';
  if (/[ai]$|część$|noc$/.test(noun) && !/dni$/.test(noun)) return /y$|i$/.test(noun) ? 'feminineGenitive' : 'feminine';
  return /[eo]$|um$|RP$/.test(noun) ? 'neuter' : 'nominative';
}
const FEMININE_LOCATIVE =
  /(?:minu|lo[kt]a|kwar)cie$|(?:run|deka|sekun|gwieź)dzie$|[^e]j?ji$|[^e]cji$|kolejce|połowie|godzinie|rocznicy|lidze|klasie|części|próbie|turze|serii|wojnie|dobie|dzielnicy$/u;
/** "przy ul. Długiej", "z art. 148": the case that a preposition takes */
export const caseRule = rule(/(ul|al|pl|art)\.(?=[ \u00a0][\p{Lu}\d])/iu, ([written, word = ''], place) => {
  const [nominative, genitive, locative, accusative] = CASES[word.toLowerCase()] ?? [];
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

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export const hourRule = rule(/godz\.(?=\s?\d)/u, (_match, place) => {
  if (/^\s?\d{1,2}(?:[.:]\d\d)?\s?[-–]/.test(place.after)) return 'godzinach';
  if (/(?:^|\s)(?:do|od|około|ok\.)\s$/iu.test(place.before)) return 'godziny';
  return /(?:^|\s)(?:o|po)\s$/iu.test(place.before) ? 'godzinie' : 'godzina';
});
/** "w woj. lubelskim": the ending of the name decides. */
export const regionRule = rule(/(woj|pow|gm)\.(?=\s(\p{L}{3,30}))/iu, ([, word = '', name = '']) => {
  const [nominative = '', genitive, locative] = REGIONS[word.toLowerCase()]?.split('|') ?? [];
  return /ego$|iej$/u.test(name) ? genitive : /im$|ym$/u.test(name) ? locative : nominative;
});
const REGIONS = parseTable(
  'woj = województwo|województwa|województwie; pow = powiat|powiatu|powiecie; gm = gmina|gminy|gminie',
);
const GENITIVE_BEFORE =
  /(?<!\p{L})(?:do|od|około|ok\.|powyżej|poniżej|bez|blisko|karę|kary|wyrok|wieku|ciągu|okresie|prędkości\p{L}?|prędkością|odległości|wysokości|szerokości|długości|głębokości|mocy|wartości|średnicy|powierzchni|udziałem|spośród|żąda|żądał\p{L}?|wymaga|potrzeba|brakuje|zasięg|dystansie|promieniu|grona|zderzenia|zabójstwa|śmierci|porwania|zatrzymania|grupy|liczby|wieku \d{1,3}(?:,| i| oraz))\s(?:[-−–])?$/iu;
export const MEN =
  /^[ \u00a0](?:posłów|senatorów|radnych|mężczyzn|policjantów|żołnierzy|strażaków|uczniów|studentów|pracowników|górników|lekarzy|nauczycieli|mieszkańców|kibiców|widzów|piłkarzy|zawodników|kierowców|migrantów|imigrantów|uchodźców|cywilów|zakładników|pasażerów|turystów|chłopców|Polaków|Ukraińców|Rosjan|uczestników|członków|delegatów|wyborców|głosujących|zabitych|rannych|funkcjonariuszy|ratowników|podejrzanych|pacjentów|urzędników|dziennikarzy|naukowców|ekspertów|klientów|użytkowników|emerytów|rolników|sędziów|świadków|oskarżonych|zatrzymanych|chorych|zakażonych|przedsiębiorców|wolontariuszy|gości|fanów|sportowców|kolarzy|biegaczy|obywateli|synów|braci|kandydatów|działaczy|protestujących|demonstrantów|napastników|sprawców|medyków)(?!\p{L})/u;
const DATIVE_AFTER = /^[ \u00a0]\p{Ll}{3,20}om(?!\p{L})/u;
/** "w 5 województwach", "z 5 krajów", "4 urzędnikom" */
function isOblique({ before, after }: MatchContext): boolean {
  return (
    DATIVE_AFTER.test(after) ||
    (/(?<!\p{L})(?:we?|po|o|przy|na)\s$/iu.test(before) &&
      /^[ \u00a0](?:\p{Ll}{3,20}ych\s)?\p{Ll}{2,20}ach(?!\p{L})/u.test(after)) ||
    (/(?<!\p{L})(?:ze?|wśród|dla)\s$/iu.test(before) &&
      /^[ \u00a0](?:\p{Ll}{2,20}(?:ów|ek|ic|iet|aw|in|yn|ost|ji|zkół)|państw|lat|miast|miejsc|osób|drużyn|firm|gmin|partii|stron)(?!\p{L})/u.test(
        after,
      ))
  );
}
const counted = { ...units, ...money.currencies };
/** "do 8 lat", "do 70 km/h", "od -8 st. C" */
export const genitiveRule = rule(
  new RegExp(
    `(\\d{1,3}(?:[ \\u00a0]\\d{3}){0,2}|\\d{4})(?:${GAP}(${buildAlternatives(Object.keys(counted))})(?![\\p{L}\\p{N}²³/])|(?=[ \\u00a0]\\p{Ll}{3})|(?<=\\D\\d{1,3})(?=\\s(?:do|i|oraz)\\s[-–−]?\\d{1,3}(?!\\d|[.,:]\\d)))`,
    'u',
  ),
  ([written, digits = '', name], place) => {
    if (
      !(GENITIVE_BEFORE.test(place.before) || isOblique(place)) ||
      /^[ \u00a0](?:roku|lat(?:a|ach)?\s\d|tys|mln|mld|godz\.|[a-ząćęłńóśźż]{4,12}(?:cznia|tego|rca|etnia|aja|erwca|pca|pnia|śnia|ernika|topada|udnia)(?!\p{L}))/u.test(
        place.after,
      )
    )
      return undefined;
    const words = toGenitive(verbalizeCardinal(digits.replace(/\D/g, '')));
    if (DATIVE_AFTER.test(place.after)) return words.replace(/(dwó|trze|cztere)ch$/, '$1m');
    const noun = name === undefined ? undefined : counted[name];
    const stop = written.endsWith('.') ? sentenceStop(written, place) : '';
    return noun ? `${words} ${digits === '1' ? (noun.part ?? noun.many) : noun.many}${stop}` : words;
  },
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
const WEEKDAYS = parseTable(`
  pon = poniedziałek|poniedziałku|poniedziałek; wt = wtorek|wtorku|wtorek; śr = środa|środy|środę;
  czw = czwartek|czwartku|czwartek; pt = piątek|piątku|piątek; sob = sobota|soboty|sobotę; niedz = niedziela|niedzieli|niedzielę
`);

/** "1200 pracowników": the thousands keep their form. */
export function countMen(digits: string): string {
  const value = Number(digits);
  const thousands = value - (value % 1_000);
  const parts = [
    thousands === 0 ? '' : verbalizeCardinal(String(thousands)),
    value % 1_000 === 0 ? '' : toGenitive(verbalizeCardinal(String(value % 1_000))),
  ];
  return parts.filter((part) => part !== '').join(' ');
}
