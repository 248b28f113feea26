import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
} from '../language.ts';
import {
  AIRCRAFT,
  AIRCRAFT_BEFORE,
  createBookNumberRule,
  createStockCodeRule,
  createTimeOffsetRule,
  createVariantRule,
} from '../shared/serials.ts';
import {
  isMixedCaseInitialism,
  isPronouncedAsWord,
  nameGreekLetter,
  spellLetters,
  verbalizeAcronym,
} from './acronyms.ts';
import {
  pluralize,
  spellDigits,
  verbalizeCardinal,
  verbalizeDigitPairs,
  verbalizeFraction,
  verbalizeNumber,
  verbalizeOrdinal,
  verbalizeQuantity,
} from './cardinals.ts';
import { spellGroups } from './dashed-numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const COUNTED =
  'war|chapter|ch\\.|part|pt\\.|act|title|phase|volume|vol\\.|book|bk\\.|section|sec\\.|article|art\\.|class|type|level|bowl|mark|schedule|tier|scene|stage|episode|appendix|appendices|grade|rocky|apollo|saturn|soyuz|olympiad|factor|count|division|annexe?|exhibit|table|category|generation|vatican|basel|minuteman|trident|wrestlemania|artemis|gemini|ariane|fighter|warcraft|starcraft|souls|creed|halo|panzer|session|rank|zone|aegis|fantasy|kombat|theft auto|diablo|civilization|gladiator|godfather|rambo|star wars|top gun|clade|amendment|amend\\.';
/** "Part IV", "Counts I, II and III" */
const COUNTED_BEFORE = new RegExp(
  `\\b(${COUNTED})(?:s|es)?\\s(?:[IVXLC]{1,7}(?:,\\s|,?\\s(?:and|or|to|through|&)\\s)){0,3}$`,
  'i',
);
/** "a phase I trial", but "the part I liked" */
const NOUN_AFTER_ONE =
  /^(?:[.,;:)\-–/]|\s(?:trials?|stud(?:y|ies)|tests?|testing|cancers?|tumou?rs?|melanoma|breast|lung|diabet\w+|errors?|trauma|clinical|felony|offenses?|disease|collagen|drugs?|substances?|controlled|data|results|railroads?|recall|environmental|interferons?|centers?|facility|capital|supernovae?|(?:and|or|to|through)\s[IVX])|$)/;
const RULERS =
  /\b(?:alexander|alfonso|benedict|boniface|catherine|charles|christian|clement|cleopatra|edgar|edmund|constantine|cosimo|edward|elizabeth|felipe|ferdinand|francis|frederick|george|gregory|gustav|harald|haakon|henry|innocent|isabella|ivan|james|john|juan carlos|john paul|joseph|leo|leopold|louis|ludwig|margrethe|mary|mehmed|mohammed|murad|napoleon|nicholas|otto|paul|peter|philip|pius|rama|ramses|richard|rudolf|selim|sixtus|suleiman|umberto|urban|victor emmanuel|vittorio|wilhelm|william|sam)\s$/i;
/** Also surnames and first names, which an initial may follow: "Malcolm X". */
const OTHER_RULERS =
  /\b(?:Abdul ?hamid|Abdullah|Adrian|Albert|Amenhotep|Artaxerxes|Baldwin|Bartholomew|Bayezid|Callixtus|Carl|Carol|Casimir|Celestine|Darius|David|Eric|Erik|Eugene|Faisal|Farouk|Franz|Harold|Hassan|Henri|Honorius|Hussein|Juan|Julius|Justinian|Karl|Kenneth|Letsie|Mahmud|Malcolm|Manuel|Martin|Maximilian|Menelik|Moshoeshoe|Mswati|Olav|Osman|Oscar|Pedro|Ptolemy|Ramess?es|Robert|Sargon|Seti|Shenouda|Sigismund|Stephen|Sylvester|Tawadros|Tewodros|Theodore|Theodosius|Thutmose|Valdemar|Xerxes)\s$/;
/** "the XXXIII Olympic Games", "the II Corps" */
const NUMBERED_AFTER =
  /^\s(?:(?:Summer|Winter|Pan|World|International|National|Airborne|Abn\.|Armored|Marine|Army|Ordinary|Extraordinary)\s)?(?:Olymp|Paralymp|Games|Congress|Corps|Army|Division|Dynasty|Legion|Session|Summit|Conference|Festival|Assembly|century|Amendment|Republic|Party Congress)/;
