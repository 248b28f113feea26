import { numberWords, spellDigits } from './cardinals.ts';
import { type Reader, reader } from './reader.ts';

/** Plain numbers, last of all readers that begin with a digit. */
export const numberReaders: readonly Reader[] = [
  reader(/\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,12})?(?![\d,]\d)/, ([written]) => numberWords(written)),
  reader(/\d{1,15}(?:\.\d{1,12})?(?!\d)/, ([written]) => numberWords(written)),
  reader(/\d{1,12}/, ([digits]) => `${spellDigits(digits)} `),
];
