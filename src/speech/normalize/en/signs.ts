import { findTable, type MatchContext, type NormalizationRule, parseTable, rule, wordSet } from '../language.ts';
import { verbalizeDash } from '../shared/rule-based-language.ts';
import { createWebRules } from '../shared/serials.ts';
import { isKnownInitialism, spellLetters, verbalizeAcronym } from './acronyms.ts';
import { spellDigits, verbalizeCardinal, verbalizeDigitPairs } from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

export const webRules = createWebRules(
  {
    signs: parseTable(findTable(tables, 'signs of addresses')),
    topLevelDomains:
      'com org net gov edu mil int info io ai co tv me us uk eu ca au de fr es it nl ch at be se no fi dk pl ru ua jp cn kr in br mx za nz ie il ly gg fm to sm biz name news online app dev blog shop site store tech live media press world space museum example',
    pronouncedDomains:
      'com co org net gov mil int info news online app dev blog shop site store tech live media press world space biz name museum',
    endLabelCount: 2,
    verbalizeLabel: (label) => (isKnownInitialism(label) ? spellLetters(label) : undefined),
    verbalizeWord: (word) => (/^[b-df-hj-np-tv-xz]{2,5}$/i.test(word) ? spellLetters(word) : undefined),
  },
  { spellDigits },
);

/** "@name" and "#Topic". */
export const handleRules: readonly NormalizationRule[] = [
  rule(/@([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, name = ''], { text, at }) => {
    const isJoined = /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at));
    return `${isJoined ? ' ' : ''}at ${splitCamelCase(name)}`;
  }),
  rule(/@(?=[\p{N}])/u, () => 'at '),
  rule(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], { text, at }) =>
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))
      ? ` hash ${splitCamelCase(tag)}`
      : `hashtag ${splitCamelCase(tag)}`,
  ),
];

/** "BringBack_OurGirls2024" → "Bring Back Our Girls twenty twenty-four"; initials are spelled: "BBCWorld" → "B.B.C World". */
function splitCamelCase(tag: string): string {
  const runs =
    tag.match(
      /^\p{Lu}{2,4}(?=v\p{Lu}{2,4}$)|v(?=\p{Lu}{2,4}$)|\p{Lu}{2,5}(?=(?:news|sport|sports|world|politics|business|africa|breaking)$)|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}_]+|\d+|[^_]/gu,
    ) ?? [];
  return runs.map((run) => (/^\d/.test(run) ? verbalizeDigitPairs(run) : (verbalizeAcronym(run) ?? run))).join(' ');
}

const NAMES = parseTable(findTable(tables, 'sign names'));
const NAMED_SIGN = new RegExp(
  `[${Object.keys(NAMES)
    .map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
    .join('')}]`,
  'u',
);

