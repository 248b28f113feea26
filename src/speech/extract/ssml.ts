import { verbalizeFormula } from './formula.ts';

/**
 * A subset of the Speech Synthesis Markup Language (W3C, version 1.1) in the content of sites that allow it: `break`, `phoneme`
 * (IPA), `say-as`, `sub`, `prosody rate`, `s`; `p` and `lang` are read as in HTML. Other elements and values have no effect.
 */
export const ssmlAttributes = ['alias', 'ph', 'alphabet', 'interpret-as', 'format', 'time', 'strength', 'rate'];

/** Pronunciation of the text of an element. */
export type SayAs =
  | { readonly alias: string }
  | { readonly interpretAs: string; readonly format: string }
  /** A `math` element. */
  | { readonly formula: string };

/** Offsets are UTF-16 units in the text of the block, `end` exclusive. */
export type SpeechMark =
  | { readonly kind: 'say'; readonly start: number; readonly end: number; readonly as: SayAs }
  | { readonly kind: 'rate'; readonly start: number; readonly end: number; readonly rate: number }
  /** A pause, which also ends the segment. */
  | { readonly kind: 'pause'; readonly start: number; readonly pauseMs: number }
  /** The end of a sentence. */
  | { readonly kind: 'sentence'; readonly start: number };

/** What ends a run of speech. */
export type SpeechCut = { readonly kind: 'pause'; readonly pauseMs: number } | { readonly kind: 'sentence' };

/** A start tag, in lower case. */
interface SsmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Effect of an element. */
export type SsmlEffect =
  | { readonly kind: 'say'; readonly as: SayAs }
  | { readonly kind: 'rate'; readonly rate: number }
  | SpeechCut;

const maxPauseMs = 10_000;
/** In an article: a short text must not make an MP3 of gigabytes. */
export const maxTotalPauseMs = 20 * 60 * 1_000;
const maxAliasUnits = 200;
const strengthsMs: Readonly<Record<string, number>> = {
  'x-weak': 100,
  weak: 200,
  medium: 400,
  strong: 700,
  'x-strong': 1_200,
};
const rates: Readonly<Record<string, number>> = {
  'x-slow': 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.25,
  'x-fast': 1.5,
};
const rateLimits = { min: 0.5, max: 2 };

/** @returns undefined for an element or a value that has no effect */
export function readSsml({ name, attributes }: SsmlElement): SsmlEffect | undefined {
  const attribute = (key: string) => attributes.get(key)?.trim() ?? '';
  switch (name) {
    case 'break': {
      const pauseMs = parseTime(attribute('time')) ?? strengthsMs[attribute('strength') || 'medium'];
      return pauseMs === undefined ? undefined : { kind: 'pause', pauseMs: Math.min(pauseMs, maxPauseMs) };
    }
    case 'phoneme': {
      const isIpa = ['', 'ipa'].includes(attribute('alphabet').toLowerCase());
      const phonemes = attribute('ph').replace(/[[\]]/g, '').slice(0, maxAliasUnits);
      return isIpa && phonemes !== '' ? { kind: 'say', as: { alias: `[[${phonemes}]]` } } : undefined;
    }
    case 'sub': {
      const alias = attribute('alias').replaceAll('[[', '').slice(0, maxAliasUnits).toWellFormed();
      return alias === '' ? undefined : { kind: 'say', as: { alias } };
    }
    case 'say-as': {
      const interpretAs = attribute('interpret-as').toLowerCase();
      return interpretAs === ''
        ? undefined
        : { kind: 'say', as: { interpretAs, format: attribute('format').toLowerCase() } };
    }
    case 'prosody': {
      const rate = parseRate(attribute('rate'));
      return rate === undefined ? undefined : { kind: 'rate', rate };
    }
    case 's':
      return { kind: 'sentence' };
    default:
      return undefined;
  }
}

