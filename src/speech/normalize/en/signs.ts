import { type MatchContext, type NormalizationRule, parseTable, rule } from '../language.ts';
import { verbalizeDash } from '../shared/rule-based-language.ts';
import { isKnownInitialism, spellLetters, verbalizeAcronym } from './acronyms.ts';
import { verbalizeCardinal, verbalizeDigitPairs } from './cardinals.ts';

/** Pronounced top-level domains; others are spelled. */
const PRONOUNCED_DOMAINS = new Set(
  'com co org net gov mil int info news online app dev blog shop site store tech live media press world space biz name museum'.split(
    ' ',
  ),
);
const TOP_LEVEL = `(?:com|org|net|gov|edu|mil|int|info|io|ai|co|tv|me|us|uk|eu|ca|au|de|fr|es|it|nl|ch|at|be|se|no|fi|dk|pl|ru|ua|jp|cn|kr|in|br|mx|za|nz|ie|il|ly|gg|fm|to|sm|biz|name|news|online|app|dev|blog|shop|site|store|tech|live|media|press|world|space|museum)`;
const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’()]{0,200})?`;
const WORD_END = String.raw`(?![\p{L}\p{N}@])`;

const SIGNS = parseTable(`
  . = dot; / = slash; - = dash; _ = underscore; & = ampersand; ~ = tilde; + = plus; = = equals; % = percent; @ = at;
  : = colon
`);

/** E-mail addresses and URLs. The scheme and the query are silent. */
export const webRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`([a-z\\d](?:[a-z\\d._&+%-]{0,63}))@((?:${LABEL}\\.){1,6}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'),
    ([written, user = '', host = '', path]) =>
      addStop(written, `${verbalizeAddress(user)} at ${verbalizeHost(host)}${verbalizePath(path)}`),
  ),
  rule(/file:\/\/(\/?[^\s<>"'“”‘’()]{1,200})/iu, ([written]) =>
    addStop(written, verbalizeAddress(written.replace(/[.,;:!?]+$/, ''))),
  ),
  rule(
    new RegExp(
      `(?:https?|ftps?):\\/\\/(${HOST}[a-z]{2,12}|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?${PATH}`,
      'iu',
    ),
    ([written, host = '', path]) => addStop(written, `${verbalizeHost(host)}${verbalizePath(path)}`),
  ),
  rule(new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'), ([written, host = '', path]) =>
    addStop(written, `${verbalizeHost(host)}${verbalizePath(path)}`),
  ),
  rule(
    new RegExp(`(${HOST}${TOP_LEVEL})(?!\\.[\\p{L}\\p{N}])${WORD_END}${PATH}`, 'iu'),
    ([written, host = '', path]) =>
      // "U.S." and "e.g.in" are no hosts; neither are initials, "J.K.Rowling".
      /^(?:[a-z]\.)+/i.test(written) && !path
        ? undefined
        : addStop(written, `${verbalizeHost(host)}${verbalizePath(path)}`),
  ),
];

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

/** Trailing punctuation belongs to the sentence, though the pattern of a URL allows it. */
function addStop(written: string, spoken: string): string {
  return spoken + (/[.,;:!?]$/.exec(written)?.[0] ?? '');
}

function verbalizeHost(host: string): string {
  const labels = host
    .toLowerCase()
    .replace(/^www\./, '')
    .split('.');
  return labels
    .map((label, index) =>
      index > 0 && index >= labels.length - 2 ? verbalizeDomainEnding(label) : verbalizeLabel(label),
    )
    .join(' dot ');
}

function verbalizeDomainEnding(label: string): string {
  if (PRONOUNCED_DOMAINS.has(label) || label.length > 3 || !/^[a-z]+$/.test(label)) return verbalizeAddress(label);
  return [...label.toUpperCase()].join('.');
}

/** An initialism, "fbi", or words. */
function verbalizeLabel(label: string): string {
  return isKnownInitialism(label) ? spellLetters(label) : verbalizeAddress(label);
}

function verbalizePath(path: string | undefined): string {
  const visiblePath = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
  return visiblePath ? ` ${verbalizeAddress(visiblePath)}` : '';
}

/** Words, digits one by one, and the names of the signs between them. */
function verbalizeAddress(part: string): string {
  const runs = part.match(/\p{L}+|\d|[^\p{L}\d]/gu) ?? [];
  return runs.map(verbalizeRun).join(' ');
}

function verbalizeRun(run: string): string {
  if (/^\d$/.test(run)) return verbalizeCardinal(run);
  if (/^[b-df-hj-np-tv-xz]{2,5}$/i.test(run)) return spellLetters(run);
  return SIGNS[run] ?? run;
}

/** "BringBack_OurGirls2024" → "Bring Back Our Girls twenty twenty-four"; initials are spelled: "BBCWorld" → "B.B.C World". */
function splitCamelCase(tag: string): string {
  const runs = tag.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}_]+|\d+|[^_]/gu) ?? [];
  return runs.map((run) => (/^\d/.test(run) ? verbalizeDigitPairs(run) : (verbalizeAcronym(run) ?? run))).join(' ');
}

