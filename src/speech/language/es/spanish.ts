import {
  abbreviationReaders,
  numberedReaders,
  titleReaders,
} from '../continental/abbreviations.ts';
import { initialReaders } from '../continental/initials.ts';
import { joinedSentences, type SentenceRules } from '../continental/joined-sentences.ts';
import { bareUnitReader, measureReaders, perUnitReader } from '../continental/measures.ts';
import {
  inGroups,
  negativeReader,
  numberTailReaders,
  plainNumberReaders,
  rangeReaders,
  telephoneReader,
} from '../continental/numbers.ts';
import { punctuationReaders } from '../continental/punctuation.ts';
import { handleReaders, webReaders } from '../continental/web-addresses.ts';
import type { Language } from '../language.ts';
import { plainWords, readPieces } from '../pieces.ts';
import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { arabicDigits } from '../roman-numerals.ts';
import { unpronounceableFinder } from '../unpronounceable.ts';
import { fractionReaders, fractionSigns, money, percentReaders, units } from './amounts.ts';
import { dateReaders, timeReaders } from './dates.ts';
import { genderOf } from './gender.ts';
import { cardinal, numberSpeech, numberWords, ordinal, spellDigits } from './numbers.ts';
import { anywhere, firstWords, numbered, said, spelled, titles } from './words.ts';

const addresses = {
  dot: 'punto',
  slash: 'barra',
  hyphen: 'guion',
  underscore: 'guion bajo',
  at: 'arroba',
  hashtag: 'almohadilla',
  digits: spellDigits,
  number: cardinal,
};
const signNames: Readonly<Record<string, string>> = {
  '&': 'y',
  '+': 'más',
  '=': 'igual a',
  '@': 'arroba',
  '%': 'por ciento',
  '‰': 'por mil',
  $: 'dólar',
  '€': 'euro',
  '£': 'libra',
  '¥': 'yen',
  '°': 'grados',
  '§': 'párrafo',
  '×': 'por',
  '÷': 'dividido entre',
  '±': 'más menos',
  '≈': 'aproximadamente',
  '<': 'menor que',
  '>': 'mayor que',
  '→': 'a',
  '/': 'barra',
  '\\': 'barra invertida',
  '#': 'número',
  '~': 'aproximadamente',
  ...fractionSigns,
};

/** "1.º", "3.ª", "1er"; before a noun "primer", "tercer". */
const ordinalReader = reader(
  /(\d{1,2})\.?(?:([ºª°])|(ero|era|er|do|da|ro|ra|to|ta|mo|ma|vo|va|no|na))(?![\p{L}\p{N}])/u,
  ([, digits = '', sign, ending = ''], place) => {
    const isShort = ending === 'er';
    const gender = sign === 'ª' || ending.endsWith('a') ? 'feminine' : 'masculine';
    const words = ordinal(digits, gender);
    if (words === undefined) return undefined;
    const precedesNoun =
      /^[ \u00a0]\p{L}\p{Ll}/u.test(after(place)) &&
      !/^[ \u00a0](?:y|o|de|del|en)\s/u.test(after(place));
    return isShort || (gender === 'masculine' && precedesNoun)
      ? words.replace(/(primer|tercer)o$/, '$1')
      : words;
  },
);
/** Nine digits in groups, where the words before speak of a telephone. */
const telephoneGroupsReader = reader(
  /[6-9]\d{2}(?:[ \u00a0.-]\d{3}){2}(?!\d)|[6-9]\d{2}(?:[ \u00a0.-]\d{2}){3}(?!\d)/,
  ([written], place) =>
    /(?:tel[ée]?f?|llam|marc|contact|whatsapp|número|fax|móvil)/iu.test(before(place)) ||
    /\d\d[ .-]\d\d[ .-]/.test(written)
      ? inGroups(numberSpeech, written)
      : undefined,
);

const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:siglos?|capítulo|tomo|parte|acto|artículo|libro|volumen|título|anexo|fase|tipo|grupo|liga|copa|guerra mundial)\s$/iu;
const SIGLO_BEFORE = /(?:^|[^\p{L}])siglos?\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN_BEFORE = /(?:Isabel|Margarita|Catalina|Juana|María|Cristina|Victoria)\s$/u;

