import { findTable, type MatchContext, parseRomanNumeral, parseTable, parseWords, rule, wordSet } from '../language.ts';
import { createNounParser, type MoneyWords, type Noun } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands, NUMBER } from '../shared/numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const parseNouns = createNounParser('es');

const ONES = (
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
  'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'
).split(' ');
const TENS = '_ _ veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');
const HUNDREDS =
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(' ');
const ORDINALS = parseWords(findTable(tables, 'ordinals'));
const ORDINAL_HUNDREDS = parseWords(findTable(tables, 'ordinal hundreds'));
const ORDINAL_TENS =
  '_ decimo vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['millón', 'millones'],
  ['billón', 'billones'],
];

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'coma',
  groupsDecimals: true,
  inflect: applyGender,
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'punto',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "1234" → "mil doscientos treinta y cuatro". */
function verbalizeWhole(significant: string): string {
  const words: string[] = [];
  // Millions are counted by the thousand: "dos mil millones".
  for (let end = significant.length, power = 0; end > 0; end -= 6, power += 1) {
    const value = Number(significant.slice(Math.max(0, end - 6), end));
    if (value > 0) words.unshift(verbalizeScale(value, power));
  }
  return words.join(' ');
}

/** @returns the ordinal of a number up to 9999, undefined for a higher one */
export function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 9_999) return undefined;
  const thousands = Math.floor(value / 1_000);
  const masculine = [
    thousands === 0 ? '' : `${thousands === 1 ? '' : verbalizeCardinal(String(thousands))}milésimo`,
    ORDINAL_HUNDREDS[Math.floor((value % 1_000) / 100)]?.replace('_', '') ?? '',
    value % 100 === 0 ? '' : (ORDINALS[value % 100] ?? verbalizeCompoundOrdinal(value % 100)),
  ]
    .filter((part) => part !== '')
    .join(' ');
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

/** "uno" before a noun: "un", "una", "veintiún"; hundreds before a feminine noun: "doscientas". */
function applyGender(words: string, gender: Gender): string {
  if (gender === 'masculine') return apocopate(words);
  return words.replace(/uno$/, 'una').replace(/(cient|quinient)os/g, '$1as');
}

function apocopate(words: string): string {
  return words.replace(/veintiuno$/, 'veintiún').replace(/uno$/, 'un');
}

function verbalizeScale(value: number, power: number): string {
  const words = groupThousands(String(value))
    .map(({ value: group, power: half }) => {
      if (half === 0) return verbalizeBelowThousand(group);
      return group === 1 ? 'mil' : `${apocopate(verbalizeBelowThousand(group))} mil`;
    })
    .join(' ');
  const [one, many] = SCALES[power - 1] ?? [];
  if (one === undefined) return words;
  return value === 1 ? `un ${one}` : `${apocopate(words)} ${many}`;
}

function verbalizeCompoundOrdinal(value: number): string {
  const ones = ORDINALS[value % 10] ?? '';
  if (value < 20) return `decimo${ones.replace(/^o/, '')}`;
  const tens = ORDINAL_TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} ${ones}`;
}

/** "13" → "treceavo", "100" → "centésimo"; undefined: said as a division */
function nameDenominator(digits: string): Noun | undefined {
  const value = Number(digits);
  if (value >= 100 && (value % 1_000 === 0 || (value < 1_000 && value % 100 === 0))) {
    const ordinal = verbalizeOrdinal(digits, 'masculine') ?? '';
    return { one: ordinal, many: `${ordinal}s`, gender: 'masculine' };
  }
  if (value < 11 || (value > 30 && (value > 90 || value % 10 > 0))) return undefined;
  const fraction = `${verbalizeCardinal(digits).replaceAll(' ', '').replace(/o$|a$/, '')}avo`;
  return { one: fraction, many: `${fraction}s`, gender: 'masculine' };
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cien';
  const words: string[] = [];
  if (value > 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  const remainder = value % 100;
  if (remainder > 0) words.push(verbalizeBelowHundred(remainder));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} y ${ONES[value % 10]}`;
}