const NAMES = parseTable(`
  & = and; + = plus; = = equals; @ = at; % = percent; ‰ = per mille; $ = dollar; € = euro; £ = pound; ¥ = yen;
  ¢ = cent; ° = degrees; § = section; ¶ = paragraph; × = times; ÷ = divided by; ± = plus or minus; ≈ = about;
  ≤ = at most; ≥ = at least; ≠ = is not; < = less than; > = greater than; → = to; ⁄ = slash; № = number; / = slash;
  \\ = backslash; ½ = one half; ⅓ = one third; ⅔ = two thirds; ¼ = one quarter; ¾ = three quarters; ⅛ = one eighth;
  ⅜ = three eighths; ⅝ = five eighths; ⅞ = seven eighths
`);
const NAMED_SIGN = new RegExp(
  `[${Object.keys(NAMES)
    .map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
    .join('')}]`,
  'u',
);

const DAY_OR_MONTH = String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}|January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.)(?![\p{L}\p{N}])`;
const DAY_OR_MONTH_BEFORE =
  /\b(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|\p{Lu}[a-z]{2,5}day)\.?$/u;

/** Single signs: the last rules for signs. */
export const signRules: readonly NormalizationRule[] = [
  rule(/\s?[-–]\s?(?=noon|midnight)/i, (_match, place) => (/(?:\d|m\.?)$/i.test(place.before) ? ' to ' : undefined)),
  rule(/\s?[-–]\s?(?=\d)/, (_match, place) => (/\b(?:noon|midnight)$/i.test(place.before) ? ' to ' : undefined)),
  rule(new RegExp(`\\s?[-–]\\s?(?=${DAY_OR_MONTH})`, 'u'), (_match, place) =>
    DAY_OR_MONTH_BEFORE.test(place.before) ? ' through ' : undefined,
  ),
  rule(/\s{0,40}(?:[–—―]|--)(?:\s{0,4}(?:[–—―]|--)){0,40}\s{0,40}/, verbalizeDash),
  rule(/\s-{1,40}\s/, verbalizeDash),
  rule(/\s{0,20}\|\s{0,20}/, verbalizeDash),
  rule(/\s{1,40}[([](?!\d{3}\)\s?\d)(?=[\p{L}\p{N}$€£])/u, (_match, place) =>
    /[\p{L}\p{N}%°²³."”’]$/u.test(place.before) ? ', ' : undefined,
  ),
  rule(/\s{1,200}/, () => ' '),
  rule(
    /:([0-5]\d)(?=\s(?:left|remaining|to play))/,
    ([, seconds = '']) => `${verbalizeCardinal(seconds)} ${seconds === '01' ? 'second' : 'seconds'}`,
  ),
  rule(/#\s?(?=\d)/, () => 'number '),
  rule(/#/, (_match, place) => (/\bC$/.test(place.before) ? ' sharp' : '')),
  rule(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
  // Two numbers would become one word: "7-6(5)", "Article 6(1)".
  rule(/[([]/, (_match, place) => (/\d$/.test(place.before) && /^\d/.test(place.after) ? ', ' : '')),
  rule(/[)\]]/, (_match, place) => (/^\s[\p{L}\p{N}]/u.test(place.after) ? ',' : '')),
  rule(/-{1,40}/, (_match, place) =>
    /[\p{L}\p{N}.]$/u.test(place.before) && /^(?:[\p{L}\p{N}]|['’‘]\d)/u.test(place.after) ? '-' : '',
  ),
  rule(/['’]/, (_match, place) => (/^(?:tis|twas|em|til|cause|n)\b/i.test(place.after) ? "'" : '')),
  rule(/\^(?=\d)/, (_match, place) => (/\d$/.test(place.before) ? ' to the power of ' : undefined)),
  rule(/\*(?=\d)/, (_match, place) => (/\d$/.test(place.before) ? ' times ' : undefined)),
  rule(/[_*^]{1,40}/, (_match, place) =>
    /[\p{L}\p{N}]$/u.test(place.before) && /^[\p{L}\p{N}]/u.test(place.after) ? ' ' : '',
  ),
  rule(/~(?=\$?\d)/, () => 'about '),
  rule(/[½¼¾⅓⅔⅛⅜⅝⅞]/, ([sign], place) =>
    /\d\s?$/.test(place.before) ? ` and ${(NAMES[sign] ?? '').replace(/^one /, 'a ')}` : undefined,
  ),
  // "9 p.m. ET/8 p.m. CT"
  rule(/\/(?=\d)/, (_match, place) => (/\b(?:[ECMP][DS]?T|GMT|UTC)$/.test(place.before) ? ', ' : undefined)),
  // "AC/DC", "HIV/AIDS", "F/A-18"
  rule(/\/(?=\p{Lu}{2}|\p{Lu}-?\d)/u, (_match, place) =>
    /\p{Lu}{2}$|(?:^|[^\p{L}])\p{Lu}$/u.test(place.before) ? ' ' : undefined,
  ),
  rule(NAMED_SIGN, ([sign], place) => addSpaces(NAMES[sign] ?? '', place)),
];

/** Separates a word from adjacent text. */
function addSpaces(word: string, place: MatchContext): string {
  const start = place.at > 0 && !/\s$/.test(place.before) ? ' ' : '';
  const end = /^(?:[\p{L}\p{N}$€£¥]|\.\d)/u.test(place.after) ? ' ' : '';
  return start + word + end;
}
