import {
  after,
  arabicDigits,
  before,
  type Language,
  type Place,
  type Reader,
  reader,
} from '../language.ts';
import {
  abbreviationReaders,
  initialReaders,
  numberedReaders,
  titleReaders,
} from '../shared/abbreviations.ts';
import { bareUnitReader, measureReaders, perUnitReader } from '../shared/amounts.ts';
import {
  inGroups,
  negativeReader,
  numberTailReaders,
  plainNumberReaders,
  rangeReaders,
  telephoneReader,
} from '../shared/numbers.ts';
import { joinedSentences, type SentenceRules } from '../shared/sentences.ts';
import { handleReaders, punctuationReaders, webReaders } from '../shared/signs.ts';
import { unpronounceableFinder } from '../unpronounceable.ts';
import { plainWords, readPieces } from '../words.ts';
import { fractionReaders, fractionSigns, money, percentReaders, units } from './amounts.ts';
import { dateReaders, timeReaders } from './dates.ts';
import { cardinal, genderOf, numberSpeech, numberWords, ordinal, spellDigits } from './numbers.ts';

/** Abbreviations anywhere in a sentence. */
const anywhere: Readonly<Record<string, string>> = {
  'EE. UU.': 'Estados Unidos',
  'EE UU': 'Estados Unidos',
  EEUU: 'Estados Unidos',
  'CC. OO.': 'Comisiones Obreras',
  'CC OO': 'Comisiones Obreras',
  CCOO: 'Comisiones Obreras',
  'JJ. OO.': 'Juegos Olímpicos',
  'RR. HH.': 'Recursos Humanos',
  'FF. AA.': 'Fuerzas Armadas',
  'p. ej.': 'por ejemplo',
  'a. C.': 'antes de Cristo',
  'd. C.': 'después de Cristo',
  'a. m.': 'A.M',
  'p. m.': 'P.M',
  'etc.': 'etcétera',
  'aprox.': 'aproximadamente',
  'Ud.': 'usted',
  'Uds.': 'ustedes',
  'Vd.': 'usted',
  'Vds.': 'ustedes',
  'tel.': 'teléfono',
  'tfno.': 'teléfono',
  'máx.': 'máximo',
  'mín.': 'mínimo',
  'Cía.': 'compañía',
  'avda.': 'avenida',
  'dpto.': 'departamento',
  'depto.': 'departamento',
  'admón.': 'administración',
  'hab.': 'habitantes',
  'S. A.': 'S.A',
  'S. L.': 'S.L',
  'c/': 'calle ',
};

/** Before a number. */
const numbered: Readonly<Record<string, string>> = {
  'n.º': 'número',
  'n.°': 'número',
  nº: 'número',
  'n°': 'número',
  Nº: 'Número',
  'núm.': 'número',
  'pág.': 'página',
  'págs.': 'páginas',
  'p.': 'página',
  'pp.': 'páginas',
  'art.': 'artículo',
  'arts.': 'artículos',
  'cap.': 'capítulo',
  'vol.': 'volumen',
  'fig.': 'figura',
  'km.': 'kilómetro',
};

/** Before a name. */
const titles: Readonly<Record<string, string>> = {
  'Sr.': 'señor',
  'Sra.': 'señora',
  'Srta.': 'señorita',
  'Sres.': 'señores',
  'Sras.': 'señoras',
  'Dr.': 'doctor',
  'Dra.': 'doctora',
  'Dres.': 'doctores',
  'D.': 'don',
  'D.ª': 'doña',
  'Dña.': 'doña',
  'Prof.': 'profesor',
  'Profa.': 'profesora',
  'Lic.': 'licenciado',
  'Ing.': 'ingeniero',
  'Gral.': 'general',
  'Sto.': 'Santo',
  'Sta.': 'Santa',
  'Av.': 'avenida',
  'Avda.': 'avenida',
};

/** Initials of up to three letters that are said, and short words written in capitals for weight. */
const said = new Set(
  'ONU IVA AVE ETA COP VOX PIB ESO ERE OEA EL LA LOS LAS UN UNA DE DEL EN AL QUE CON POR NO SÍ ES SU SE'.split(
    ' ',
  ),
);
/** Longer ones that are spelled though they could be said. */
const spelled = new Set('RTVE BBVA OCDE UGT LGTBI LGTB HTTP CNMV CNMC CEOE'.split(' '));
/** What begins a sentence rather than going on behind an abbreviation. */
const firstWords = new Set(
  (
    'el la los las lo un una unos unas de del en al a con sin por para según tras desde hasta entre sobre ante bajo y o pero ' +
    'aunque si cuando como donde mientras porque pues además así también tampoco luego después antes entonces ahora hoy ' +
    'ayer mañana él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa esos esas eso esto aquel ' +
    'su sus mi mis se no sí ya más menos muy todo todos toda todas qué quién cómo dónde cuándo hay fue es son era'
  ).split(' '),
);

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
