import { type Reader, reader } from '../reader.ts';
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
      `([a-z\\d](?:[a-z\\d._&+%-]{0,63}))@((?:${LABEL}\\.){1,6}[a-z]{2,12})${NO_MORE}`,
      'iu',
    ),
    ([, user = '', host = '']) => `${sayAddress(user)} at ${sayHost(host)}`,
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
  reader(/@(?=[\p{L}\p{N}_])/u, () => 'at '),
  reader(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], { text, at }) =>
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))
      ? ` hash ${tag}`
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
      index > 0 && index >= labels.length - 2 ? sayEnding(label) : sayAddress(label),
    )
    .join(' dot ');
}

function sayEnding(label: string): string {
  if (SAID.has(label) || label.length > 3 || !/^[a-z]+$/.test(label)) return sayAddress(label);
  return [...label.toUpperCase()].join('.');
}

function sayPath(path: string | undefined): string {
  const shown = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
  return shown ? ` ${sayAddress(shown)}` : '';
}

/** Words, digits one by one, and the names of the signs between them. */
function sayAddress(part: string): string {
  const runs = part.match(/\p{L}+|\d|[^\p{L}\d]/gu) ?? [];
  return runs.map((run) => (/^\d$/.test(run) ? cardinal(run) : (SIGNS[run] ?? run))).join(' ');
}

function splitCamel(tag: string): string {
  return tag
    .replace(/_/g, ' ')
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{L})(?=\d)/gu, '$& ')
    .replace(/\d+/g, pairs)
    .trim();
}
