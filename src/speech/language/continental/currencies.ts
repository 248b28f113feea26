import { type Reader, reader } from '../reader.ts';
import { GAP, type Gender, NUMBER, RANGE_DASH } from './written-numbers.ts';

/** How a currency is called: one, many, and its hundredth. */
export interface Currency {
  readonly one: string;
  readonly many: string;
  readonly gender?: Gender;
  readonly cent?: readonly [one: string, many: string];
}

/** An amount of money as it is written. */
export interface Amount {
  readonly first: string;
  /** The other end of a range. */
  readonly last: string | undefined;
  /** "Mrd.", as written. */
  readonly magnitude: string | undefined;
  readonly currency: Currency;
}

/** Amounts with a sign, a code or a name before or behind them. @param say the words for one */
export function moneyReaders(
  currencies: Readonly<Record<string, Currency>>,
  magnitudes: readonly string[],
  say: (amount: Amount) => string,
): { digits: Reader[]; letters: Reader[]; signs: Reader[] } {
  const magnitude = alternatives(magnitudes);
  const names = Object.keys(currencies);
  const signs = names.filter((name) => !/^\p{L}+$/u.test(name));
  const codes = names.filter((name) => /^[A-Z]{2,3}$/.test(name));
  const currencyOf = (name: string) => currencies[name] ?? { one: name, many: name };
  const behind = reader(
    new RegExp(
      `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude}))?${GAP}(${alternatives(names)})(?![\\p{L}\\p{N}])`,
      'u',
    ),
    ([, first = '', last, found, name = '']) =>
      say({ first, last, magnitude: found, currency: currencyOf(name) }),
  );
  const inFront = (some: readonly string[]) =>
    reader(
      new RegExp(
        `(${alternatives(some)})${GAP}(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude})(?![\\p{L}\\p{N}]))?`,
        'u',
      ),
      ([, name = '', first = '', last, found]) =>
        say({ first, last, magnitude: found, currency: currencyOf(name) }),
    );
  return { digits: [behind], letters: [inFront([...codes, ...signs])], signs: [inFront(signs)] };
}

/** @returns a part of a pattern: any of these words, the longest first */
export function alternatives(words: readonly string[]): string {
  return [...words]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.$*+?^()[\]{}|\\]/g, '\\$&').replace(/ /g, '[ \\u00a0\\u202f]?'))
    .join('|');
}
