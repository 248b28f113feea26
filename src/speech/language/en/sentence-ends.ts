import { segmentSentences } from '../segmenter.ts';

/** How far back from a boundary a rule looks: longer than any abbreviation with its brackets. */
const TAIL_LENGTH = 24;

const NEVER_LAST = new Set(
  (
    'mr mrs ms mx dr prof sen sens rep reps gov govs gen col lt sgt capt cpl cmdr maj adm rev hon pres supt det insp fr ' +
    'msgr st ste mt ft messrs mme mlle vs v e.g i.e cf viz al approx est dept asst assoc'
  ).split(' '),
);
const BEFORE_A_NUMBER = new Set(
  'no nos p pp fig figs vol vols ch chap sec art jan feb mar apr jun jul aug sept sep oct nov dec'.split(
    ' ',
  ),
);
/** These end a sentence only where the next one begins with a word that rarely stands in its middle. */
const SELDOM_LAST = new Set(
  (
    'inc corp co ltd llc plc bros jr sr esq ph.d m.d b.a m.a d.c u.s u.k u.n e.u u.s.a a.m p.m ave blvd rd ln hwy ' +
    'calif fla tex mass conn pa mich minn wis ill ind ga va n.y n.j n.c s.c n.h r.i n.m n.d s.d w.va'
  ).split(' '),
);
const FIRST_WORDS = new Set(
  (
    'a after all also although an and another any as at because before both but by despite during each even every for ' +
    'from he her here his how however i if in instead it its many meanwhile more most my no nobody none not now of on ' +
    'once one only other others our over she since so some soon still such that the their then there these they this ' +
    'those though through to today two under unlike until we what when where whether which while who why with without ' +
    'yes yet you your police officials'
  ).split(' '),
);
const AFTER_A_CLOCK_TIME =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b|^(?:January|February|March|April|August|September|October|November|December)|^(?:E|C|M|P)[SD]?T\b|^GMT\b|^UTC\b|^(?:Eastern|Central|Mountain|Pacific|Local)\b/;

/** Sentences of English text: offsets, without the whitespace between. */
export function englishSentences(text: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  for (const next of segmentSentences(text, 'en')) {
    const last = sentences.at(-1);
    if (last && goesOn(text, last, next)) last.end = next.end;
    else sentences.push({ ...next });
  }
  return sentences;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

function goesOn(text: string, last: Bounds, next: Bounds): boolean {
  const tail = text.slice(Math.max(last.start, last.end - TAIL_LENGTH), last.end);
  const head = text.slice(next.start, Math.min(next.end, next.start + TAIL_LENGTH));
  // A number that counts items, or stray punctuation, is no sentence.
  if (last.end - last.start <= 5 && /^\(?(?:\d{1,3}|[a-zA-Z])[.)]+$/.test(tail)) return true;
  if (!/[\p{L}\p{N}]/u.test(head) && next.end - next.start <= TAIL_LENGTH)
    return /^[\p{P}\s]+$/u.test(head);
  // "Stop!" he said.
  if (/[!?…,.]["'”’)\]]{1,3}$/u.test(tail) && /^\p{Ll}/u.test(head)) return true;
  if (/(?:\.\.\.|…)$/.test(tail)) return /^\p{Ll}/u.test(head);
  const abbreviation = /(?:^|[\s("'“‘[-])([\p{L}.]{1,12})\.$/u.exec(tail)?.[1];
  return abbreviation !== undefined && isInside(abbreviation, tail, head);
}

function isInside(abbreviation: string, tail: string, head: string): boolean {
  const lower = abbreviation.toLowerCase();
  const nextWord = /^["'“‘(]?([\p{L}'’]+)/u.exec(head)?.[1]?.toLowerCase() ?? '';
  const startsAnew = FIRST_WORDS.has(nextWord);
  if (lower === 'st') return !(startsAnew && /\p{Lu}[\p{L}'-]*\s+St\.$/u.test(tail));
  if (NEVER_LAST.has(lower)) return true;
  if (BEFORE_A_NUMBER.has(lower)) return /^\d/.test(head);
  if (lower === 'a.m' || lower === 'p.m') return AFTER_A_CLOCK_TIME.test(head);
  if (SELDOM_LAST.has(lower)) return !startsAnew;
  // "James T. Kirk", "J.K. Rowling", but "Vitamin C. It helps."
  return /^\p{Lu}(?:\.\p{Lu})*$/u.test(abbreviation) && !startsAnew;
}
