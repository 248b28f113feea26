import { before, type Reader, reader } from '../reader.ts';
import { spell } from './initials.ts';

/** What the signs of an address are called. */
export interface AddressSpeech {
  readonly dot: string;
  readonly slash: string;
  readonly hyphen: string;
  readonly underscore: string;
  readonly at: string;
  readonly hashtag: string;
  digits(written: string): string;
  number(digits: string): string;
}

/** Endings that are said as words; others of up to three letters are spelled. */
const SAID = new Set('com org net info news online app dev blog shop biz name eu'.split(' '));
SAID.delete('eu');
const TOP_LEVEL =
  '(?:com|org|net|gov|edu|info|io|ai|co|tv|me|us|uk|eu|de|at|ch|li|fr|be|lu|ca|es|mx|ar|cl|pe|cat|it|nl|pl|ru|news|online|app|dev|blog|shop|biz|name)';
const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’«»()]{0,200})?`;
const NO_MORE = String.raw`(?![\p{L}\p{N}@])`;

/** E-mail and web addresses. "https://" and what follows a question mark are for machines and stay silent. */
export function webReaders(speech: AddressSpeech): Reader[] {
  const signs: Readonly<Record<string, string>> = {
    '.': speech.dot,
    '/': speech.slash,
    '-': speech.hyphen,
    _: speech.underscore,
    '@': speech.at,
  };
  const sayPart = (part: string) =>
    (part.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [])
      .map((run) => (/^\d/.test(run) ? speech.digits(run) : (signs[run] ?? run)))
      .join(' ');
  const sayHost = (host: string) =>
    host
      .toLowerCase()
      .replace(/^www\./, '')
      .split('.')
      .map((label, index, all) =>
        index > 0 && index === all.length - 1 && label.length <= 3 && !SAID.has(label)
          ? spell(label)
          : sayPart(label),
      )
      .join(` ${speech.dot} `);
  const sayAddress = (written: string, host: string, path: string | undefined) => {
    const shown = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
    const stop = /[.,;:!?]$/.exec(written)?.[0] ?? '';
    return sayHost(host) + (shown ? ` ${sayPart(shown)}` : '') + stop;
  };
  return [
    reader(
      new RegExp(`([a-z\\d][a-z\\d._&+%-]{0,63})@(${HOST}[a-z]{2,12})${NO_MORE}`, 'iu'),
      ([, user = '', host = '']) => `${sayPart(user)} ${speech.at} ${sayHost(host)}`,
    ),
    reader(
      new RegExp(`https?:\\/\\/(${HOST}[a-z]{2,12}|localhost)(?::\\d{1,5})?${PATH}`, 'iu'),
      ([written, host = '', path]) => sayAddress(written, host, path),
    ),
    reader(
      new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${NO_MORE}`, 'iu'),
      ([written, host = '', path]) => sayAddress(written, host, path),
    ),
    reader(
      new RegExp(`(${HOST}${TOP_LEVEL})(?!\\.[\\p{L}\\p{N}])${NO_MORE}${PATH}`, 'iu'),
      ([written, host = '', path]) =>
        // "d.h.es" is no host, neither are initials.
        /^(?:[a-z]\.)+/i.test(written) && !path ? undefined : sayAddress(written, host, path),
    ),
  ];
}

/** "@name" and "#Topic". */
export function handleReaders(speech: AddressSpeech): Reader[] {
  return [
    reader(/@(?=[\p{L}\p{N}_])/u, () => `${speech.at} `),
    reader(/[#＃]([\p{L}_][\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], place) => {
      const joint = /[\p{L}\p{N}]$/u.test(before(place)) ? ' ' : '';
      return `${joint}${speech.hashtag} ${splitCamel(tag, speech)}`;
    }),
  ];
}

function splitCamel(tag: string, { number }: AddressSpeech): string {
  return tag
    .replace(/_/g, ' ')
    .replace(/\p{Ll}(?=\p{Lu})|\p{L}(?=\d)/gu, '$& ')
    .replace(/\d+/g, number)
    .trim();
}