const FULL_NAME_BEFORE =
  /(?<!\p{L})(?!(?:An?|And|After|As|At|Before|Both|But|By|For|From|If|In|Its|On|That|The|This|To|Under|When|While|With)\s)\p{Lu}[\p{L}.'’-]{0,20},?\s\p{Lu}[\p{L}'’-]{1,20},?\s$/u;

/** "(69-30 B.C.)" */
const LIFE_AFTER = /^\s\((?:c\.\s)?\d{2,4}[-–]\d{2,4}/;
const CROWNED_BEFORE =
  /\b(?:King|Queen|Pope|Patriarch|Emperor|Empress|Tsar|Czar|Sultan|Shah|Kaiser)\s\p{Lu}\p{Ll}{2,20}\s$/u;

/** Roman numerals after nouns, "World War II", and names, "Henry VIII". */
export const romanRules: readonly NormalizationRule[] = [
  // "Counts I-IV", "a phase I/II trial"
  rule(/([IVXLC]{1,7})([-–/])([IVXLC]{1,7})(?![\p{L}\p{N}])/u, ([, first = '', joint, last = ''], place) => {
    const [from, to] = [parseRomanNumeral(first), parseRomanNumeral(last)];
    if (from === undefined || to === undefined || !COUNTED_BEFORE.test(place.before)) return undefined;
    return `${verbalizeCardinal(from)} ${joint === '/' ? '' : 'to '}${verbalizeCardinal(to)}`;
  }),
  // "Act III, scene ii"
  rule(/(ii|iii|iv|vi{0,3}|ix|xi{0,2})(?![\p{L}\p{N}])/u, ([numeral], { before }) =>
    /\b(?:scenes?|chapters?|sections?|articles?|paragraphs?|acts?|parts?|books?|pages?|clauses?)\s$/i.test(before)
      ? verbalizeCardinal(parseRomanNumeral(numeral.toUpperCase()) ?? numeral)
      : undefined,
  ),
  // "a Phase IIb trial", "stage IIIA", "Type Ia"
  rule(/([IVX]{1,4})([a-cA-C])(?![\p{L}\p{N}])/u, ([, numeral = '', letter = ''], { before }) => {
    const value = COUNTED_BEFORE.test(before) ? parseRomanNumeral(numeral) : undefined;
    return value && `${verbalizeCardinal(value)} ${spellLetters(letter)}`;
  }),
  rule(/([IVXLCDM]{1,10})(['’]s)?(?![\p{L}\p{N}.]\p{L}|[\p{L}\p{N}])/u, ([, numeral = '', ending = ''], place) => {
    const spoken = verbalizeNumeral(numeral, place);
    return spoken === undefined ? undefined : spoken + ending;
  }),
];

function verbalizeNumeral(numeral: string, place: MatchContext): string | undefined {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const textBefore = place.before;
  if (numeral === 'X' && /\bgeneration\s$/i.test(textBefore)) return undefined;
  if (numeral.length > 1 && /\bthe\s$/i.test(textBefore) && NUMBERED_AFTER.test(place.after))
    return verbalizeOrdinal(digits);
  // "XVIII Airborne Corps", "V Corps"
  if (numeral !== 'I' && /^\s(?:(?:Airborne|Abn\.|Armou?red|Marine|Army)\s)?Corps(?!\p{L})/u.test(place.after))
    return verbalizeOrdinal(digits);
  const counted = COUNTED_BEFORE.exec(textBefore)?.[1];
  const isPronoun = numeral === 'I' && /^\p{Ll}/u.test(counted ?? '') && !NOUN_AFTER_ONE.test(place.after);
  if (counted !== undefined) return isPronoun ? undefined : verbalizeCardinal(digits);
  if (/[LCDM]/.test(numeral)) return undefined;
  if (RULERS.test(textBefore) || CROWNED_BEFORE.test(textBefore)) {
    // "George I think" and "Mary V. Smith" have no number.
    if (numeral === 'I' && /^\s(?:am|was|have|had|think|know|said|will|would|can|could|did|do)\b/.test(place.after))
      return undefined;
    return place.after.startsWith('.') && numeral.length === 1 && /^\.\s\p{Lu}/u.test(place.after)
      ? undefined
      : `the ${verbalizeOrdinal(digits)}`;
  }
  if (numeral.length > 1 && (OTHER_RULERS.test(textBefore) || LIFE_AFTER.test(place.after)))
    return `the ${verbalizeOrdinal(digits)}`;
  if (numeral.length < 2 || !/\p{Lu}[\p{L}'’-]{1,20},?\s$/u.test(textBefore)) return undefined;
  return FULL_NAME_BEFORE.test(textBefore) && numeral.length <= 3
    ? `the ${verbalizeOrdinal(digits)}`
    : verbalizeCardinal(digits);
}

/** Numerals that are not 0 to 9: "①", "Ⅳ", "⅐", "٣", "१२". */
export const otherNumeralRules: readonly NormalizationRule[] = [
  rule(/\p{Nd}{1,15}/u, ([numerals]) => {
    const digits = Array.from(numerals, toDigit).join('');
    return /^0\d/.test(digits) ? spellDigits(digits) : verbalizeCardinal(digits);
  }),
  rule(/[\p{Nl}\p{No}]/u, ([numeral]) => {
    const plain = numeral.normalize('NFKC');
    const [top, bottom] = plain.split('\u2044');
    if (top && bottom) return verbalizeFraction(top, bottom);
    const digits = plain.replace(/\D/g, '');
    if (digits !== '') return verbalizeCardinal(digits);
    const value = parseRomanNumeral(plain.toUpperCase());
    return value === undefined ? undefined : verbalizeCardinal(value);
  }),
];

/** The digits of a script are consecutive from its zero. */
function toDigit(numeral: string): string {
  const plain = numeral.normalize('NFKC');
  if (/^\d$/.test(plain)) return plain;
  const code = numeral.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** "3x a day", "10x faster", "it grew 5x." */
const TIMES_FOLLOWS = /^\/\p{Ll}|^\s(?:an?|as|per|the|more|less|daily|weekly|[a-z]{3,10}er)(?!\p{L})/u;
/** "at 15x earnings", but "a 3x gain" and "the 10x lens". */
const MULTIPLE = /(?:^|\s)(?:an?|the|this|that|its|with)\s$/i;
const RUNS = /\d+['’]?s(?!\p{L})|\d+(?:\.\d+)?|\p{L}+|[-/]/gu;

/** Books of the Bible by their abbreviation. */
const BOOKS = parseTable(findTable(tables, 'books'));
const BOOK = [
  ...Object.keys(BOOKS).map((name) => `${name}\\.?`),
  ...Object.values(BOOKS),
  ...['Numbers', 'Joshua', 'Judges', 'Samuel', 'Kings', 'Chronicles', 'Job', 'Ecclesiastes', 'Daniel', 'Hosea', 'Amos'],
  ...['Micah', 'Acts', 'Galatians', 'Titus', 'Jude', 'Quran', 'Koran', 'Surah?'],
].join('|');
const BOOK_BEFORE = new RegExp(`(?<!\\p{L})(?:${BOOK})\\s$`, 'u');
const VERSE_AFTER = String.raw`(?=\s\d{1,3}:\d{1,3}(?!\d))`;

/** "John 3:16", "Psalm 23:1-4", "1 Corinthians 13:4" */
export const verseRules: readonly NormalizationRule[] = [
  rule(/(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?(?![\d:])/, ([, chapter = '', first = '', last], place) =>
    BOOK_BEFORE.test(place.before) ? `${verbalizeCardinal(chapter)} ${verbalizeQuantity(first, last)}` : undefined,
  ),
  // "2 Samuel 11:3", "2 Samuel 11"
  rule(
    new RegExp(
      `[12](?=\\s(?:${BOOK})${VERSE_AFTER}|\\s(?:Samuel|Kings|Chronicles|Corinthians|Thessalonians|Timothy|Peter)\\s\\d{1,2}(?![\\d,.:/-]\\d|\\d))`,
      'u',
    ),
    ([digit]) => (digit === '1' ? 'First' : 'Second'),
  ),
];
/** "Matt. 5:3" */
const bookRule = rule(
  new RegExp(`(${Object.keys(BOOKS).join('|')})\\.?${VERSE_AFTER}`, 'u'),
  ([, name = '']) => BOOKS[name],
);

/** "Rom. 8" */
const chapterRule = rule(
  /(Gen|Exod|Lev|Deut|Ps|Prov|Isa|Jer|Ezek|Matt|Rom|Cor|Gal|Eph|Thess|Heb)\.(?=\s\d{1,3}(?![\d,%]|\.\d))/u,
  ([, name = '']) => BOOKS[name],
);

/** "2d Cir.", "3d Infantry" */
const shortOrdinalRule = rule(
  /([23])d(?=\s(?:Cir|Circuit|Dist|District|Lt|Lieutenant|Infantry|Cavalry|Marine|Battalion|Brigade|Division|Armored|Amendment|Sess|Cong)(?!\p{L}))/u,
  ([, digit]) => (digit === '2' ? 'Second' : 'Third'),
);
/** "S03E22" */
const episodeRule = rule(
  /S(\d{1,2})\s?E(?:p\s?)?(\d{1,3})(?![\p{L}\p{N}])/u,
  ([, season = '', episode = '']) => `season ${verbalizeCardinal(season)}, episode ${verbalizeCardinal(episode)}`,
);
const DOSE_PERIODS = parseTable('h = hours; d = days; w, wk = weeks; mo = months');
const MOODYS = parseTable(findTable(tables, 'moodys'));
/** Names that mix letters and digits: "A380", "F-16", "Covid-19", "H1N1". */
export const serialRules: readonly NormalizationRule[] = [
  // Ratings of Moody's: "Baa3", "Aa2"
  rule(/(Aaa|Aa|Baa|Ba|Caa)([123])?(?![\p{L}\p{N}])/u, ([, letters = '', step]) =>
    step === undefined && letters !== 'Aaa'
      ? undefined
      : `${MOODYS[letters]}${step ? ` ${verbalizeCardinal(step)}` : ''}`,
  ),
  // A British motorway: "A1(M)"
  rule(/A(\d{1,3})\(M\)/, ([, digits = '']) => `${spellLetters('A')} ${verbalizeCardinal(digits)} M`),
  rule(/WW-?([123])(?![\p{L}\p{N}])/u, ([, digit = '']) => `World War ${verbalizeCardinal(digit)}`),
  // "an M6.2 quake"
  rule(
    /M(\d\.\d)(?=\s(?:quake|earthquake|temblor|tremor|aftershock|foreshock|shock)(?!\p{L}))/u,
    ([, size = ''], { before }) => (/\ban\s$/i.test(before) ? undefined : `magnitude ${verbalizeNumber(size)}`),
  ),
  episodeRule,
  // "T-10 seconds"
  rule(
    /([TL])-(\d{1,3})(?=\s(?:seconds?|minutes?|hours?|days?|secs?|mins?|hrs?)(?!\p{L}))/u,
    ([, letter, count = '']) => `${letter} minus ${verbalizeCardinal(count)}`,
  ),
  // Of a drug: "q8h", "q4wk"
  rule(
    /q(\d{1,2})(h|d|wk?|mo)(?![\p{L}\p{N}])/u,
    ([, count = '', period = '']) => `every ${verbalizeCardinal(count)} ${DOSE_PERIODS[period]}`,
  ),
  createVariantRule({ verbalizeCardinal, pointWord: 'point' }),
  createTimeOffsetRule(verbalizeCardinal, { plus: 'plus', minus: 'minus' }),
  bookRule,
  chapterRule,
  rule(
    /(?=\p{L}{1,14}-?\d)(?!(?:GMT|UTC)-\d|\p{L}{2,14}-\d{2,4}s|\p{L}-(?:19|20)?\d0s|\p{L}{1,14}-\d{1,3}(?:st|nd|rd|th)(?!\p{L})|(?:noon|midnight|thousand|million|billion|trillion)-)[\p{L}\d]{1,20}(?:(?<=\d)\.\d{1,3})?(?:[-/](?=[\p{L}-]{0,10}\d|(?<=-)\p{L})[\p{L}\d]{1,12}(?:(?<=\d)\.\d{1,3})?){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => (/\d/.test(written) ? verbalizeRuns(written) : undefined),
  ),
];

/** Aircraft, plans and sequences of numbers: "747-400", "401(k)", "4-4-2". */
export const modelRules: readonly NormalizationRule[] = [
  // A tie-break: "6-7 (5/7)"
  rule(/(\d{1,2})\/(\d{1,2})(?=\))/, ([, first = '', last = ''], place) =>
    /\d[-–]\d\s?\($/.test(place.before) ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}` : undefined,
  ),
  createBookNumberRule({ spellDigits }),
  createStockCodeRule({ spellDigits }, 'dot'),
  // The number below a bar code: "UPC 8 51770 00315 2"
  rule(/\d(?:[ -]?\d){7,17}(?!\d)/, ([written], place) =>
    /\b(?:UPC|EAN|GTIN|IMEI|bar\s?code)s?:?\s$/.test(place.before) ? spellGroups(written) : undefined,
  ),
  rule(AIRCRAFT, ([, model = '', variant = ''], place) =>
    AIRCRAFT_BEFORE.test(place.before) && !/^7[0-9]7$/.test(model)
      ? `${verbalizeDigitPairs(model)} ${verbalizeDigitPairs(variant)}`
      : undefined,
  ),
  rule(
    /802\.11([a-z]{1,2})?(?![\p{L}\p{N}])/u,
    ([, letters]) => `eight oh two point eleven${letters ? ` ${spellLetters(letters)}` : ''}`,
  ),
  rule(/911(?=\s(?:Turbo|Carrera|Targa|GT))/, () => 'nine eleven'),
  // "a 529 plan"
  rule(/(?:403|457|527|529)(?=[\s-](?:plans?|groups?|accounts?|savings|college)(?!\p{L}))/u, ([digits]) =>
    verbalizeDigitPairs(digits),
  ),
  rule(/401\(k\)(s?)/i, ([, s]) => `four oh one K${s ? "'s" : ''}`),
  rule(/529(?=[.,;)]|\s(?:and|or|for)(?!\p{L}))/u, ([digits], { before }) =>
    /\b(?:an?|your|their)\s$/.test(before) ? verbalizeDigitPairs(digits) : undefined,
  ),
  // Sections of a law: "501(c)(3)"
  rule(/(\d{1,5})([a-z]{0,2})((?:\([a-zA-Z\d]{1,3}\)){1,4})/, ([, number = '', letters = '', parts = '']) =>
    [
      verbalizeDigitPairs(number),
      ...(letters ? [spellLetters(letters)] : []),
      ...(parts.match(/[a-zA-Z\d]+/g) ?? []).map(verbalizeRun),
    ].join(' '),
  ),
  rule(
    /(7[0-9]7)-(\d{1,3})([A-Z]{1,3})?(s?)(?![\p{L}\p{N}])/u,
    ([, model = '', variant = '', letters, s]) =>
      `${verbalizeDigitPairs(model)} ${s ? pluralize(verbalizeDigitPairs(variant)) : verbalizeDigitPairs(variant)}${letters ? ` ${spellLetters(letters)}` : ''}`,
  ),
  rule(/(7[0-9]7)s(?!\p{L})/u, ([, model = '']) => `${verbalizeDigitPairs(model)}s`),
  rule(
    /(7[0-9]7)(?=\s(?:Max|Dreamliner|flew|flies|crash(?:ed|es)?|land(?:ed|s)|pilots?|fleet|aircraft|freighters?|deliver(?:y|ies)|orders?|production|maker|jets?|jumbo|airliners?|planes?)\b)/i,
    ([, model = '']) => verbalizeDigitPairs(model),
  ),
  rule(/\d{1,4}(?:-\d{1,4}){2,6}(?![\p{L}\p{N}])/u, ([written]) => written.split('-').map(verbalizeCardinal).join(' ')),
];

/** Other names that begin with a digit: "5G", "3D", "4x". */
export const digitSerialRules: readonly NormalizationRule[] = [
  shortOrdinalRule,
  // "160no", "11-8f"
  rule(/(\d{1,3})no(?![\p{L}\p{N}])/u, ([, runs = '']) => `${verbalizeCardinal(runs)} not out`),
  // Isotopes: "14C dating"
  rule(/14C(?=\s(?:dat|age|level|content|method|test|and\s\d{2,3}Pb))/, () => 'carbon fourteen'),
  // In baseball: "with a 3B"
  rule(/([23])B(?=[.,;)]|\s(?:and|in|to|with|off)(?!\p{L})|$)/u, ([, bases], { before }) =>
    /\ban?\s$/.test(before) ? (bases === '2' ? 'double' : 'triple') : undefined,
  ),
  // "at 1432Z"
  rule(
    /([01]\d|2[0-3])([0-5]\d)Z(?![\p{L}\p{N}])/u,
    ([, hour = '', minutes = '']) => `${verbalizeDigitPairs(hour)} ${verbalizeDigitPairs(minutes)} Zulu`,
  ),
  // "3x-5x"
  rule(
    /(\d{1,3}(?:\.\d)?)x\s?[-–]\s?(\d{1,3}(?:\.\d)?)x(?![\p{L}\p{N}])/u,
    ([, first = '', last = '']) => `${verbalizeQuantity(first, last)} times`,
  ),
  rule(/\d{1,6}(?:\.\d{1,6})?[xX](?![\p{L}\p{N}])/u, ([written], place) => {
    const number = verbalizeNumber(written.slice(0, -1));
    // "a 3x MVP"
    if (/^\s(?:MVP|All-Star|Grammy|Oscar|Emmy|Olymp\w+|Pro Bowl\w*|champions?|winners?)(?!\p{L})/u.test(place.after))
      return `${number}-time`;
    if (/^7\d7X/.test(written)) return `${verbalizeDigitPairs(written.slice(0, -1))} X`;
    if (!isTimes(written, place)) return `${number} X`;
    return written === '1x' ? 'once' : `${number} times`;
  }),
  rule(/\d{1,4}x\d{1,4}(?![\p{L}\p{N}])/u, ([written]) => written.split('x').map(verbalizeCardinal).join(' by ')),
  rule(
    /(?=\d{1,6}[\p{L}])[\p{L}\d]{2,16}(?:(?<=\p{L}\d{1,3})\.\d{1,2}(?![\d.]))?(?:-[\p{L}\d]{1,12}){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => verbalizeRuns(written),
  ),
];

function isTimes(written: string, { before, after }: MatchContext): boolean {
  if (!written.endsWith('x')) return false;
  // "at 2.3x EBITDA"
  if (/^\s(?:EBITDA|EBIT|FFO|NAV|P\/E|ARR)(?!\p{L})/u.test(after)) return true;
  if (/^\s\p{Ll}/u.test(after) && !MULTIPLE.test(before)) return true;
  return TIMES_FOLLOWS.test(after) || (/^(?:[.,;:!?)]|$)/.test(after) && /\p{Ll}\s$/u.test(before));
}

function verbalizeRuns(written: string): string {
  // A code rather than the name of a model: "ab9453"
  const code = /^([a-z]{1,3})(\d{4,20})$/.exec(written);
  if (code) return `${code[1]} ${spellDigits(code[2] ?? '')}`;
  const runs = written.match(RUNS) ?? [];
  return runs
    .map((run) => (/[-/]/.test(run) ? ' ' : verbalizeRun(run)))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function verbalizeRun(run: string): string {
  if (/^\d+['’]?s$/.test(run)) return pluralize(verbalizeDigitPairs(run.replace(/\D/g, '')));
  if (run.includes('.')) return verbalizeNumber(run);
  if (/^\d/.test(run)) return verbalizeDigitPairs(run);
  if (isPronouncedAsWord(run)) return run.toLowerCase();
  // "LCOc1", "IPv6"
  if (/^[A-Z]{2,4}[a-z]$/.test(run)) return spellLetters(run);
  if (/^\p{Lu}{1,3}$/u.test(run) || run.length === 1 || isMixedCaseInitialism(run))
    return nameGreekLetter(run) ?? spellLetters(run);
  // "210Pb", "Kh-101"
  if (/^(?!Mk|St)(?:Cs|[B-DF-HJ-NP-TV-Z][b-df-hj-np-rtv-z])$/.test(run)) return spellLetters(run);
  return verbalizeAcronym(run) ?? run;
}
