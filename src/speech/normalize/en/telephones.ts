import { type MatchContext, type NormalizationRule, rule } from '../language.ts';
import { spellDigits, verbalizeCardinal } from './cardinals.ts';

const CALL_BEFORE =
  /\b(?:911|999|988|11[1-9]|10[15])\s(?:[^.\d]{0,30}\s)?(?:or|and)\b[^.\d]{0,25}$|\b(?:call|dial|phone|ring|text)(?:ed|ing|s)?\s$|\b(?:TTY|TDD):?\s$|\b(?:hot|help|life)line\b[^.;]{0,30},?\s(?:is|at|on)\s(?:now\s)?$|\b(?:[a-z]{0,12}line|(?:emergency|phone|telephone|service)\snumber),?\s(?:(?:at|is|on|was)\s)?$|\b(?:call|dial|phone|text)(?:ed|ing|s)?\s(?:\d{3}\b[^.;\d]{0,40}){1,3}$/i;
const CALL_FOLLOWS =
  /^,?\s(?:(?:(?:[a-z]{2,9}\s){0,2}(?:or|and)\s(?:[a-z]{2,9}\s){0,2}(?:911|988|999|11[12]|101|111)(?![\d,.]\d|\d|\s\p{Ll})|calls?|callers?|dispatch|dispatchers?|operators?|hotline|lifeline)(?!\p{L}))/u;
/** "Text HOME to 741741", "text 50155". */
const TEXT_BEFORE = /\btext(?:ing|ed)?\s(?:(?:[\p{L}“”"']{1,20}\s)?to\s)?$/iu;

/** "Report it on 101", "Contact police on 101 or …" */
const CONTACT_BEFORE =
  /\b(?:call|contact|report|phone|ring|text|police|reach|Samaritans|Crimestoppers)\b[^.;]{0,40}\son\s$/i;
const CONTACT_AFTER = /^(?:[.,;:)]|\s(?:or|and|to|for|if|quoting|with|via|in|at)\s|$)/;

/** Telephone and other numbers in groups, spoken by digit with a pause between groups. */
export const telephoneRules: readonly NormalizationRule[] = [
  rule(/116 \d{3}(?!\d|[,.]\d)/, verbalizeDigitGroups),
  rule(/(?:[2-9]11|988|999|11[1-9]|10[15])(?!\d|[,.:/-]\d)/, verbalizeServiceNumber),
  rule(/\d{5,6}(?!\d|[,.]\d)/, ([digits], place) => (TEXT_BEFORE.test(place.before) ? spellDigits(digits) : undefined)),
  rule(
    /1[-. ](8\d\d)[-. ]([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) =>
      `one, ${verbalizeTollFree(code)}, ${rest.split('-').map(verbalizeVanityGroup).join(', ')}`,
  ),
  // "888-GO-BUCKS"
  rule(
    /(8(?:00|33|44|55|66|77|88))-(?=[\d-]{0,8}[A-Z])([A-Z\d]{1,7}(?:-[A-Z\d]{1,7}){0,3})(?![\p{L}\p{N}])/u,
    ([, code = '', rest = '']) => `${verbalizeTollFree(code)}, ${rest.split('-').map(verbalizeVanityGroup).join(', ')}`,
  ),
  rule(/(\d{1,3})[-. ]\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/(?:(\d{1,3})[-. ])?(\d{3})([-.])(\d{3})\3(\d{4})(?:-\d{1,5})?(?!\d)/, ([written]) => spellGroups(written)),
  rule(/(\d{3})-(\d{2})-(\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/0\d{2,4}([ -])\d{3,4}\1\d{3,4}(?!\d)/, verbalizeDigitGroups),
  rule(/1[38]00 \d{3} \d{3}(?!\d|[,.]\d)/, verbalizeDigitGroups),
  rule(/0[38]00[ ]\d{3,4}(?![ ]?\d)/, verbalizeDigitGroups),
  rule(/([2-9]\d{2})-(\d{4})(?![\d-])/, verbalizeDigitGroups),
];

/** Telephone numbers that begin with a sign: "+1 212-555-0100", "(212) 555-0100". */
export const signedTelephoneRules: readonly NormalizationRule[] = [
  rule(
    /\+(\d{1,3})[-. ]?\(?(\d{2,4})\)?[-. ]?\d{3,4}(?:[-. ]?\d{2,4}){0,3}(?!\d)/,
    ([written]) => `plus ${spellGroups(written)}`,
  ),
  // "+44 (0)20 7946 0123"
  rule(/\+\d{1,3} ?\(0\) ?\d{1,4}(?:[ -]\d{2,4}){1,4}(?!\d)/, ([written]) => `plus ${spellGroups(written)}`),
  // "+33 1 23 45 67 89"
  rule(/\+\d{1,3}(?:[-. ]\(?\d{1,4}\)?){2,6}(?![-. ]?\d)/, ([written]) =>
    written.replace(/\D/g, '').length >= 9 ? `plus ${spellGroups(written)}` : undefined,
  ),
  rule(/\((\d{3})\)\s?(\d{3})[-. ](\d{4})(?!\d)/, verbalizeDigitGroups),
  rule(/\(0\d{1,4}\)\s?\d{3,4}[- ]\d{3,4}(?!\d)/, verbalizeDigitGroups),
];

function verbalizeDigitGroups([written]: RegExpExecArray): string {
  return spellGroups(written);
}

/** "Dial 988", "a 911 call": telephone numbers of three digits. */
function verbalizeServiceNumber([digits]: RegExpExecArray, place: MatchContext): string | undefined {
  const isCalled =
    CALL_BEFORE.test(place.before) ||
    CALL_FOLLOWS.test(place.after) ||
    (CONTACT_BEFORE.test(place.before) && CONTACT_AFTER.test(place.after));
  return isCalled ? spellDigits(digits) : undefined;
}

/** Digits with a pause between groups. */
export function spellGroups(written: string): string {
  return (written.match(/\d+/g) ?? []).map(spellDigits).join(', ');
}

function verbalizeTollFree(code: string): string {
  return code.endsWith('00') ? verbalizeCardinal(code) : spellDigits(code);
}

function verbalizeVanityGroup(group: string): string {
  return /\d/.test(group) ? spellDigits(group) : group;
}
