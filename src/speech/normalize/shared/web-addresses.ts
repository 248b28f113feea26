import { type NormalizationRule, rule } from '../language.ts';
import { spellLetters } from './abbreviations.ts';
import type { NumberVerbalizer } from './numbers.ts';

const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’«»()]{0,200})?`;
const WORD_END = String.raw`(?![\p{L}\p{N}@])`;

/** What a language adds to e-mail addresses and URLs. */
export interface WebWords {
  /** Names of the signs in a URL. */
  readonly signs: Readonly<Record<string, string>>;
  /** Top-level domains of hosts without a scheme. */
  readonly topLevelDomains: string;
  /** Pronounced ends of a host; others of up to three letters are spelled. */
  readonly pronouncedDomains: string;
  /** How many labels count as the end of a host. */
  readonly endLabelCount: 1 | 2;
  /** @returns the spoken form of an irregular label or word */
  readonly verbalizeLabel?: (label: string) => string | undefined;
  readonly verbalizeWord?: (word: string) => string | undefined;
}

/** E-mail addresses and URLs. The scheme and the query are silent. */
export function createWebRules(
  words: WebWords,
  { spellDigits }: Pick<NumberVerbalizer, 'spellDigits'>,
): NormalizationRule[] {
  const { signs, endLabelCount, verbalizeLabel, verbalizeWord } = words;
  const pronounced = new Set(words.pronouncedDomains.split(' '));
  const verbalizePart = (part: string) =>
    (part.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [])
      .map((run) => (/^\d/.test(run) ? spellDigits(run) : (verbalizeWord?.(run) ?? signs[run] ?? run)))
      .join(' ');
  const isSpelled = (label: string) => /^[a-z]{1,3}$/.test(label) && !pronounced.has(label);
  const verbalizeHost = (host: string) =>
    host
      .toLowerCase()
      .replace(/^www\./, '')
      .split('.')
      .map((label, index, all) => {
        const isEnd = index > 0 && index >= all.length - endLabelCount;
        if (isEnd) return isSpelled(label) ? spellLetters(label) : verbalizePart(label);
        return verbalizeLabel?.(label) ?? verbalizePart(label);
      })
      .join(` ${signs['.']} `);
  // Trailing punctuation belongs to the sentence, though the pattern of a URL allows it.
  const addStop = (written: string, spoken: string) => spoken + (/[.,;:!?]$/.exec(written)?.[0] ?? '');
  const verbalizeUrl = (written: string, host: string, path: string | undefined) => {
    const visiblePath = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
    return addStop(written, verbalizeHost(host) + (visiblePath ? ` ${verbalizePart(visiblePath)}` : ''));
  };
  const domain = `(?:${words.topLevelDomains.replaceAll(' ', '|')})`;
  return [
    rule(
      new RegExp(`([a-z\\d][a-z\\d._&+%-]{0,63})@(${HOST}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'),
      ([written, user = '', host = '', path]) =>
        `${verbalizePart(user)} ${signs['@']} ${verbalizeUrl(written, host, path)}`,
    ),
    // "doi:10.1038/s41586-024-07123-4"
    rule(/doi(?::[ \u00a0]?|[ \u00a0])(10\.\d{4,9}\/[^\s<>"'“”‘’«»()]{1,100})/iu, ([written, name = '']) =>
      addStop(written, `${spellLetters('doi')} ${verbalizePart(name.replace(/[.,;:!?]+$/, ''))}`),
    ),
    rule(/file:\/\/(\/?[^\s<>"'“”‘’«»()]{1,200})/iu, ([written]) =>
      addStop(written, verbalizePart(written.replace(/[.,;:!?]+$/, ''))),
    ),
    rule(
      new RegExp(
        `(?:https?|ftps?):\\/\\/(${HOST}[a-z]{2,12}|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?${PATH}`,
        'iu',
      ),
      ([written, host = '', path]) => verbalizeUrl(written, host, path),
    ),
    rule(new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'), ([written, host = '', path]) =>
      verbalizeUrl(written, host, path),
    ),
    rule(new RegExp(`(${HOST}${domain})(?!\\.[\\p{L}\\p{N}])${WORD_END}${PATH}`, 'iu'), ([written, host = '', path]) =>
      // Not a host: "U.S." and initials; but "X.com".
      /^(?:[a-z]\.)+(?!(?:com|org|net|gov|edu|ai|io)$)/i.test(host) && !path
        ? undefined
        : verbalizeUrl(written, host, path),
    ),
  ];
}
