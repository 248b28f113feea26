import { after, before, type Place, type Reader, reader } from '../reader.ts';
import { cardinal } from './cardinals.ts';
import { quantityWords } from './quantities.ts';

/** Results of games and votes that are not said like a range, and ratios. */
export const resultReaders: readonly Reader[] = [
  reader(
    /(\d{1,3})[-–](\d{1,3})(?![\d,.:/-]?\d|[-–]?\p{L}|\s?%)/u,
    ([, first = '', last = ''], place) => readResult(first, last, place),
  ),
  reader(/(\d{1,4}):(\d{1,4})(?![\d:])/, ([, first = '', last = ''], place) =>
    BIBLE_BOOK_BEFORE.test(before(place))
      ? `${cardinal(first)} ${cardinal(last)}`
      : quantityWords(first, last),
  ),
];

/** Chapter and verse, where they don't look like a time of day. */
const BIBLE_BOOK_BEFORE =
  /\b(?:Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Job|Psalms?|Proverbs|Isaiah|Matthew|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Philippians|Hebrews|James|Peter|Revelation)\s$/;
/** "the 80-20 rule" */
const SHARES_AFTER = /^\s(?:rule|split|chance|hindsight|vision)(?!\p{L})/u;
const RECORD_BEFORE =
  /\b(?:(?:improved?|improves|fell|falls?|drop(?:s|ped)?|slipped|moved?|moves|rose)\sto|record\sof)\s$/i;
const RECORD_AFTER =
  /^\s(?:overall\s|regular-season\s|home\s|road\s)?(?:record|start|mark|overall)\b/;
/** "The Chiefs (11-1) host". */
const TEAM_BEFORE = /\p{Lu}\p{Ll}{1,20}s\s\($/u;
const GAME_BEFORE = /\d{1,3}[-–]\d{1,3}(?:(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?|\s\()$/;
const GAME_AFTER = /^(?:\s?\([\d–-]{1,5}\))?,\s(?:and\s)?\d{1,3}[-–]\d{1,3}(?![-–\d])/;

/** Wins and losses: "ten and two"; games in a row: "six four, seven five"; a shutout: "one to nothing"; an even split: "fifty-fifty". */
function readResult(first: string, last: string, place: Place): string | undefined {
  if (/^0\d/.test(first) || /^0\d/.test(last)) return undefined;
  const [one, other] = [cardinal(first), cardinal(last)];
  if (isRecord(place)) return `${one} and ${other}`;
  if (GAME_BEFORE.test(before(place)) || GAME_AFTER.test(after(place))) return `${one} ${other}`;
  if (SHARES_AFTER.test(after(place))) return `${one} ${other}`;
  if (first === '50' && last === '50') return `${one}-${other}`;
  return last === '0' && first !== '0' ? `${one} to nothing` : undefined;
}

function isRecord(place: Place): boolean {
  const textBefore = before(place);
  const textAfter = after(place);
  return (
    RECORD_BEFORE.test(textBefore) ||
    RECORD_AFTER.test(textAfter) ||
    (TEAM_BEFORE.test(textBefore) && /^[,)]/.test(textAfter))
  );
}