const DAY_OR_MONTH = String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}|January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.)(?![\p{L}\p{N}])`;
const DAY_OR_MONTH_BEFORE =
  /\b(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|\p{Lu}[a-z]{2,5}day)\.?$/u;

const MONTH_AND_DAY_BEFORE =
  /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)\s\d{1,2}(?:,\s\d{4})?$/u;

const MONTH_BEFORE =
  /\d\s(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?$/;
const DAY_AND_MONTH_AFTER = /^\d{1,2}\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;

const EITHER = wordSet('he/she she/he his/her his/hers him/her himself/herself');
/** Of one person. */
const PRONOUNS = wordSet('she/her he/him they/them she/they he/they');

/** Single signs: the last rules for signs. */
export const signRules: readonly NormalizationRule[] = [
  rule(/\s?[-–]\s?(?=noon|midnight)/i, (_match, place) => (/(?:\d|m\.?)$/i.test(place.before) ? ' to ' : undefined)),
  rule(/\s?[-–]\s?(?=\d)/, (_match, place) => (/\b(?:noon|midnight)$/i.test(place.before) ? ' to ' : undefined)),
  rule(new RegExp(`\\s?[-–]\\s?(?=${DAY_OR_MONTH})`, 'u'), (_match, place) =>
    DAY_OR_MONTH_BEFORE.test(place.before) ? ' through ' : undefined,
  ),
  // "Aug. 30–Sept. 2"
  rule(new RegExp(`\\s?[-–]\\s?(?=${DAY_OR_MONTH})`, 'u'), (_match, place) =>
    MONTH_AND_DAY_BEFORE.test(place.before) ? ' to ' : undefined,
  ),
  rule(/\s{0,40}(?:[–—―]|--)(?:\s{0,4}(?:[–—―]|--)){0,40}\s{0,40}/, verbalizeDash),
  rule(/\s-{1,40}\s/, verbalizeDash),
  rule(/\s{0,20}\|\s{0,20}/, verbalizeDash),
  rule(/\s{1,40}[([](?!(?:\d{3}|0\d{1,4})\)\s?\d)(?=[\p{L}\p{N}$€£])/u, (_match, place) =>
    /[\p{L}\p{N}%°²³."”’]$/u.test(place.before) ? ', ' : undefined,
  ),
  rule(/\s{1,200}/, () => ' '),
  rule(
    /:([0-5]\d)(?=\s(?:left|remaining|to play))/,
    ([, seconds = '']) => `${verbalizeCardinal(seconds)} ${seconds === '01' ? 'second' : 'seconds'}`,
  ),
  rule(/§§\s?(?=\d)/, () => 'sections '),
  rule(/\+\s?\/\s?[-−–]\s?(?=[$€£]?\.?\d)/, () => 'plus or minus '),
  rule(/#\s?(?=\d)/, () => 'number '),
  rule(/#/, (_match, place) => (/\b[A-G]$/.test(place.before) ? ' sharp' : '')),
  // "15 million °C"
  rule(
    /°\s?([CFK])(?![\p{L}\p{N}])/u,
    ([, scale = '']) => `degrees ${{ C: 'Celsius', F: 'Fahrenheit', K: 'Kelvin' }[scale]}`,
  ),
  // "4 million-5 million", "28 Feb-1 Mar"
  rule(/\s?[-–]\s?(?=\d)/, (_match, place) =>
    /\d\s(?:thousand|million|billion|trillion)$/.test(place.before) ||
    (MONTH_BEFORE.test(place.before) && DAY_AND_MONTH_AFTER.test(place.after))
      ? ' to '
      : undefined,
  ),
  // "1.5°C-2°C"
  rule(/\s?[-–]\s?(?=\d{1,3}(?:\.\d)?\s?°)/, (_match, place) => (/°\s?[CF]$/.test(place.before) ? ' to ' : undefined)),
  rule(/-(?=['’]\d0s)/, (_match, place) => (/\d0s$/.test(place.before) ? ' to ' : undefined)),
  // An instrument of Reuters: "Apple <AAPL.O>"
  rule(/<(?=[A-Z\d.=^]{1,12}>)/, () => ''),
  rule(/>/, (_match, place) => (/<[A-Z\d.=^]{1,12}$/.test(place.before) ? '' : undefined)),
  // ".gov addresses"
  rule(/\.(?=(?:com|org|net|gov|edu|io|ai|uk|eu)(?![\p{L}\p{N}]))/u, (_match, place) =>
    /(?:^|[\s(])$/.test(place.before) ? 'dot ' : undefined,
  ),
  rule(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
  // "subsection (a)(ii)"
  rule(/\)\((?=[\p{L}\p{N}])/u, () => ' '),
  // Two numbers would become one word: "7-6(5)", "Article 6(1)".
  // "A(H5N1)"
  rule(/\((?=\p{Lu}\d)/u, (_match, place) => (/\p{Lu}$/u.test(place.before) ? ' ' : undefined)),
  rule(/[([]/, (_match, place) => (/\d$/.test(place.before) && /^\d/.test(place.after) ? ', ' : '')),
  rule(/[)\]]/, (_match, place) => (/^\s[\p{L}\p{N}]/u.test(place.after) ? ',' : '')),
  rule(/[-−–](?=\d{1,2}(?!\d))/, (_match, place) =>
    /\b(?:GMT|UTC|T\.C|M\.T)$/.test(place.before) ? ' minus ' : undefined,
  ),
  // "6\"-10\" of snow"
  rule(/["″”]\s?[-–]\s?(?=\d{1,3}(?:\.\d)?["″”])/, (_match, place) => (/\d$/.test(place.before) ? ' to ' : undefined)),
  rule(/-{1,40}/, (_match, place) =>
    /[\p{L}\p{N}.%]$/u.test(place.before) && /^(?:[\p{L}\p{N}]|['’‘]\d)/u.test(place.after)
      ? '-'
      : /\d["'″′”’]$/.test(place.before) && /^\d/.test(place.after)
        ? ' to '
        : '',
  ),
  rule(/['’]/, (_match, place) => (/^(?:tis|twas|em|til|cause|n)\b/i.test(place.after) ? "'" : '')),
  rule(/\^([-−–])?(?=\d)/, ([, minus], place) =>
    /[\d)]$/.test(place.before) ? ` to the power of ${minus ? 'minus ' : ''}` : undefined,
  ),
  rule(/\*(?=\d)/, (_match, place) => (/\d$/.test(place.before) ? ' times ' : undefined)),
  // "dial *67"
  rule(/\*(?=\d{2}(?!\d))/, (_match, place) =>
    /\b(?:dial|press|call|enter|code|or|and)\s$/i.test(place.before) ? 'star ' : undefined,
  ),
  // "unbeaten on 104*"
  rule(/\*(?![\p{L}\p{N}*])/u, (_match, place) =>
    /\b(?:unbeaten|made|scored|hit)\s(?:on\s|an?\s)?\d{1,3}$/i.test(place.before) ||
    /^\s(?:off|from)\s\d/.test(place.after) ||
    (/\p{Lu}\p{Ll}{1,15}\s\d{1,3}$/u.test(place.before) && /^(?:[.,;)]|\sand\s)/.test(place.after))
      ? ' not out'
      : undefined,
  ),
  // Black holes: "Sgr A*"
  rule(/\*/, (_match, place) => (/\b(?:Sgr\sA|M87)$/.test(place.before) ? ' star' : undefined)),
  rule(/[_*^]{1,40}/, (_match, place) =>
    /[\p{L}\p{N}]$/u.test(place.before) && /^[\p{L}\p{N}]/u.test(place.after) ? ' ' : '',
  ),
  // "17 kWh/100 km", "12 deaths/100,000"
  rule(/\/(?=100(?:,000)?(?:\s?(?:km|miles?|mi|people|residents|g|ml)(?!\p{L})|[.,;)\s]))/u, (_match, place) =>
    /\p{L}$/u.test(place.before) ? ' per ' : undefined,
  ),
  rule(/~(?=\$?\d)/, () => 'about '),
  // "cited >4,000 times", but "p >0.05"
  rule(/>(?=[$€£]?\d)/, (_match, place) => (/(?:^|\(|\p{L}{2}\s)$/u.test(place.before) ? 'more than ' : undefined)),
  // "on ½ acre"
  rule(
    /½\s(?=(acre|hour|inch|ounce)(?!\p{L})|(?:mile|cup|teaspoon|tablespoon|pound|point|percent|dozen|gallon|block|mile)(?!\p{L}))/u,
    ([, vowel], place) => (/\d\s?$/.test(place.before) ? undefined : `half ${vowel ? 'an' : 'a'} `),
  ),
  rule(/[½¼¾⅓⅔⅛⅜⅝⅞]/, ([sign], place) =>
    /\d\s?$/.test(place.before)
      ? ` and ${(NAMES[sign] ?? '').replace(/^one (e?)/, (_one, vowel: string) => (vowel ? 'an e' : 'a '))}`
      : undefined,
  ),
  // "9 p.m. ET/8 p.m. CT", "28 mpg city/36 highway", "£15/£12", "1080p/60fps": a pause
  rule(/\/(?=[$€£]?\d|[½¼¾⅓⅔]|[Gg]as\s|(?:noon|midnight)\s[ECMP]T)/, (_match, place) =>
    /\b(?:[ECMP][DS]?T|GMT|UTC|[ap]\.?m\.?|\p{Ll}{3,15})$|[$€£]\d[\d,.]{0,12}\p{L}{0,2}$|\d\s?°?\p{L}{1,4}\.?$|\d["”″]$/u.test(
      place.before,
    )
      ? ', '
      : undefined,
  ),
  // "BBB-/Baa3", "Dec. 31/Jan. 1"
  rule(/\/(?=(?:Aaa|Aa|Baa|Ba|Caa)\d?(?!\p{L})|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.)/u, () => ', '),
  // Comets: "67P/Churyumov-Gerasimenko"
  rule(/\/['’‘]?(?=\p{Lu}\p{Ll})/u, (_match, place) => (/\d[PI]$/.test(place.before) ? ' ' : undefined)),
  // "350°F/180°C"
  rule(/\/(?=[-−–]?\d{1,3}\s?(?:°|[CF](?!\p{L})))/u, (_match, place) =>
    /\d\s?°?\s?[CF]$|\d°$/.test(place.before) ? ', ' : undefined,
  ),
  rule(/\/(?=(she|hers|herself|her|he|him|they|them)(?!\p{L}))/iu, ([, second = ''], { before }) => {
    const pair = `${/\p{L}{2,7}$/u.exec(before)?.[0]}/${second}`.toLowerCase();
    return EITHER.has(pair) ? ' or ' : PRONOUNS.has(pair) ? ' ' : undefined;
  }),
  // "over/under", "the singer/songwriter", "he-said/she-said"
  rule(/\/(?=\p{Ll}{3})/u, (_match, place) =>
    /(?<![\p{L}\d./])\p{L}?\p{Ll}{2,20}(?:-\p{Ll}{1,12})?$/u.test(place.before) ? ' ' : undefined,
  ),
  // "the Ipsos/Reuters poll"
  rule(/\/(?=\p{Lu}\p{L}{1,15}\s(?:poll|survey|study|report|investigation)(?!\p{L}))/u, (_match, place) =>
    /\p{L}$/u.test(place.before) ? ' ' : undefined,
  ),
  // "Dallas/Ft. Worth", "Kyiv/Moscow", "US/China"
  rule(/\/(?=(?:Ft|St|Mt)\.\s|\p{Lu}\p{Ll})/u, (_match, place) =>
    /\p{Lu}(?:\p{Ll}{2,20}|\p{Lu}{1,5})$/u.test(place.before) ? ' ' : undefined,
  ),
  // "1. Price / For each unit": a pause
  rule(/\s\/\s(?=\p{L})/u, (_match, place) => (/[\p{L}.)]$/u.test(place.before) ? ', ' : undefined)),
  // "f/1.8"
  rule(/\/(?=\d)/, (_match, place) => (/(?:^|\s)f$/.test(place.before) ? ' ' : undefined)),
  // "AC/DC", "HIV/AIDS", "F/A-18"
  rule(/\/(?=\p{Lu}{2}|\p{Lu}-?\d|\p{Lu}s?(?!\p{L}))/u, (_match, place) =>
    /\p{Lu}{2}$|(?:^|[^\p{L}])\p{Lu}$|\p{Lu}\p{Ll}{2,20}$/u.test(place.before) ? ' ' : undefined,
  ),
  rule(NAMED_SIGN, ([sign], place) => addSpaces(NAMES[sign] ?? '', place)),
];

/** Separates a word from adjacent text. */
function addSpaces(word: string, place: MatchContext): string {
  const start = place.at > 0 && !/\s$/.test(place.before) ? ' ' : '';
  const end = /^(?:[\p{L}\p{N}$€£¥]|\.\d)/u.test(place.after) ? ' ' : '';
  return start + word + end;
}