/** Popes and kings up to the tenth have an ordinal: "Felipe sexto", "Alfonso trece". */
const romanReader = reader(
  /([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u,
  ([, numeral = ''], place) => {
    const digits = arabicDigits(numeral);
    if (digits === undefined) return undefined;
    const textBefore = before(place);
    if (SIGLO_BEFORE.test(textBefore))
      return Number(digits) < 10 ? ordinal(digits, 'masculine') : cardinal(digits);
    if (COUNTED_BEFORE.test(textBefore)) return cardinal(digits);
    const article = /(?:^|\s)(el|la|del|al|un|una)\s$/iu.exec(textBefore)?.[1]?.toLowerCase();
    if (article && /^\s\p{Lu}\p{Ll}/u.test(after(place)) && numeral.length > 1) {
      const isFeminine = article === 'la' || article === 'una';
      const words = ordinal(digits, isFeminine ? 'feminine' : 'masculine');
      return words?.replace(/(primer|tercer)o$/, '$1') ?? cardinal(digits);
    }
    if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(textBefore)) return undefined;
    if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(after(place))) return undefined;
    const gender = WOMEN_BEFORE.test(textBefore) ? 'feminine' : 'masculine';
    return Number(digits) <= 10 ? ordinal(digits, gender) : cardinal(digits);
  },
);

const readers = {
  digits: [
    ...numberTailReaders(numberSpeech),
    ...webReaders(addresses),
    ...dateReaders,
    ...timeReaders,
    telephoneGroupsReader,
    ...percentReaders,
    ...money.digits,
    ...measureReaders(units, numberSpeech),
    ordinalReader,
    ...fractionReaders,
    ...rangeReaders(numberSpeech),
    ...plainNumberReaders(numberSpeech, sayNumber),
  ] satisfies Reader[],
  letters: [
    ...webReaders(addresses),
    ...abbreviationReaders(anywhere),
    ...titleReaders(titles),
    ...numberedReaders(numbered),
    ...money.letters,
    bareUnitReader(units),
    romanReader,
    ...initialReaders({ said, spelled, number: cardinal }),
  ] satisfies Reader[],
  signs: [
    ...money.signs,
    perUnitReader(units, 'por'),
    telephoneReader(numberSpeech, 'más'),
    negativeReader('menos'),
    ...handleReaders(addresses),
    ...punctuationReaders(signNames),
  ] satisfies Reader[],
  unpronounceable: unpronounceableFinder(
    'es',
    (characters) => `un código de ${cardinal(characters)} caracteres`,
  ),
  plainWordEnd: plainWords(/[a-záéíóúüñ]{2,40}(?=[ ,;!?])/y),
};

/** Spanish as a newsreader in Spain says it. Genders only as far as the ending of a noun shows them. */
export const spanish: Language = {
  code: 'es',
  sentences: (text) => joinedSentences(text, sentenceRules),
  spokenPieces: (sentence) => readPieces(sentence, readers),
};

/** "1 voto", "21 alumnos", "200 personas"; by itself "uno". */
function sayNumber(written: string, place: Place): string {
  const noun = /^[ \u00a0](?:mil\s)?(\p{Ll}{2,40})/u.exec(after(place))?.[1];
  if (
    noun === undefined ||
    !/(?:1|[2-9]\d\d|\d\d00)$|\d{3}\D?\d{3}$/.test(written) ||
    NO_NOUN.has(noun) ||
    (written !== '1' && !noun.endsWith('s'))
  )
    return numberWords(written);
  return numberSpeech.counted(written, genderOf(noun));
}

const NO_NOUN = new Set(
  'de del en al con por para que se es fue era son como sin tras desde hasta entre según cada pero'.split(
    ' ',
  ),
);

const sentenceRules: SentenceRules = {
  code: 'es',
  neverLast:
    /(?:^|[\s("«“¿¡])(?:Sr|Sra|Srta|Sres|Sras|Dr|Dra|Dres|D|Dña|Prof|Profa|Lic|Ing|Gral|Sto|Sta|art|arts|cap|pág|págs|núm|vol|fig|n|aprox|p\.\s?ej|EE|CC|JJ|RR|FF|Av|Avda|tel|tfno)$/iu,
  seldomLast:
    /(?:^|[\s("«“¿¡])(?:etc|UU|OO|HH|AA|Ud|Uds|Vd|Vds|hab|[ad]\.\s?C|S\.\s?[AL]|[IVX]{1,7})$/u,
  firstWords,
};
