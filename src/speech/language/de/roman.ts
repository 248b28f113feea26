import { after, before, type Reader, reader } from '../reader.ts';
import { arabicDigits } from '../roman-numerals.ts';
import { cardinal } from './numbers.ts';
import { endingOf, ordinalStem } from './ordinals.ts';

const COUNTED_BEFORE =
  /\b(?:kapitel|band|teil|akt|artikel|abschnitt|buch|klasse|stufe|typ|phase|gruppe|hartz|anlage|apollo|rocky)\s$/iu;
const NAME_BEFORE = /\b\p{Lu}[\p{Ll}]{2,20}\s$/u;
const DATIVE_BEFORE =
  /(?<!\p{L})(?:[Vv]on|[Uu]nter|[Mm]it|[Bb]ei|[Nn]ach|[Zz]u|[Vv]or|[Aa]us|[Ss]eit|[Nn]eben|[Gg]egenüber)\s(?:(?:König|Königin|Kaiser|Papst|Zar)\s)?(?:\p{Lu}\p{Ll}{2,20}\s){1,2}$/u;
const WOMEN =
  /(?:Elisabeth|Elizabeth|Katharina|Margrethe|Maria|Viktoria|Victoria|Isabella|Christina|Anna)\s$/u;

/** Behind a name, "Ludwig XIV."; behind what they count, "Kapitel IV"; before a noun, "II. Weltkrieg". */
export const romanReaders: readonly Reader[] = [
  reader(/([IVX]{1,7})\.(?=[ \u00a0]\p{L}|[,;:)]|$)/u, ([, numeral = ''], place) => {
    const digits = arabicDigits(numeral);
    if (digits === undefined) return undefined;
    const textBefore = before(place);
    const isLast = place.end === place.text.length;
    if (
      NAME_BEFORE.test(textBefore) &&
      !COUNTED_BEFORE.test(textBefore) &&
      (numeral.length > 1 || !isLast)
    )
      return `${articleOf(textBefore)} ${capitalized(ordinalStem(digits))}${caseEnding(textBefore)}${isLast ? '.' : ''}`;
    if (COUNTED_BEFORE.test(textBefore)) return `${cardinal(digits)}${isLast ? '.' : ''}`;
    if (/^\s\p{Lu}\p{Ll}/u.test(after(place))) return ordinalStem(digits) + endingOf(place);
    return undefined;
  }),
  reader(/([IVXLCDM]{1,8})(?![\p{L}\p{N}.])/u, ([, numeral = ''], place) => {
    const digits = arabicDigits(numeral);
    if (digits === undefined || !COUNTED_BEFORE.test(before(place))) return undefined;
    return cardinal(digits);
  }),
];

function articleOf(textBefore: string): string {
  const isWoman = WOMEN.test(textBefore);
  if (DATIVE_BEFORE.test(textBefore)) return isWoman ? 'der' : 'dem';
  if (isGenitive(textBefore)) return 'des';
  return isWoman ? 'die' : 'der';
}

function caseEnding(textBefore: string): 'e' | 'en' {
  return DATIVE_BEFORE.test(textBefore) || isGenitive(textBefore) ? 'en' : 'e';
}

/** "die Zeit Ludwigs XIV." */
function isGenitive(textBefore: string): boolean {
  return /(?:Ludwig|Friedrich|Wilhelm|Heinrich|Karl|Otto|Paul|Leopold|Philipp|Georg)s\s$/u.test(
    textBefore,
  );
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
