import {
  abbreviationReaders,
  numberedReaders,
  titleReaders,
} from '../continental/abbreviations.ts';
import { alternatives } from '../continental/currencies.ts';
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
import { after, type Place, type Reader, reader } from '../reader.ts';
import { unpronounceableFinder } from '../unpronounceable.ts';
import { fractionReaders, fractionSigns, magnitudeReaders, money, units } from './amounts.ts';
import { dateReaders, monthReaders, numberOrYear, yearReaders } from './dates.ts';
import { cardinal, numberSpeech, spellDigits } from './numbers.ts';
import { ordinalReaders } from './ordinals.ts';
import { romanReaders } from './roman.ts';
import { timeReaders } from './times.ts';
import { anywhere, firstWords, mixed, numbered, said, spelled, titles } from './words.ts';

const addresses = {
  dot: 'Punkt',
  slash: 'slash',
  hyphen: 'minus',
  underscore: 'Unterstrich',
  at: 'at',
  hashtag: 'Hashtag',
  digits: spellDigits,
  number: cardinal,
};
const signNames: Readonly<Record<string, string>> = {
  '&': 'und',
  '+': 'plus',
  '=': 'gleich',
  '@': 'at',
  '%': 'Prozent',
  '‰': 'Promille',
  $: 'Dollar',
  '€': 'Euro',
  '£': 'Pfund',
  '¥': 'Yen',
  '°': 'Grad',
  '§': 'Paragraf',
  '×': 'mal',
  '÷': 'geteilt durch',
  '±': 'plus minus',
  '≈': 'ungefähr',
  '<': 'kleiner als',
  '>': 'größer als',
  '→': 'zu',
  '/': 'slash',
  '\\': 'Backslash',
  '#': 'Nummer',
  '~': 'ungefähr',
  ...fractionSigns,
};

/** "17-Jähriger", "3-fach", "20-köpfig". */
const compoundReader = reader(
  /(\d{1,4})[-‑]?((?:[Jj]ährig|köpfig|prozentig|fach|mal|stündig|tägig|wöchig|monatig|minütig|teilig|stellig|stöckig|malig)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) =>
    (digits === '1' ? 'ein' : cardinal(digits)) + ending.toLowerCase(),
);
const localTelephoneReader = reader(
  /0\d{1,5}(?:[ \u00a0/-]{1,3}\d{2,9}){1,4}(?!\d)/,
  ([written]) =>
    written.replace(/\D/g, '').length < 6 ? undefined : inGroups(numberSpeech, written),
);
const mixedReader = reader(
  new RegExp(`(?:${alternatives(Object.keys(mixed))})(?![\\p{L}\\p{N}])`, 'u'),
  ([written]) => mixed[written],
);

const readers = {
  digits: [
    ...numberTailReaders(numberSpeech),
    ...webReaders(addresses),
    ...dateReaders,
    ...timeReaders,
    localTelephoneReader,
    ...money.digits,
    ...measureReaders(units, numberSpeech),
    ...magnitudeReaders,
    compoundReader,
    ...yearReaders,
    ...fractionReaders,
    ...ordinalReaders,
    ...rangeReaders(numberSpeech),
    ...plainNumberReaders(numberSpeech, sayNumber),
  ] satisfies Reader[],
  letters: [
    ...webReaders(addresses),
    ...titleReaders(titles),
    ...numberedReaders(numbered),
    ...abbreviationReaders(anywhere),
    ...monthReaders,
    ...money.letters,
    bareUnitReader(units),
    ...romanReaders,
    mixedReader,
    ...initialReaders({ said, spelled, number: cardinal }),
  ] satisfies Reader[],
  signs: [
    ...money.signs,
    reader(/§§\s?/, () => 'Paragrafen '),
    perUnitReader(units, 'pro'),
    telephoneReader(numberSpeech, 'plus'),
    negativeReader('minus'),
    ...handleReaders(addresses),
    ...punctuationReaders(signNames),
  ] satisfies Reader[],
  unpronounceable: unpronounceableFinder(
    'de',
    (characters) => `ein Code aus ${cardinal(characters)} Zeichen`,
  ),
  plainWordEnd: plainWords(/[a-zäöüß]{2,40}(?=[ ,;!?])/y),
};

/** German as a newsreader says it. Cases and genders only as far as an article or an ending shows them. */
export const german: Language = {
  code: 'de',
  sentences: (text) => joinedSentences(text, sentenceRules),
  spokenPieces: (sentence) => readPieces(sentence, readers),
};

/** "1 Kind", "1 Frage"; "Platz 1". */
function sayNumber(written: string, place: Place): string {
  if (written !== '1') return numberOrYear(written, place);
  const noun = /^[ \u00a0](\p{Lu}\p{Ll}[\p{Ll}-]{0,40})(?!\p{L})/u.exec(after(place))?.[1];
  if (noun === undefined) return 'eins';
  return /(?:e|ung|ion|heit|keit|schaft|tät|erin|ik|frau|Frau|Person|Stadt|Firma|Zahl|Nacht|Wahl|Hand|Uhr)$/u.test(
    noun,
  )
    ? 'eine'
    : 'ein';
}

const MONTH_AFTER =
  /^(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jh|Jahrestag|Geburtstag|Platz|Rang|Runde|Minute|Spieltag|Lebensjahr|Etage|Stock|Liga|Bundesliga)/u;
const COUNTED_BEFORE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|nach|(?:[msd]?ein|ihr|unser|jed|dies)(?:e|en|em|er|es))\s\(?\d{1,3}$/iu;

const sentenceRules: SentenceRules = {
  code: 'de',
  neverLast:
    /(?:^|[\s("„“«/-])(?:Dr|Prof|Hr|Fr|St|Nr|Nrn|Art|Abs|Kap|Abb|Bd|Ziff|Rn|Az|Dipl|Ing|bzw|ca|vgl|ggf|evtl|inkl|sog|mind|max|z\.\s?B|d\.\s?h|u\.\s?a|v\.\s?a|i\.\s?d|geb|bspw|insb|Hl|Gebr)$/iu,
  seldomLast:
    /(?:^|[\s("„“«/-])(?:usw|etc|Jh|Jhdt|Chr|Mio|Mrd|Tsd|Str|Tel|jr|sen|Std|Min|Sek|Co|Jan|Feb|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez|[IVX]{1,7}|e\.\s?V|a\.\s?D|a\.\s?M|z\.\s?T|u\.\s?U|d\.\s?R)$/u,
  firstWords,
  isOrdinal: (tail, head, startsAnew) =>
    /(?:^|\D)\d{1,3}$/u.test(tail) &&
    (MONTH_AFTER.test(head) ||
      /^[-–/]\d/.test(head) ||
      (/^[12]\d{3}(?!\d)/.test(head) && /\d\.\s?\d{1,2}$/.test(tail)) ||
      (/^\d{1,2}\.(?:\s?\d|$)/.test(head) && COUNTED_BEFORE.test(tail)) ||
      (/^\p{L}/u.test(head) && (COUNTED_BEFORE.test(tail) || !startsAnew))),
};
