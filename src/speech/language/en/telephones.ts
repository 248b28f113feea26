import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { cardinal, spellDigits } from './cardinals.ts';

const CALLED =
  /\b(?:call|dial|phone|ring|text)(?:ed|ing|s)?\s$|\b(?:TTY|TDD):?\s$|\b(?:hotline|helpline|lifeline)\s(?:at|is|on)\s$/i;
const CALL_FOLLOWS =
  /^\s(?:calls?|callers?|dispatch|dispatchers?|operators?|hotline|lifeline)(?!\p{L})/u;
/** "Text HOME to 741741". */
const TEXTED = /\btext(?:ing)?\s(?:[\p{L}“”"']{1,20}\s)?to\s$/iu;

/** Telephone and other numbers in groups, read digit by digit with a pause between groups. */
export const telephoneReaders: readonly Reader[] = [
  reader(/(?:[2-9]11|988|999|11[12])(?!\d|[,.:/-]\d)/, readServiceNumber),
  reader(/\d{5,6}(?!\d|[,.]\d)/, ([digits], place) =>
    TEXTED.test(before(place)) ? spellDigits(digits) : undefined,
  ),
  reader(
    /1[-. ](8\d\d)[-. ]([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) =>
      `one, ${tollFree(code)}, ${rest.split('-').map(vanityGroup).join(', ')}`,
  ),
  reader(/(\d{1,3})[-. ]\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, groups),
  reader(/(?:(\d{1,3})[-. ])?(\d{3})([-.])(\d{3})\3(\d{4})(?:-\d{1,5})?(?!\d)/, ([written]) =>
    spell(written),
  ),
  reader(/(\d{3})-(\d{2})-(\d{4})(?!\d)/, groups),
  reader(/0\d{2,4}[ ]\d{3,4}[ ]\d{3,4}(?!\d)/, groups),
  reader(/([2-9]\d{2})-(\d{4})(?![\d-])/, groups),
];

/** Telephone numbers that begin with a sign: "+1 212-555-0100", "(212) 555-0100". */
export const signedTelephoneReaders: readonly Reader[] = [
  reader(
    /\+(\d{1,3})[-. ]?\(?(\d{2,4})\)?[-. ]?\d{3,4}(?:[-. ]?\d{2,4}){0,3}(?!\d)/,
    ([written]) => `plus ${spell(written)}`,
  ),
  reader(/\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, groups),
];

function groups([written]: RegExpExecArray): string {
  return spell(written);
}

/** "Dial 988", "a 911 call": numbers of three digits that are called, not counted. */
function readServiceNumber([digits]: RegExpExecArray, place: Place): string | undefined {
  const isCalled = CALLED.test(before(place)) || CALL_FOLLOWS.test(after(place));
  return isCalled ? spellDigits(digits) : undefined;
}

function spell(written: string): string {
  return (written.match(/\d+/g) ?? []).map(spellDigits).join(', ');
}

function tollFree(code: string): string {
  return code.endsWith('00') ? cardinal(code) : spellDigits(code);
}

function vanityGroup(group: string): string {
  return /\d/.test(group) ? spellDigits(group) : group;
}
