import { type Reader, reader } from '../reader.ts';
import { areKnownInitials, sayAlone, spell } from './acronyms.ts';
import { cardinal } from './cardinals.ts';
import { pairs } from './years.ts';

/** Top-level domains that are said as words; others are spelled. */
const SAID = new Set(
  'com co org net gov mil int info news online app dev blog shop site store tech live media press world space biz name museum'.split(
    ' ',
  ),
);
const TOP_LEVEL = `(?:com|org|net|gov|edu|mil|int|info|io|ai|co|tv|me|us|uk|eu|ca|au|de|fr|es|it|nl|ch|at|be|se|no|fi|dk|pl|ru|ua|jp|cn|kr|in|br|mx|za|nz|ie|il|ly|gg|fm|to|sm|biz|name|news|online|app|dev|blog|shop|site|store|tech|live|media|press|world|space|museum)`;
const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’()]{0,200})?`;
const NO_MORE = String.raw`(?![\p{L}\p{N}@])`;

const SIGNS: Readonly<Record<string, string>> = {
  '.': 'dot',
  '/': 'slash',
  '-': 'dash',
  _: 'underscore',
  '&': 'ampersand',
  '~': 'tilde',
  '+': 'plus',
  '=': 'equals',
  '%': 'percent',
  '@': 'at',
  ':': 'colon',
};

/** E-mail and web addresses. "https://" and what follows a question mark are for machines and stay silent. */
export const webReaders: readonly Reader[] = [
  reader(
    new RegExp(
      `([a-z\\d](?:[a-z\\d._&+%-]{0,63}))@((?:${LABEL}\\.){1,6}[a-z]{2,12})${PATH}${NO_MORE}`,
      'iu',
    ),
    ([written, user = '', host = '', path]) =>
      withStop(written, `${sayAddress(user)} at ${sayHost(host)}${sayPath(path)}`),
  ),
  reader(/file:\/\/(\/?[^\s<>"'“”‘’()]{1,200})/iu, ([written]) =>
    withStop(written, sayAddress(written.replace(/[.,;:!?]+$/, ''))),
  ),
  reader(
    new RegExp(
      `(?:https?|ftps?):\\/\\/(${HOST}[a-z]{2,12}|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?${PATH}`,
      'iu',
    ),
    ([written, host = '', path]) => withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
  reader(
    new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${NO_MORE}`, 'iu'),
    ([written, host = '', path]) => withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
  reader(
    new RegExp(`(${HOST}${TOP_LEVEL})(?!\\.[\\p{L}\\p{N}])${NO_MORE}${PATH}`, 'iu'),
    ([written, host = '', path]) =>
      // "U.S." and "e.g.in" are no hosts; neither are initials, "J.K.Rowling".
      /^(?:[a-z]\.)+/i.test(written) && !path
        ? undefined
        : withStop(written, `${sayHost(host)}${sayPath(path)}`),
  ),
];

/** "@name" and "#Topic". */
export const handleReaders: readonly Reader[] = [
  reader(/@([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, name = ''], { text, at }) => {
    const isJoined = /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at));
    return `${isJoined ? ' ' : ''}at ${splitCamel(name)}`;
  }),
  reader(/@(?=[\p{N}])/u, () => 'at '),
  reader(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], { text, at }) =>
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))
      ? ` hash ${splitCamel(tag)}`
      : `hashtag ${splitCamel(tag)}`,
  ),
];

/** Trailing punctuation of a sentence is not part of an address, though its pattern allows it. */
function withStop(written: string, spoken: string): string {
  return spoken + (/[.,;:!?]$/.exec(written)?.[0] ?? '');
}

function sayHost(host: string): string {
  const labels = host
    .toLowerCase()
    .replace(/^www\./, '')
    .split('.');
  return labels
    .map((label, index) =>
      index > 0 && index >= labels.length - 2 ? sayEnding(label) : sayLabel(label),
    )
    .join(' dot ');
}

function sayEnding(label: string): string {
  if (SAID.has(label) || label.length > 3 || !/^[a-z]+$/.test(label)) return sayAddress(label);
  return [...label.toUpperCase()].join('.');
}

/** A name that is the initials of its owner, "fbi", or else the words it has. */
function sayLabel(label: string): string {
  return areKnownInitials(label) ? spell(label) : sayAddress(label);
}

function sayPath(path: string | undefined): string {
  const shown = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
  return shown ? ` ${sayAddress(shown)}` : '';
}

/** Words, digits one by one, and the names of the signs between them. */
function sayAddress(part: string): string {
  const runs = part.match(/\p{L}+|\d|[^\p{L}\d]/gu) ?? [];
  return runs.map(sayRun).join(' ');
}

function sayRun(run: string): string {
  if (/^\d$/.test(run)) return cardinal(run);
  if (/^[b-df-hj-np-tv-xz]{2,5}$/i.test(run)) return spell(run);
  return SIGNS[run] ?? run;
}

/** "BringBack_OurGirls2024" → "Bring Back Our Girls twenty twenty-four"; initials are spelled: "BBCWorld" → "B.B.C World". */
function splitCamel(tag: string): string {
  const runs = tag.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}_]+|\d+|[^_]/gu) ?? [];
  return runs.map((run) => (/^\d/.test(run) ? pairs(run) : (sayAlone(run) ?? run))).join(' ');
}