/** With the ending of a feminine noun. */
const MASCULINE = wordSet(findTable(tables, 'masculine'));
const FEMININE = wordSet(findTable(tables, 'feminine'));

export const NO_NOUN = wordSet(findTable(tables, 'no noun'));

/** @returns the gender by the ending of the noun */
export function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  const isFeminine =
    [noun, noun.replace(/s$/, ''), noun.replace(/es$/, ''), noun.replace(/ces$/, 'z')].some((candidate) =>
      FEMININE.has(candidate),
    ) ||
    (/(?:as?|ci(?:ón|ones)|s(?:ión|iones)|[dt]ad(?:es)?|tud(?:es)?|umbres?)$/u.test(noun) &&
      !/(?:ista|grama|(?:bl|or|qu|st)ema|(?:pl|nt|di|ar|n|x[io]|s)oma)s?$/u.test(noun));
  return isFeminine ? 'feminine' : 'masculine';
}

/** Names of countries whose dollar sign stands for pesos, and of their people and capitals. */
const PESO_COUNTRY =
  /(?<!\p{L})(?:M[ée]xico|CDMX|mexican[oa]s?|Colombia|Bogot[áa]|Medellín|colombian[oa]s?|Argentina|Buenos Aires|argentin[oa]s?|Chile|chilen[oa]s?|Uruguay|Montevideo|uruguay[oa]s?|Cuba|cuban[oa]s?|pesos)(?!\p{L})/u;
const DOLLAR = /(?<!\p{L})(?:dólar(?:es)?|EE\.? ?UU|Estados Unidos|USD|US\$|estadounidenses?)(?!\p{L})/u;
/** Characters before and after an amount. */
const maxCountryDistance = 160;

export const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  centJoint: 'con ',
  selectCurrency: (sign, { text, at, end, before, after }) => {
    if (sign !== '$') return undefined;
    // "$3 mdp" are millions of pesos.
    if (/^(?:[.,]\d{1,3})?\s?md[dep](?!\p{L})/u.test(after)) return null;
    // The price of a dollar: "el dólar cerró a $1.215", "$20.71 por dólar"
    const isOfDollar =
      /(?:^|\P{L})dólar(?!\p{L})(?:(?!\.\s).){0,46}$/u.test(before) || /^\spor\sdólar(?!\p{L})/u.test(after);
    const around = text.slice(Math.max(0, at - maxCountryDistance), end + maxCountryDistance);
    return isOfDollar || (PESO_COUNTRY.test(around) && !DOLLAR.test(around)) ? 'pesos' : undefined;
  },
  inflectMagnitude: (words) => words.replace(/^un mil(?= |$)/, 'mil'),
  partitive: (number) => (/ill(?:ón|ones|ardos?)$/.test(number) ? 'de ' : ''),
};

export const units = parseNouns(findTable(tables, 'units'));

/** The number before "por ciento" is not shortened: "veintiuno por ciento". */
export const percentRule = rule(
  new RegExp(`(${NUMBER})(?:(?:\\s?%)?\\s?[-–]\\s?(${NUMBER}))?[ \\u00a0\\u202f]?([%‰])`, 'u'),
  ([, first = '', last, sign]) =>
    `${verbalizeNumber(first)}${last === undefined ? '' : ` a ${verbalizeNumber(last)}`} ${sign === '%' ? 'por ciento' : 'por mil'}`,
);

export const fractions: FractionWords = {
  denominators: parseNouns(findTable(tables, 'denominators')),
  signs: parseTable('½ = medio; ⅓ = un tercio; ⅔ = dos tercios; ¼ = un cuarto; ¾ = tres cuartos'),
  nameDenominator,
  joint: 'y ',
  half: 'medio',
  halves: {
    ...{ masculine: 'medio', feminine: 'media', before: { masculine: 'medio ', feminine: 'media ' } },
    guessGender: (noun, isCounted) =>
      noun.length < 3 || NO_NOUN.has(noun) || (isCounted && !/^(?:hora|año|mes)$|s$/.test(noun))
        ? undefined
        : guessGender(noun),
  },
  fixed: { '20/20': 'veinte veinte', '24/7': 'veinticuatro siete', '50/50': 'cincuenta cincuenta' },
};

