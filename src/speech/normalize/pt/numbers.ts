import { parseTable } from '../language.ts';
import { type FractionWords, type MoneyWords, type Noun, parseNouns } from '../shared/amounts.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';

const ONES =
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove'.split(
    ' ',
  );
const TENS = '_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS = '_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'.split(
  ' ',
);
/** As in Brazil; in Portugal a bilhão is "mil milhões". */
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
];
const ORDINALS = '_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono'.split(' ');
const ORDINAL_TENS =
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'vírgula',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? toFeminine(words) : words),
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'ponto',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

function toFeminine(words: string): string {
  return words
    .replace(/(?<!\p{L})um$/u, 'uma')
    .replace(/(?<!\p{L})dois(?=$| mil$)/u, 'duas')
    .replace(/(cent|zent|hent)os(?!\p{L})/gu, '$1as');
}

/** "1234" → "mil duzentos e trinta e quatro"; "e" stands before the last group where it is below 100 or ends in 00. */
function verbalizeWhole(digits: string): string {
  const groups = groupThousands(digits).map(({ value, power }) => ({ value, words: verbalizeGroup(value, power) }));
  return groups
    .map(({ value, words }, index) => {
      if (index === 0) return words;
      const takesE = index === groups.length - 1 && (value < 100 || value % 100 === 0);
      return `${takesE ? 'e ' : ''}${words}`;
    })
    .join(' ');
}

function verbalizeGroup(value: number, power: number): string {
  if (power === 0) return verbalizeBelowThousand(value);
  if (power === 1) return value === 1 ? 'mil' : `${verbalizeBelowThousand(value)} mil`;
  const [one = '', many = ''] = SCALES[power - 2] ?? [];
  return value === 1 ? `um ${one}` : `${verbalizeBelowThousand(value)} ${many}`;
}

/** @returns the ordinal of a number up to 99, undefined for a higher one */
export function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 99) return undefined;
  const tens = value < 10 ? '' : (ORDINAL_TENS[Math.floor(value / 10)] ?? '');
  const ones = value % 10 === 0 ? '' : (ORDINALS[value % 10] ?? '');
  const masculine = `${tens} ${ones}`.trim();
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cem';
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' e ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} e ${ONES[value % 10]}`;
}

const MASCULINE = new Set(
  'dia mapa problema programa sistema tema planeta idioma drama esquema diploma clima guarda atleta turista jornalista artista grama para contra a à às as mais'.split(
    ' ',
  ),
);
const FEMININE = new Set(
  'mulher mulheres vez vezes noite noites tarde tardes parte partes gente classe fase mães mãe'.split(' '),
);

/** By the ending of the noun. */
export function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  return FEMININE.has(noun) || /(?:as?|ção|ções|são|sões|dade|dades|gem|gens|tude|ice)$/u.test(noun)
    ? 'feminine'
    : 'masculine';
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    R$ = real|reais||centavo|centavos; BRL = real|reais||centavo|centavos; reais = real|reais||centavo|centavos;
    € = euro|euros||cêntimo|cêntimos; EUR = euro|euros||cêntimo|cêntimos; euro = euro|euros||cêntimo|cêntimos;
    euros = euro|euros||cêntimo|cêntimos; US$ = dólar|dólares||centavo|centavos; $ = dólar|dólares||centavo|centavos;
    USD = dólar|dólares||centavo|centavos; dólar = dólar|dólares; dólares = dólar|dólares||centavo|centavos;
    £ = libra|libras|feminine; GBP = libra|libras|feminine; libras = libra|libras|feminine; ¥ = iene|ienes;
    CHF = franco suíço|francos suíços; pesos = peso|pesos
  `),
  magnitudes: parseNouns(`
    mil = mil; mi = milhão|milhões; milhão = milhão|milhões; milhões = milhão|milhões; bi = bilhão|bilhões;
    bilhão = bilhão|bilhões; bilhões = bilhão|bilhões; tri = trilhão|trilhões; trilhão = trilhão|trilhões; trilhões = trilhão|trilhões;
    mil milhões = mil milhões|mil milhões
  `),
  centJoint: 'e ',
  partitive: (number) => (/lh(?:ão|ões)$/.test(number) ? 'de ' : ''),
  inflectMagnitude: (words) => words.replace(/^um mil$/, 'mil'),
};

export const units = parseNouns(`
  % = por cento; ‰ = por mil; km = quilômetro|quilômetros; m = metro|metros; cm = centímetro|centímetros; mm = milímetro|milímetros;
  µm = micrômetro|micrômetros; kg = quilo|quilos; g = grama|gramas; mg = miligrama|miligramas; µg = micrograma|microgramas;
  t = tonelada|toneladas|feminine; l = litro|litros; L = litro|litros; ml = mililitro|mililitros; ha = hectare|hectares;
  km/h = quilômetro por hora|quilômetros por hora; m/s = metro por segundo|metros por segundo;
  km² = quilômetro quadrado|quilômetros quadrados; m² = metro quadrado|metros quadrados; m³ = metro cúbico|metros cúbicos;
  kW = quilowatt|quilowatts; MW = megawatt|megawatts; GW = gigawatt|gigawatts; W = watt|watts; V = volt|volts;
  kWh = quilowatt-hora|quilowatts-hora; MWh = megawatt-hora|megawatts-hora; MB = megabyte|megabytes; GB = gigabyte|gigabytes;
  TB = terabyte|terabytes; GHz = gigahertz; MHz = megahertz; Hz = hertz; dB = decibel|decibéis; kcal = quilocaloria|quilocalorias|feminine;
  min = minuto|minutos; s = segundo|segundos; °C = grau Celsius|graus Celsius; ° C = grau Celsius|graus Celsius;
  ºC = grau Celsius|graus Celsius; °F = grau Fahrenheit|graus Fahrenheit; ° = grau|graus; p.p. = ponto percentual|pontos percentuais
`);

export const fractions: FractionWords = {
  denominators: parseNouns(
    '2 = meio; 3 = terço; 4 = quarto; 5 = quinto; 6 = sexto; 7 = sétimo; 8 = oitavo; 9 = nono; 10 = décimo',
    (one) => `${one}s`,
  ),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 11 || Number(digits) > 99) return undefined;
    const one = `${verbalizeCardinal(digits)} avo`;
    return { one, many: `${one}s`, gender: 'masculine' };
  },
  signs: parseTable('½ = meio; ⅓ = um terço; ⅔ = dois terços; ¼ = um quarto; ¾ = três quartos'),
  joint: 'e ',
  half: 'meio',
  fixed: { '24/7': 'vinte e quatro por sete' },
};
