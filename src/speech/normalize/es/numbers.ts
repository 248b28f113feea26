import { digitsToWords } from '../language.ts';
import {
  type Gender,
  groupThousands,
  type NumberVerbalizer,
  splitDecimal,
  verbalizeDecimals,
} from '../shared/numbers.ts';

const ONES = (
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
  'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'
).split(' ');
const TENS = '_ _ veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');
const HUNDREDS =
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(' ');
const ORDINALS = '_ primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo'.split(
  ' ',
);
const ORDINAL_TENS =
  '_ decimo vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['millón', 'millones'],
  ['billón', 'billones'],
];
/** Longer numbers are names of things, not amounts, and are read digit by digit. */
const MAX_CARDINAL_DIGITS = 15;

/** A whole number in words, given as its digits: "1234" → "mil doscientos treinta y cuatro". */
export function verbalizeCardinal(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > MAX_CARDINAL_DIGITS) return spellDigits(digits);
  if (significant === '0') return 'cero';
  const words: string[] = [];
  // Millions are counted by the thousand: "dos mil millones".
  for (let end = significant.length, power = 0; end > 0; end -= 6, power += 1) {
    const value = Number(significant.slice(Math.max(0, end - 6), end));
    if (value > 0) words.unshift(verbalizeScale(value, power));
  }
  return words.join(' ');
}

/** @returns the ordinal of a number up to 99, undefined for a higher one; the feminine ends in -a */
export function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 99) return undefined;
  const masculine = ORDINALS[value] ?? verbalizeCompoundOrdinal(value);
  return gender === 'feminine' ? masculine.replace(/o\b/g, 'a').replace(/^decima/, 'decimo') : masculine;
}

/** Each digit by itself: "095" → "cero nueve cinco". Anything that is no digit is passed over. */
export function spellDigits(written: string): string {
  return digitsToWords(written, ONES);
}

/** A number as written: "1.234,05" → "mil doscientos treinta y cuatro coma cero cinco". */
export function verbalizeNumber(written: string): string {
  const { whole, decimals } = splitDecimal(written);
  return decimals === ''
    ? verbalizeCardinal(whole)
    : `${verbalizeCardinal(whole)} coma ${verbalizeDecimals(decimals, 'cero', { cardinal: verbalizeCardinal, spellDigits })}`;
}

export const numberVerbalizer: NumberVerbalizer = {
  verbalizeQuantity: (written, gender) =>
    written.includes(',') ? verbalizeNumber(written) : applyGender(verbalizeNumber(written), gender),
  verbalizeNumber,
  verbalizeCardinal,
  spellDigits,
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'punto',
};

/** "uno" before a noun: "un", "una", "veintiún"; hundreds that count something feminine: "doscientas". */
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
  if (value < 20) return `decimo${ones.replace(/^s[eé]ptimo$/, 'séptimo')}`;
  const tens = ORDINAL_TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} ${ones}`;
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cien';
  const words: string[] = [];
  if (value > 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  const rest = value % 100;
  if (rest > 0) words.push(verbalizeBelowHundred(rest));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} y ${ONES[value % 10]}`;
}

/** End like feminine nouns and are none. */
const MASCULINE = new Set(
  (
    'día mapa problema programa sistema tema planeta idioma drama esquema diploma síntoma poema clima guardia policía atleta ' +
    'turista periodista artista futbolista economista taxista ciclista tenista deportista activista gramo para contra era ' +
    'a la las más'
  ).split(' '),
);
const FEMININE = new Set(
  'mujer mujeres vez veces calle calles noche noches tarde tardes clase clases nave naves llave llaves parte partes gente'.split(
    ' ',
  ),
);

/** The gender of a noun, as far as its ending shows it. */
export function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  const isFeminine = FEMININE.has(noun) || /(?:as?|ción|ciones|sión|siones|dad|dades|tud|tudes)$/u.test(noun);
  return isFeminine ? 'feminine' : 'masculine';
}