/** "1.º", "3.ª", "1er"; before a noun "primer", "tercer". */
export const ordinalRule = rule(
  /(\d{1,2}|\d{3}(?=\.?(?:[ºª]|ᵉʳ))|\d{1}[. ]?\d{3}(?=\.?(?:[ºª]|ᵉʳ)))\.?(?:([ºª°])|(ᵉʳ|ero|era|er|do|da|ro|ra|to|ta|mo|ma|vo|va|no|na|os|as)(?:\.(?=\s\p{L}))?)(?![\p{L}\p{N}]|(?<=[ºª°])\s?[CF](?!\p{L}))|(\d{1,2})([ºª])(?=[ABD-H](?![\p{L}\p{N}]))/u,
  ([, number, numberSign, ending = '', floor = '', floorSign], place) => {
    const [written, sign] = [number ?? floor, numberSign ?? floorSign];
    const digits = written.replace(/\D/g, '');
    const isShort = ending === 'er' || ending === 'ᵉʳ';
    if (sign === 'º' && isTemperature(digits, place))
      return `${numberVerbalizer.verbalizeQuantity(digits, 'masculine')} grados`;
    const gender = sign === 'ª' || /as?$/.test(ending) ? 'feminine' : 'masculine';
    const words = verbalizeOrdinal(digits, gender);
    if (floorSign !== undefined) return words && `${words} `;
    if (words === undefined || ending.endsWith('s')) return words?.replace(/(?=$| )/g, 's');
    const precedesNoun =
      /^[ \u00a0]\p{L}\p{Ll}/u.test(place.after) &&
      !/^[ \u00a0](?:y|o|izq\p{L}*\.?|izda\.?|dcha\.?|de|del|en|con|por|tras|ante|a|al|entre|para|sin|sobre|según|desde|ESO)(?!\p{L})/u.test(
        place.after,
      ) &&
      !DIVISION_BEFORE.test(place.before);
    return isShort || (gender === 'masculine' && precedesNoun) ? words.replace(/(primer|tercer)o$/, '$1') : words;
  },
);
/** "artículo 1.º": the ordinal belongs to the noun before it. */
const DIVISION_BEFORE = /(?:^|[^\p{L}])(?:artículo|art\.|apartado|capítulo|título|punto|párrafo)\s$/iu;

/** "llegarán a 42º en Córdoba": the sign of an ordinal for that of degrees. */
function isTemperature(digits: string, place: MatchContext): boolean {
  if (/(?:^|\s)[-−–]$/.test(place.before)) return true;
  return (
    Number(digits) <= 60 &&
    (WEATHER_BEFORE.test(place.before) || (Number(digits) > 10 && TEMPERATURE_BEFORE.test(place.before))) &&
    /^(?:[.,;:)]|\s(?:en|de|y|a|por|el|la|al|durante|este|esta|hoy)\s|$)/u.test(place.after)
  );
}

/** "38,5º" */
export const degreeRule = rule(
  /(\d{1,2},\d)\s?º(?!\s?[CF])/,
  ([, written = '']) => `${verbalizeNumber(written)} grados`,
);
const WEATHER_BEFORE =
  /(?:máxim|mínim|temperatur|termómetr|mercurio|m[áí][xn]\.)\p{L}{0,5}(?:\s\p{L}{1,10}){0,3}(?:\s\d{1,2}º(?:,|\sy(?:\s\p{L}{1,10}){0,2}|\sa)?)?\s$/iu;
const TEMPERATURE_BEFORE =
  /(?:(?:^|\s)(?:a|hasta|los|entre|y|sobre|alcanz\p{L}{1,6}|roz\p{L}{1,6}|super\p{L}{1,6})|(?:máxim|mínim|temperatur|termómetr)\p{L}{1,5}(?:\s\p{L}{1,10}){0,3})\s$|\d{1,2}[/-]$/iu;