/** Values with an effect, where the attribute is given. */
const isValid: Readonly<Record<string, Readonly<Record<string, (value: string) => boolean>>>> = {
  break: {
    time: (value) => parseTime(value) !== undefined,
    strength: (value) => value === 'none' || Object.hasOwn(strengthsMs, value),
  },
  phoneme: { alphabet: (value) => value.toLowerCase() === 'ipa', ph: (value) => value !== '' },
  prosody: { rate: (value) => parseRate(value) !== undefined },
  'say-as': { 'interpret-as': (value) => verbalizers.has(value.toLowerCase()) },
  sub: { alias: (value) => value !== '' },
};
const maxListedUnits = 40;
const SSML_TAG = /<(break|phoneme|prosody|say-as|sub)\s([^<>]{1,500})>/gi;
const ATTRIBUTE = /(?<![\w-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** @returns attributes whose values have no effect, such as `<break time="soon">`, each once */
export function listInvalidSsml(source: string, limit: number): string[] {
  const invalid = new Set<string>();
  for (const [, name = '', written = ''] of source.matchAll(SSML_TAG)) {
    const element = name.toLowerCase();
    for (const [, key = '', ...values] of written.matchAll(ATTRIBUTE)) {
      const attribute = key.toLowerCase();
      const value = values.find((candidate) => candidate !== undefined)?.trim() ?? '';
      if (isValid[element]?.[attribute]?.(value) ?? true) continue;
      invalid.add(`<${element} ${attribute}="${value.slice(0, maxListedUnits).toWellFormed()}">`);
      if (invalid.size === limit) return [...invalid];
    }
  }
  return [...invalid];
}

/** "500ms", "1.5s" */
function parseTime(time: string): number | undefined {
  const [, amount, unit] = /^\+?(\d{1,6}(?:\.\d{1,3})?)(ms|s)$/.exec(time) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (unit === 's' ? 1_000 : 1));
}

/** "slow", "120%", "1.2" */
function parseRate(written: string): number | undefined {
  const [, amount, percent] = /^(\d{1,4}(?:\.\d{1,3})?)(%?)$/.exec(written) ?? [];
  const rate = amount === undefined ? rates[written] : Number(amount) / (percent === '%' ? 100 : 1);
  return rate === undefined ? undefined : Math.min(rateLimits.max, Math.max(rateLimits.min, rate));
}

/** By language, what makes digits an ordinal. */
const ordinalSuffixes: Readonly<Record<string, string>> = {
  de: '.',
  fr: 'e',
  es: '.º',
  it: 'º',
  pt: 'º',
  nl: 'e',
  pl: '.',
};

/** By `interpret-as`. @returns undefined where the text is not of that kind */
type Verbalizer = (text: string, language: string, format: string) => string | undefined;

const verbalizers: ReadonlyMap<string, Verbalizer> = new Map<string, Verbalizer>([
  ...['characters', 'spell-out', 'verbatim'].map((name) => [name, spellOut] as const),
  ...['digits', 'telephone'].map((name) => [name, separateDigits] as const),
  ...['cardinal', 'number'].map((name) => [name, groupDigits] as const),
  ['ordinal', toOrdinal],
  ['date', toIsoDate],
]);

/**
 * @param text of the element
 * @param language BCP 47 primary code
 * @returns words that are read as requested; the unchanged text for an unknown value
 */
export function verbalizeAs(text: string, as: SayAs, language: string): string {
  if ('alias' in as) return as.alias;
  if ('formula' in as) return verbalizeFormula(as.formula, language, writeOrdinal) ?? text;
  return verbalizers.get(as.interpretAs)?.(text, language, as.format) ?? text;
}

function spellOut(text: string): string {
  return (text.match(/\p{L}+|\p{N}|[^\s\p{L}\p{N}]/gu) ?? [])
    .map((run) => (/^\p{L}/u.test(run) ? [...run.toUpperCase()].join('.') : run))
    .join(' ');
}

function separateDigits(text: string): string {
  return (text.match(/\d+/g) ?? [text]).map((group) => [...group].join(' ')).join(', ');
}

/** Without separators "2012" could be a year. */
function groupDigits(text: string, language: string): string | undefined {
  const digits = text.trim();
  if (!/^\d{1,15}$/.test(digits)) return undefined;
  return new Intl.NumberFormat(language, { useGrouping: 'always' }).format(Number(digits));
}

function toOrdinal(text: string, language: string): string | undefined {
  const digits = text.replace(/\D/g, '');
  return /^\d{1,4}$/.test(digits) ? writeOrdinal(Number(digits), language) : undefined;
}

function writeOrdinal(value: number, language: string): string {
  if (language !== 'en') return `${value}${ordinalSuffixes[language] ?? ''}`;
  const isTeen = value % 100 >= 11 && value % 100 <= 13;
  return `${value}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`;
}

/** @param format order of year, month and day, such as "dmy" */
function toIsoDate(text: string, _language: string, format: string): string | undefined {
  const numbers = text.match(/\d{1,4}/g) ?? [];
  const order = /^[ymd]{3}$/.test(format) ? format : 'ymd';
  if (numbers.length !== 3) return undefined;
  const find = (part: string, length: number) => numbers[order.indexOf(part)]?.padStart(length, '0');
  const [year, month, day] = [find('y', 4), find('m', 2), find('d', 2)];
  return year !== undefined && month !== undefined && day !== undefined ? `${year}-${month}-${day}` : undefined;
}
