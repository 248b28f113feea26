import { type MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import {
  GAP,
  type Gender,
  NUMBER,
  type NumberVerbalizer,
  RANGE_DASH,
  splitDecimal,
  verbalizeRange,
} from './numbers.ts';

/** A noun that is counted: a unit, a currency or a magnitude such as a million. */
export interface Noun {
  readonly one: string;
  readonly many: string;
  /** After 2 to 4, and after a decimal number, where the language has such forms. */
  readonly few?: string;
  readonly part?: string;
  readonly gender: Gender;
  /** The hundredth of a currency. */
  readonly cent?: readonly [one: string, many: string];
}
export type Nouns = Readonly<Record<string, Noun>>;

/**
 * A table of nouns as `key = one|many|gender|cent|cents`. Only the first is needed: without a gender a noun is masculine. In the
 * place of `many`, `few/many/part` gives the forms of Slavic languages.
 * @param pluralize the form for many where the table has none
 */
export function parseNouns(entries: string, pluralize: (singular: string) => string = (singular) => singular): Nouns {
  return Object.fromEntries(
    Object.entries(parseTable(entries)).map(([key, forms]): [string, Noun] => {
      const [one = '', written, gender, cent, cents = ''] = forms.split('|');
      const plural = written || pluralize(one);
      const [few = '', many, part] = plural.split('/');
      const noun: Noun = {
        ...{ one, many: many ?? few },
        ...(many === undefined ? {} : { few, part: part ?? many }),
        gender: gender === 'feminine' || gender === 'neuter' ? gender : 'masculine',
      };
      return [key, cent === undefined ? noun : { ...noun, cent: [cent, cents] }];
    }),
  );
}

/**
 * A parser of tables with the regular plural of Romance languages: "metro cuadrado" → "metros cuadrados", "litre par jour" → "litres par jour".
 * @param ending after a consonant
 */
export function createNounParser(ending: 's' | 'es'): (entries: string) => Nouns {
  const toPlural = (word: string) => word + (/[aeiouéáíóú]$/u.test(word) ? 's' : ending);
  const pluralize = (singular: string) =>
    singular.replace(/^.+?(?= (?:por|par|de|sobre|au|hora|Celsius|Fahrenheit)(?!\p{L})| d['’]|$)/u, (words) =>
      words.split(' ').map(toPlural).join(' '),
    );
  return (entries) => parseNouns(entries, pluralize);
}

/** @returns the form of a noun after a number */
export function selectForm(speech: Pick<NumberVerbalizer, 'isOne'>, written: string, noun: Noun): string {
  const { one, many, few, part } = noun;
  if (few === undefined) return speech.isOne(written) ? one : many;
  if (written.includes(',')) return part ?? many;
  const value = Number(written.replace(/\D/g, ''));
  if (value === 1) return one;
  const isTeen = value % 100 >= 12 && value % 100 <= 14;
  return value % 10 >= 2 && value % 10 <= 4 && !isTeen ? few : many;
}

/** @returns a number or a range with what it counts: "zwei Millionen", "fünf bis zehn Meter" */
export function verbalizeCounted(
  speech: NumberVerbalizer,
  first: string,
  last: string | undefined,
  noun: Noun,
): string {
  const isManyAnyway = last !== undefined && (noun.few === undefined || speech.inflectRangeEnd !== undefined);
  const form = isManyAnyway && !last.includes(',') ? noun.many : selectForm(speech, last ?? first, noun);
  return `${verbalizeRange(speech, first, last, noun.gender)} ${form}`;
}

/** What a language adds to amounts of money. */
export interface MoneyWords {
  readonly currencies: Nouns;
  /** @returns the currency that a sign before an amount stands for in its sentence; undefined: its usual one, null: none */
  readonly selectCurrency?: (sign: string, place: MatchContext) => string | undefined | null;
  /** By their signs: "Mrd." */
  readonly magnitudes: Nouns;
  /** Between the currency and its hundredths: "con ". */
  readonly centJoint?: string;
  /** Whether the hundredths are named after a whole amount, too: "cztery złote dwadzieścia groszy". */
  readonly namesCents?: boolean;
  /** @returns what stands between a number and its currency: "un million d’" */
  readonly partitive?: (number: string, currency: Noun) => string;
  /** @returns the words for a number with a magnitude where they are irregular: "un mille" → "mille" */
  readonly inflectMagnitude?: (words: string) => string;
}

const MAGNITUDE_BEFORE =
  /\d\s(?:(?:mil\s)?(?:mi|bi|tri)l[\p{L}]{2,9}|M|MM|Mds?|mill\.|ml[nd]\.?|mrd)\s(?:de\s|di\s|d['’])?$/iu;

/** Amounts of money with a sign, a code or a name before or behind them, by what they begin with. */
export function createMoneyRules(words: MoneyWords, speech: NumberVerbalizer) {
  const { currencies, magnitudes, centJoint = '', partitive = () => '', inflectMagnitude = (number) => number } = words;
  const magnitude = buildAlternatives(Object.keys(magnitudes));
  const names = Object.keys(currencies);
  const signs = names.filter((name) => !/^\p{L}+$/u.test(name));
  const codes = names.filter((name) => /^[A-Z][A-Za-z]{1,2}$/.test(name));
  // "$ 12.000 pesos": the sign stands for the word behind.
  const isRepeated = new RegExp(
    `^\\s(?:(?:de|di)\\s)?(?:${buildAlternatives(names.filter((name) => /^\p{Ll}{3,}$/u.test(name)))})(?!\\p{L})`,
    'u',
  );
  const verbalize = (name = '', first = '', last: string | undefined, scale: string | undefined, after = '') => {
    const currency = currencies[name];
    if (currency === undefined) return undefined;
    if (scale === undefined && isRepeated.test(after)) return verbalizeRange(speech, first, last, currency.gender);
    const { many, gender, cent } = currency;
    const scaleNoun = scale === undefined ? undefined : magnitudes[scale];
    if (scaleNoun !== undefined) {
      const number = inflectMagnitude(verbalizeCounted(speech, first, last, scaleNoun));
      if (isRepeated.test(after)) return number;
      return `${number} ${partitive(number, currency)}${many}`;
    }
    const { whole, decimals } = splitDecimal(first);
    if (last !== undefined || decimals.length !== 2 || cent === undefined) {
      const number = verbalizeRange(speech, first, last, gender);
      const form =
        last === undefined || currency.few !== undefined ? selectForm(speech, last ?? first, currency) : many;
      return `${number} ${partitive(number, currency)}${form}`;
    }
    const cents = String(Number(decimals));
    const nameCents = () => {
      const [one, few = '', many = few] = [cent[0], ...cent[1].split('/')];
      const noun = { one, many, gender, ...(few === many ? {} : { few }) };
      return `${speech.verbalizeQuantity(cents, 'masculine')} ${selectForm(speech, cents, noun)}`;
    };
    if (Number(whole) === 0) return nameCents();
    const amount = `${speech.verbalizeQuantity(whole, gender)} ${selectForm(speech, whole, currency)}`;
    if (cents === '0') return amount;
    return `${amount} ${centJoint}${words.namesCents ? nameCents() : speech.verbalizeCardinal(cents)}`;
  };
  const behind = rule(
    new RegExp(
      `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude}))?${GAP}(${buildAlternatives(names)})(?![\\p{L}\\p{N}])`,
      'u',
    ),
    ([, first, last, scale, name]) => verbalize(name, first, last, scale),
  );
  // "$25.000 CLP": the code says which dollars or pesos.
  const longCodes = codes.filter((name) => /^[A-Z]{3}$/.test(name));
  const inFront = (prefixes: readonly string[]) =>
    rule(
      new RegExp(
        `(${buildAlternatives(prefixes)})${GAP}(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?(?:${GAP}(${magnitude})(?![\\p{L}\\p{N}]))?(?:(?<=\\p{Sc}[ \\u00a0]?\\S{1,30})[ \\u00a0](${buildAlternatives(longCodes)})(?![\\p{L}\\p{N}]))?`,
        'u',
      ),
      ([, name = '', first, last, scale, code], place) => {
        const selected = words.selectCurrency?.(name, place);
        return selected === null ? undefined : verbalize(code ?? selected ?? name, first, last, scale, place.after);
      },
    );
  // "5 millions de CHF"
  const alone = rule(
    new RegExp(`(${buildAlternatives([...codes, ...signs])})(?![\\p{L}\\p{N}])`, 'u'),
    ([, name = ''], place) => (MAGNITUDE_BEFORE.test(place.before) ? currencies[name]?.many : undefined),
  );
  return { digits: [behind], letters: [inFront([...codes, ...signs]), alone], signs: [inFront(signs), alone] };
}

/** @returns a part of a pattern: any of these words, the longest first */
export function buildAlternatives(words: readonly string[]): string {
  return [...words]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.$*+?^()[\]{}|\\]/g, '\\$&').replace(/ /g, '[ \\u00a0\\u202f]?'))
    .join('|');
}

const PAIRED_NUMBER = String.raw`(?:\d{1,3}\.\d{3}|\d{1,4}(?:,\d{1,2})?)`;

/** Numbers and ranges with a unit, a percentage or a temperature, with a magnitude between: "5 à 10 %", "2 Mio. km". */
export function createMeasureRule(
  units: Nouns,
  { magnitudes, partitive = () => '' }: Pick<MoneyWords, 'magnitudes' | 'partitive'>,
  speech: NumberVerbalizer,
): NormalizationRule {
  const names = buildAlternatives(Object.keys(units));
  return rule(
    new RegExp(
      `(${NUMBER})(?:(?:${GAP}%)?${RANGE_DASH}(${NUMBER}))?(?: (${buildAlternatives(Object.keys(magnitudes))}) )?${GAP}(${names})(?![\\p{L}\\p{N}²³°]|\\.\\p{L}\\.|/(?!100|${PAIRED_NUMBER}${GAP}(?:${names})(?!\\p{L}))\\d|['’]\\p{L})(?:\\.(?=\\s\\p{Ll}|[,;:)]))?`,
      'u',
    ),
    ([written, first = '', last, scale, name = ''], place) => {
      const unit = units[name] ?? units[name.replace(/\.(?=\p{L})/gu, '. ')];
      if (unit === undefined || isListLetter(written, name, place.before)) return undefined;
      // "20 J. alt", but not the initial in "Sie kürten 20 J. Meier"
      if (/^\p{L}\.$/u.test(name) && !/^(?:[,;:)]|\s\p{Ll}|\s\(|$)/u.test(place.after)) return undefined;
      const magnitude = scale === undefined ? undefined : magnitudes[scale];
      const stop = name.endsWith('.') ? sentenceStop(written, place) : '';
      if (magnitude === undefined) return verbalizeCounted(speech, first, last, unit) + stop;
      const number = verbalizeCounted(speech, first, last, magnitude);
      return `${number} ${partitive(number, unit)}${unit.many}${stop}`;
    },
  );
}

/** "3,5 M d'habitants", "22,39 M, un 2 % más": a magnitude of what follows or was named before. */
export function createMagnitudeRule(speech: NumberVerbalizer, magnitudes: Nouns, names: string): NormalizationRule {
  return rule(
    new RegExp(
      `(${NUMBER})(?:${RANGE_DASH}(${NUMBER}))?${GAP}(${names})(?=\\sd(?:e\\s|['’])|[,;)]|\\s\\(|(?<=M(?:ds?|rd)|,\\d{1,2} ?M)\\s\\p{Ll})`,
      'u',
    ),
    ([, first = '', last, name = '']) => {
      const noun = magnitudes[name];
      return noun && verbalizeCounted(speech, first, last, noun);
    },
  );
}

const PER_BEFORE = /(?:^|\s)(?:pro|je|per|par|por)\s$/u;

/** "der Preis je m²", "2 millions de km": a unit without a number directly before it. */
export function createBareUnitRule(units: Nouns): NormalizationRule {
  const names = Object.keys(units).filter((name) => /[²³23]$|\/|^(?:\p{L}{2,3}|t)$/u.test(name));
  return rule(new RegExp(`(${buildAlternatives(names)})(?![\\p{L}\\p{N}'’])`, 'u'), ([, name = ''], place) => {
    if (MAGNITUDE_BEFORE.test(place.before)) return units[name]?.many;
    if (PER_BEFORE.test(place.before)) return units[name]?.one;
    return /[²³]$|\/|Wh$/.test(name) ? units[name]?.[name.includes('/') ? 'many' : 'one'] : undefined;
  });
}

const PERIOD_AFTER =
  /^\/(?:Woche|Monat|Jahr|Tag|Stunde|Minute|Sekunde|Person|Kopf|Einwohner|semaine|mois|an|jour|heure|personne|habitant|semana|mes|año|día|hora|persona|habitante|mese|anno|giorno|ora|maand|jaar|dag|uur|week|mês|ano|dia)(?!\p{L})/u;
/** After a number only: "1,12 hijos/mujer", but "hombre/mujer". */
const COUNTED_PER =
  /^\/(?:mujer|femme|Frau|nuit|noche|Nacht|Schicht|Spiel|Partie|Schuss|Kind|Nutzer|Kunde|Aktie|Fahrt|Ticket|Fass|Barrel|partido|match|hogar|foyer|Haushalt|alumno|élève)(?!\p{L})/u;
/** "25 alumnos/aula", where a plural ends in s. */
const SINGULAR_AFTER = /^\/(?!ou\b)\p{Ll}{2,11}[\p{Ll}--s](?!\p{L})/v;
const PLURAL_BEFORE = /\d\s(?!pts|points|p[un]*tos)\p{Ll}{2,20}s$/u;
const COUNT_BEFORE = /\d\s?\p{L}{1,20}(?:\s\p{L}{1,20}){0,3}$/u;
const PRICE_BEFORE =
  /(?:\p{Sc}(?:\s?\d[\d.,]{0,12})?|\d\s?%|(?<!\p{L})(?:euros?|cents?|céntimos?|centimes?|dollars?|dólares|Francs?|pesos?|yen|kWh|km|kg))$/iu;

/**
 * "2 €/kg", "2 doses/j": what a price or a speed is for.
 * @param verbalizePer "pro", before what follows
 * @param periods by abbreviations that are no units elsewhere: "j"
 */
export function createPerUnitRule(
  units: Nouns,
  verbalizePer: (noun: string) => string,
  periods: Readonly<Record<string, string>>,
): NormalizationRule {
  const names = Object.keys(units).filter((name) => /^\p{L}+[²³23]?$/u.test(name));
  return rule(
    new RegExp(
      `\\/(?:(${buildAlternatives([...names, ...Object.keys(periods)])})(?![\\p{L}\\p{N}²³])(?:\\.(?=\\s\\p{Ll}|[,;:)]))?|(?=\\p{L}{2}|100(?:[. \\u00a0\\u202f]000)?\\s\\p{L}))`,
      'u',
    ),
    ([, name], place) => {
      if (name !== undefined)
        // "bei 4.000/min"
        return /(?:[\p{Sc}\p{L}²³]\.?|\p{L}[23]|\p{Sc}\s?\d[\d.,]{0,12}|\d\s?%)$/u.test(place.before) ||
          (name === 'min' && /\d$/.test(place.before))
          ? ` ${verbalizePer(periods[name] ?? units[name]?.one ?? '')}${periods[name] ?? units[name]?.one}`
          : undefined;
      const ahead = place.text.slice(place.at, place.at + 20);
      const isPer =
        PRICE_BEFORE.test(place.before) ||
        PERIOD_AFTER.test(ahead) ||
        (COUNTED_PER.test(ahead) && COUNT_BEFORE.test(place.before)) ||
        (ahead.startsWith('/100') && /\p{L}\.?$/u.test(place.before)) ||
        (SINGULAR_AFTER.test(ahead) && PLURAL_BEFORE.test(place.before));
      return isPer ? ` ${verbalizePer(ahead.slice(1))}` : undefined;
    },
  );
}

/** "150 kW/204 PS", "15 ml/24 h", "1,99 €/250 g": a measure in two units, or for a time, or a price. @param verbalizePer as of `createPerUnitRule` */
export function createUnitPairRule(units: Nouns, verbalizePer: (noun: string) => string): NormalizationRule {
  const names = buildAlternatives(Object.keys(units));
  return rule(
    new RegExp(`\\/(?!100)(?=${PAIRED_NUMBER}${GAP}(${names})(?![\\p{L}\\p{N}/]))`, 'u'),
    ([, name = ''], { before }) => {
      const [, unit] = /\d[ \u00a0\u202f]?(\p{Sc}|\p{L}{1,4})$/u.exec(before) ?? [];
      const isPer = TIME_UNIT.test(name) || /\p{Sc}/u.test(unit ?? '');
      return unit && (isPer ? ` ${verbalizePer(units[name]?.one ?? '')}` : ', ');
    },
  );
}
const TIME_UNIT = /^(?:h|hrs?|Std\.?|min\.?|s|Sek\.|d)$/;

/** "Artikel 5 l" and "Paragraf 3 g": one letter after a space, and before the number what is counted through. */
function isListLetter(written: string, name: string, textBefore: string): boolean {
  return (
    /^[a-zA-Z]$/.test(name) &&
    /\s/.test(written) &&
    /(?:artikel|art\.|paragraf|absatz|§|article|artículo|annexe|anexo)\s$/i.test(textBefore)
  );
}
