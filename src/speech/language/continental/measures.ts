import { before, type Reader, reader } from '../reader.ts';
import { alternatives } from './currencies.ts';
import {
  countedRange,
  GAP,
  type Gender,
  NUMBER,
  type NumberSpeech,
  RANGE_DASH,
} from './written-numbers.ts';

/** What a unit is called for one and for many; masculine unless it says so. */
export type Unit = readonly [one: string, many: string, gender?: Gender];

/** Numbers and ranges with a unit, a percentage or a temperature, and ranges whose joint is a word: "5 à 10 %". */
export function measureReaders(
  units: Readonly<Record<string, Unit>>,
  speech: NumberSpeech,
): Reader[] {
  return [
    reader(
      new RegExp(
        `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?${GAP}(${alternatives(Object.keys(units))})(?![\\p{L}\\p{N}²³/°]|['’]\\p{L})`,
        'u',
      ),
      ([written, first = '', last, name = ''], place) => {
        const [one, many, gender = 'masculine'] = units[name] ?? ['', ''];
        if (one === '' || isLetterOfAList(written, name, before(place))) return undefined;
        const isSingle = last === undefined && speech.isOne(first);
        return `${countedRange(speech, first, last, gender)} ${isSingle ? one : many}`;
      },
    ),
  ];
}

/** "der Preis je m²": a unit without a number. */
export function bareUnitReader(units: Readonly<Record<string, Unit>>): Reader {
  const names = Object.keys(units).filter((name) => /[²³]$/.test(name));
  return reader(
    new RegExp(`(${alternatives(names)})(?![\\p{L}\\p{N}])`, 'u'),
    ([, name = '']) => units[name]?.[0],
  );
}

/** "2 €/kg": what a price or a speed is for. @param per "pro" */
export function perUnitReader(units: Readonly<Record<string, Unit>>, per: string): Reader {
  const names = Object.keys(units).filter((name) => /^\p{L}+[²³]?$/u.test(name));
  return reader(
    new RegExp(`\\/(${alternatives(names)})(?![\\p{L}\\p{N}²³])`, 'u'),
    ([, name = ''], place) =>
      /[\p{Sc}\p{L}]$/u.test(before(place)) ? ` ${per} ${units[name]?.[0]}` : undefined,
  );
}

/** "Artikel 5 l" and "Paragraf 3 g": one letter after a space, and before the number what is counted through. */
function isLetterOfAList(written: string, name: string, textBefore: string): boolean {
  return (
    /^[a-zA-Z]$/.test(name) &&
    /\s/.test(written) &&
    /(?:artikel|art\.|paragraf|absatz|§|article|artículo|annexe|anexo)\s$/i.test(textBefore)
  );
}
