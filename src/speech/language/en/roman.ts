import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { arabicDigits } from '../roman-numerals.ts';
import { cardinal } from './cardinals.ts';
import { ordinal } from './ordinals.ts';

const COUNTED_BEFORE =
  /\b(?:war|chapter|part|act|title|phase|volume|book|section|article|class|type|level|bowl|mark|schedule|tier|scene|stage|episode|appendix|grade|rocky|apollo|soyuz|olympiad|factor)\s$/i;
const RULERS =
  /\b(?:alexander|alfonso|benedict|boniface|catherine|charles|christian|clement|constantine|cosimo|edward|elizabeth|felipe|ferdinand|francis|frederick|george|gregory|gustav|harald|haakon|henry|innocent|isabella|ivan|james|john|juan carlos|john paul|joseph|leo|leopold|louis|ludwig|margrethe|mary|mehmed|mohammed|murad|napoleon|nicholas|otto|paul|peter|philip|pius|rama|ramses|richard|rudolf|selim|sixtus|suleiman|umberto|urban|victor emmanuel|vittorio|wilhelm|william|sam)\s$/i;
const FULL_NAME_BEFORE = /\p{Lu}[\p{L}.'’-]{0,20},?\s\p{Lu}[\p{L}'’-]{1,20},?\s$/u;

/** Roman numerals after what they count, "World War II", and after whom they number, "Henry VIII". */
export const romanReaders: readonly Reader[] = [
  reader(
    /([IVXLCDM]{1,10})(['’]s)?(?![\p{L}\p{N}.]\p{L}|[\p{L}\p{N}])/u,
    ([, numeral = '', ending = ''], place) => {
      const spoken = numeralWords(numeral, place);
      return spoken === undefined ? undefined : spoken + ending;
    },
  ),
];

function numeralWords(numeral: string, place: Place): string | undefined {
  const digits = arabicDigits(numeral);
  if (digits === undefined) return undefined;
  const textBefore = before(place);
  if (COUNTED_BEFORE.test(textBefore)) return cardinal(digits);
  if (/[LCDM]/.test(numeral)) return undefined;
  if (RULERS.test(textBefore)) {
    // "George I think" and "Mary V. Smith" have no number.
    if (
      numeral === 'I' &&
      /^\s(?:am|was|have|had|think|know|said|will|would|can|could|did|do)\b/.test(after(place))
    )
      return undefined;
    return after(place).startsWith('.') && numeral.length === 1 && /^\.\s\p{Lu}/u.test(after(place))
      ? undefined
      : `the ${ordinal(digits)}`;
  }
  if (numeral.length < 2 || !/\p{Lu}[\p{L}'’-]{1,20},?\s$/u.test(textBefore)) return undefined;
  return FULL_NAME_BEFORE.test(textBefore) && numeral.length <= 3
    ? `the ${ordinal(digits)}`
    : cardinal(digits);
}
