import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { GAP, type Gender, NUMBER, type NumberVerbalizer, RANGE_DASH, verbalizeRange } from './numbers.ts';

/** How a currency is called: one, many, and its hundredth. */
export interface Currency {
  readonly one: string;
  readonly many: string;
  readonly gender?: Gender;
  readonly cent?: readonly [one: string, many: string];
}

export interface Amount {
  readonly first: string;
  readonly last: string | undefined;
  /** "Mrd.", as written. */
  readonly magnitude: string | undefined;
  readonly currency: Currency;
}

/** Rules for amounts of money, by what they begin with. */
export type MoneyRules = Readonly<Record<'digits' | 'letters' | 'signs', readonly NormalizationRule[]>>;

/** Amounts with a sign, a code or a name before or behind them. @param say the words for one */
export function createMoneyRules(
  currencies: Readonly<Record<string, Currency>>,
  magnitudes: readonly string[],
  say: (amount: Amount) => string,
): MoneyRules {
  const magnitude = buildAlternatives(magnitudes);
  const names = Object.keys(currencies);
  const signs = names.filter((name) => !/^\p{L}+$/u.test(name));
  const codes = names.filter((name) => /^[A-Z]{2,3}$/.test(name));
  const currencyOf = (name: string) => currencies[name] ?? { one: name, many: name };
  const behind = rule(
    new RegExp(
      `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude}))?${GAP}(${buildAlternatives(names)})(?![\\p{L}\\p{N}])`,
      'u',
    ),
    ([, first = '', last, found, name = '']) => say({ first, last, magnitude: found, currency: currencyOf(name) }),
  );
  const inFront = (some: readonly string[]) =>
    rule(
      new RegExp(
        `(${buildAlternatives(some)})${GAP}(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude})(?![\\p{L}\\p{N}]))?`,
        'u',
      ),
      ([, name = '', first = '', last, found]) => say({ first, last, magnitude: found, currency: currencyOf(name) }),
    );
  return { digits: [behind], letters: [inFront([...codes, ...signs])], signs: [inFront(signs)] };
}

/** @returns a part of a pattern: any of these words, the longest first */
export function buildAlternatives(words: readonly string[]): string {
  return [...words]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.$*+?^()[\]{}|\\]/g, '\\$&').replace(/ /g, '[ \\u00a0\\u202f]?'))
    .join('|');
}

/** What a unit is called for one and for many; masculine unless it says so. */
export type Unit = readonly [one: string, many: string, gender?: Gender];

/** A table of units as `key = one|many|gender`; `key = one` where both are the same. */
export function parseUnits(entries: string): Readonly<Record<string, Unit>> {
  return Object.fromEntries(
    Object.entries(parseTable(entries)).map(([key, names]): [string, Unit] => {
      const [one = '', many = one, gender = 'masculine'] = names.split('|');
      return [key, [one, many, gender === 'feminine' ? 'feminine' : 'masculine']];
    }),
  );
}

/** Numbers and ranges with a unit, a percentage or a temperature, and ranges whose joint is a word: "5 à 10 %". */
export function createMeasureRules(
  units: Readonly<Record<string, Unit>>,
  speech: NumberVerbalizer,
): NormalizationRule[] {
  return [
    rule(
      new RegExp(
        `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?${GAP}(${buildAlternatives(Object.keys(units))})(?![\\p{L}\\p{N}²³/°]|['’]\\p{L})`,
        'u',
      ),
      ([written, first = '', last, name = ''], place) => {
        const [one, many, gender = 'masculine'] = units[name] ?? ['', ''];
        if (one === '' || isListLetter(written, name, place.before)) return undefined;
        const isSingle = last === undefined && speech.isOne(first);
        return `${verbalizeRange(speech, first, last, gender)} ${isSingle ? one : many}`;
      },
    ),
  ];
}

/** "der Preis je m²": a unit without a number. */
export function createBareUnitRule(units: Readonly<Record<string, Unit>>): NormalizationRule {
  const names = Object.keys(units).filter((name) => /[²³]$/.test(name));
  return rule(new RegExp(`(${buildAlternatives(names)})(?![\\p{L}\\p{N}])`, 'u'), ([, name = '']) => units[name]?.[0]);
}

/** "2 €/kg": what a price or a speed is for. @param per "pro" */
export function createPerUnitRule(units: Readonly<Record<string, Unit>>, per: string): NormalizationRule {
  const names = Object.keys(units).filter((name) => /^\p{L}+[²³]?$/u.test(name));
  return rule(new RegExp(`\\/(${buildAlternatives(names)})(?![\\p{L}\\p{N}²³])`, 'u'), ([, name = ''], place) =>
    /[\p{Sc}\p{L}]$/u.test(place.before) ? ` ${per} ${units[name]?.[0]}` : undefined,
  );
}

/** "Artikel 5 l" and "Paragraf 3 g": one letter after a space, and before the number what is counted through. */
function isListLetter(written: string, name: string, textBefore: string): boolean {
  return (
    /^[a-zA-Z]$/.test(name) &&
    /\s/.test(written) &&
    /(?:artikel|art\.|paragraf|absatz|§|article|artículo|annexe|anexo)\s$/i.test(textBefore)
  );
}