const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:siglos?|capítulo|cap\.|vol\.|t\.|tomo|parte|acto|artículo|libro|volumen|título|anexo|fase|tipo|grupo|liga|copa|guerra mundial|nivel|factor|clase|categoría|fracción|frac\.|super bowl|(?:operación|misión|plan|proyecto|torre)\s\p{Lu}\p{L}{2,15})\s$/iu;
const SIGLO_BEFORE = /(?:^|[^\p{L}])(?:siglos?|ss?\.)\s(?:[IVX]{1,6}\s?(?:[-–]|al?|y)\s?)?$/iu;
const COUNTED_AFTER =
  /^\s(?:edición|congreso|(?:tri|cuatri|bi|se)mestre|trim\.|foro|seminario|simposio|jornadas?|cumbre|feria|encuentro|legislatura|semana|premios?|certamen|torneo|festival|república|concilio|milenio|centenario|aniversario|plan|trofeo|maratón|asamblea|conferencia)(?!\p{L})/iu;
const NAME_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
/** Rulers and popes, and "Vaticano II"; other names, such as "Rocky IV", have cardinals. */
const RULER_BEFORE =
  /(?:Felipe|Carlos|Alfonso|Fernando|Enrique|Jorge|Eduardo|Guillermo|Luis|Napoleón|Pedro|Pablo|Pío|Juan|Benedicto|León|Alejandro|Nicolás|Ricardo|Jaime|Sancho|Ramiro|Alberto|Balduino|Leopoldo|Federico|Francisco|Clemente|Inocencio|Gregorio|Urbano|Bonifacio|Haakon|Harald|Gustavo|Cristián|Mohame[dt]|Hass?[aá]n|Abdal[aá]h?|Ramsés|Darío|Ciro|Jerjes|Ptolomeo|Constantino|Justiniano|Teodosio|Rodolfo|Maximiliano|Amadeo|Humberto|Manuel|Iván|Miguel|Simeón|Sixto|Julio|Adriano|Esteban|Teodoro|Tawadros|Bartolomé|Ordoño|Bermudo|Garcés?|Berenguer|José|Salman|Hamad|Vaticano)\s$/u;
const WOMEN_BEFORE = /(?:Isabel|Margarita|Catalina|Juana|María|Cristina|Victoria)\s$/u;
/** From here on capitals before a name are mostly an initialism: "el CD Leganés", "la DC Comics". */
const minInitialism = 100;

/** Popes and kings up to the tenth have an ordinal: "Felipe sexto", "Alfonso trece". */
export const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const textBefore = place.before;
  if (SIGLO_BEFORE.test(textBefore))
    return Number(digits) < 10 ? verbalizeOrdinal(digits, 'masculine') : verbalizeCardinal(digits);
  if (COUNTED_BEFORE.test(textBefore)) return verbalizeCardinal(digits);
  const article = /(?:^|\s)(el|la|del|al|un|una)\s$/iu.exec(textBefore)?.[1]?.toLowerCase();
  const after = place.after.replace(/^(?:,|\s[ye])\s[IVXL]{1,6}(?=\s)/u, '');
  if (
    numeral.length === 1
      ? article && (COUNTED_AFTER.test(after) || /^\sGuerra\s/.test(after))
      : COUNTED_AFTER.test(after) || (article && Number(digits) < minInitialism && /^\s\p{Lu}\p{Ll}/u.test(after))
  ) {
    const gender = article ? articleGender(article) : guessGender(/^\s(\p{L}+)/u.exec(after)?.[1]?.toLowerCase() ?? '');
    return verbalizeOrdinal(digits, gender)?.replace(/(primer|tercer)o$/, '$1') ?? verbalizeCardinal(digits);
  }
  if (/[LCDM]/.test(numeral) || !NAME_BEFORE.test(textBefore)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
  const isWoman = WOMEN_BEFORE.test(textBefore);
  const isRuler = isWoman || RULER_BEFORE.test(textBefore) || /^\s(?:de \p{Lu}|el \p{Lu})/u.test(place.after);
  return isRuler && Number(digits) <= 10
    ? verbalizeOrdinal(digits, isWoman ? 'feminine' : 'masculine')
    : verbalizeCardinal(digits);
});

function articleGender(article: string): 'masculine' | 'feminine' {
  return /^(?:la|una)$/.test(article) ? 'feminine' : 'masculine';
}
