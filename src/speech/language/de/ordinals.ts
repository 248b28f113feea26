import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { cardinal } from './numbers.ts';

const STEMS: Readonly<Record<string, string>> = {
  '1': 'erst',
  '3': 'dritt',
  '7': 'siebt',
  '8': 'acht',
};

/** "mit der", "seit dem", "am": what follows has the ending -en. */
const WEAK_BEFORE =
  /(?:\b(?:am|ans|vom|zum|zur|beim|im|dem|den|des|ab|bis|seit|nach|vor|(?:k?ein|[msd]ein|ihr|unser|euer|dies|jed)(?:en|em|er|es))|\b(?:in|an|auf|mit|bei|seit|nach|von|aus|vor|zu|während|ab|trotz|wegen|neben|unter|über|gegenüber|außer|innerhalb|hinter)\s(?:der|die\sersten)|\b(?:am\s)?(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag),)\s$/iu;
const ARTICLE_BEFORE =
  /\b(?:der|die|das|dies(?:er|e|es)|jede[rs]?|(?:k?ein|[msd]ein|ihr|unser)e)\s$/iu;
const THE_BEFORE = /\bder\s$/iu;
const FEMININE_AFTER =
  /^\s?\p{Lu}\p{L}{0,30}(?:e|ung|ion|heit|keit|schaft|tät|liga|etappe)(?!\p{L})/u;
/** The first of a pair that shares its ending: "am 3. und 4. Mai". */
const PAIR_BEFORE = /\d{1,3}\.(?:\s(?:und|bis|oder)\s|\s?[-–/]\s?)$/u;

/** Ordinals: a number with a full stop inside a sentence. */
export const ordinalReaders: readonly Reader[] = [
  reader(
    /(\d{1,3})\.\s?([-–/])\s?(\d{1,3})\.(?=[ \u00a0]\p{L})/u,
    ([, first = '', joint = '', last = ''], place) => {
      const ending = endingOf(place);
      return `${ordinalStem(first)}${ending} ${joint === '/' ? 'und' : 'bis'} ${ordinalStem(last)}${ending}`;
    },
  ),
  reader(/(\d{1,4})\.(?=[ \u00a0](?:\p{L}|\d{1,3}\.))/u, ([, digits = ''], place) =>
    Number(digits) === 0 ? undefined : ordinalStem(digits) + endingOf(place),
  ),
  reader(/(\d{1,3})te([rnms]?)(?!\p{L})/u, ([, digits = '', ending = '']) =>
    Number(digits) === 0 ? undefined : `${ordinalStem(digits)}e${ending}`,
  ),
];

/** "3" → "dritt": an ending follows. */
export function ordinalStem(digits: string): string {
  const small = Number(digits) % 100;
  const words = cardinal(digits);
  if (small >= 20 || small === 0) return `${words}st`;
  const stem = STEMS[String(small)];
  const whole = cardinal(String(small));
  return stem === undefined ? `${words}t` : words.slice(0, words.length - whole.length) + stem;
}

/** The ending of an ordinal or of another adjective at a place, as far as its article shows it. */
export function endingOf(place: Place): 'e' | 'en' | 'er' {
  const textBefore = before(place).replace(PAIR_BEFORE, '');
  if (WEAK_BEFORE.test(textBefore)) return 'en';
  const isFeminine = FEMININE_AFTER.test(after(place));
  if (isFeminine && THE_BEFORE.test(textBefore)) return 'en';
  return isFeminine || ARTICLE_BEFORE.test(textBefore) ? 'e' : 'er';
}
