import {
  findTable,
  type Language,
  type MatchContext,
  type NormalizationRule,
  parseTable,
  rule,
  wordSet,
} from '../language.ts';
import { type SentenceRules, splitSentences } from '../sentences.ts';
import { applyRules, createPlainWordFinder, createUnpronounceableFinder } from '../words.ts';
import {
  type Abbreviations,
  createAbbreviationRules,
  createAcronymRules,
  createFinalPatterns,
} from './abbreviations.ts';
import {
  createBareUnitRule,
  createMeasureRule,
  createMoneyRules,
  createPerUnitRule,
  createUnitPairRule,
  type MoneyWords,
  type Nouns,
} from './amounts.ts';
import { createFractionRules, type FractionWords } from './fractions.ts';
import {
  createDecimalPointRule,
  createInchRule,
  createNegativeRule,
  createNumberTailRule,
  createPlainNumberRules,
  createRangeRules,
  createScaleRule,
  createSetsRule,
  createTelephoneRule,
  type IsCommaGroup,
  type NumberVerbalizer,
} from './numbers.ts';
import {
  createBookNumberRule,
  createChemicalRule,
  createMultiplierRule,
  createParticleRule,
  createPlainRomanRule,
  createPowerRule,
  createPronounSlashRule,
  createSeasonRule,
  createSerialRules,
  createShortSeasonRule,
  createSocialServiceRule,
  createStockCodeRule,
  createTimeOffsetRule,
  createVariantRule,
  createWebRules,
  nameSlashRule,
} from './serials.ts';

/**
 * Single signs: the last rules for signs. Signs without a name, such as quotation marks and emoji, are silent.
 */
function createPunctuationRules(names: Readonly<Record<string, string>>, minusWord: string): NormalizationRule[] {
  const named = Object.keys(names).map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
  return [
    rule(/\+\s?\/\s?[-−–]/, () => `${names['±'] ?? ''} `),
    rule(/\s{0,40}(?:[–—―]|--)(?:\s{0,4}(?:[–—―]|--)){0,40}\s{0,40}/, verbalizeDash),
    rule(/\s-{1,40}\s/, verbalizeDash),
    rule(/\s{0,20}\|\s{0,20}/, verbalizeDash),
    // "Preis / Für jede Einheit"
    rule(/\s\/\s(?=\p{L})/u, (_match, place) => (/[\p{L}.)]$/u.test(place.before) ? ', ' : undefined)),
    // French puts a space before these.
    rule(/[ \u00a0\u202f](?=[;:!?]|»(?![\p{L}\p{N}]))/u, () => ''),
    rule(/\s{1,40}[([](?=[\p{L}\p{N}])/u, (_match, place) => (/[\p{L}\p{N}]$/u.test(place.before) ? ', ' : undefined)),
    rule(/\s{1,200}/, () => ' '),
    rule(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
    // "7-6(4)"
    rule(/\((?=\d)/, (_match, place) => (/\d$/.test(place.before) ? ', ' : undefined)),
    rule(/[([¿¡]/, () => ''),
    rule(/[)\]]/, (_match, place) => (/^\s[\p{L}\p{N}]/u.test(place.after) ? ',' : '')),
    rule(/[-‐‑]{1,40}/, (_match, place) =>
      /[\p{L}\p{N}.]$/u.test(place.before) && /^["„“”«»‹›]?[\p{L}\p{N}]/u.test(place.after) ? '-' : '',
    ),
    rule(/\^([-−–])?(?=\d)/, ([, minus], place) =>
      /\d$/.test(place.before) ? ` ${names['^'] ?? ''} ${minus ? `${minusWord} ` : ''}` : '',
    ),
    rule(/[_*^]{1,40}/, (_match, place) =>
      /[\p{L}\p{N}]$/u.test(place.before) && /^[\p{L}\p{N}]/u.test(place.after) ? ' ' : '',
    ),
    rule(new RegExp(`[${named.join('')}]`, 'u'), ([sign], place) => addSpaces(names[sign] ?? '', place)),
  ];
}

/** The pause of a comma between words; undefined for the minus of "auf –12 Grad". */
export function verbalizeDash([written]: RegExpExecArray, place: MatchContext): string | undefined {
  if (/^\s+[–−]$/.test(written) && isMinus(place)) return undefined;
  if (place.at === 0 || place.end >= place.text.length) return '';
  return /[,;:.!?]$/.test(place.before) ? ' ' : ', ';
}

/** Not "la comisión –25 miembros– aprobó", "2021 –2024". */
function isMinus({ text, end, before }: MatchContext): boolean {
  const after = text.slice(end, end + maxAsideLength);
  return /^[$€£]?\d/.test(after) && !/\d$/.test(before) && !/^(?:(?!\s–\S).)*?\S–(?:[\s,.;:!?)]|$)/su.test(after);
}
const maxAsideLength = 200;

/** Separates a word from adjacent text. */
function addSpaces(word: string, place: MatchContext): string {
  const start = place.at > 0 && !/\s$/.test(place.before) ? ' ' : '';
  const end = /^[^\s.,;:!?)\]]/.test(place.after) ? ' ' : '';
  return start + word + end;
}

type AddressWords = Readonly<Record<'dot' | 'hyphen' | 'underscore' | 'hashtag', string>>;
type AllAddressWords = AddressWords & Readonly<Record<'at' | 'slash', string>>;

const TOP_LEVEL_DOMAINS =
  'com org net gov edu info io ai co tv me us uk eu de at ch li fr be lu ca es mx ar cl pe cat it nl pl ru news online app dev blog shop biz name';
const PRONOUNCED_DOMAINS = 'com org net info news online app dev blog shop biz name';

/** "@name" and "#Topic". */
function createHandleRules(words: AllAddressWords, numbers: NumberVerbalizer): NormalizationRule[] {
  return [
    rule(/@(?=[\p{L}\p{N}_])/u, () => `${words.at} `),
    rule(/[#＃]((?:\d{0,4}\p{L}|_)[\p{L}\p{M}\p{N}_]{0,60})/u, ([, tag = ''], place) => {
      const joint = /[\p{L}\p{N}]$/u.test(place.before) ? ' ' : '';
      const name = /(?:^|[^\p{L}])hashtag\s$/iu.test(place.before) ? '' : `${words.hashtag} `;
      return joint + name + splitCamelCase(tag, numbers);
    }),
  ];
}

function splitCamelCase(tag: string, { verbalizeCardinal }: NumberVerbalizer): string {
  return tag
    .replace(/_/g, ' ')
    .replace(/\p{Ll}(?=\p{Lu})|\p{L}(?=\d)|\d(?=\p{L})/gu, '$& ')
    .replace(/\d+/g, verbalizeCardinal)
    .trim();
}

interface AmountContext {
  readonly beforeAmounts: readonly NormalizationRule[];
  readonly afterAmounts: readonly NormalizationRule[];
}

/** Of the table `words`. */
type Words = AddressWords & {
  readonly per: string;
  readonly plus: string;
  readonly minus: string;
  /** "less than" and "more than" before a number of things: "<1 año". */
  readonly less?: string;
  readonly more?: string;
  /** "inches" */
  readonly inches?: string;
  /** Between the games of a set: "a". */
  readonly games?: string;
  /** Between the parts of a scale: "1:25.000". */
  readonly ratio: string;
  /** Between two pronouns: "er/sie". */
  readonly or: string;
};

/** What a language adds to the shared rules. The first matching rule wins. */
interface LanguageRules extends Required<Pick<Language, 'code' | 'extraLetters'>>, Pick<Language, 'capitalizesNouns'> {
  /**
   * See `findTable`: `general`, `titles` and `numbered` abbreviations, acronyms that are `pronounced` or `spelled`, `signs`,
   * `words`, `sentence starters`, and `periods`, abbreviations after a slash for what a rate is per: "doses/j".
   */
  readonly tables: string;
  readonly numbers: NumberVerbalizer;
  /** @returns the words for a plain number in its context */
  readonly verbalizePlainNumber: (written: string, place: MatchContext) => string;
  /** Where the language is also written with commas between thousands. */
  readonly isCommaGroup?: IsCommaGroup;
  readonly units: Nouns;
  readonly money: MoneyWords;
  readonly fractions: FractionWords;
  /** @returns the word for "per" before a noun, with its space or apostrophe, where it is not always the same */
  readonly verbalizePer?: (noun: string) => string;
  /** Rules for digits, before and after those for amounts. */
  readonly digits: AmountContext;
  /** Rules for letters, before and after those for amounts. */
  readonly letters: Partial<AmountContext> & { readonly beforeAbbreviations?: readonly NormalizationRule[] };
  /** Rules for signs, after those for money. */
  readonly signRules?: readonly NormalizationRule[];
  /** @returns the short form of a code with a number of characters */
  readonly describeCode: (count: string) => string;
  /** Sticky pattern of a lowercase word that no rule matches, unless it is a unit or an abbreviation. */
  readonly plainWord: RegExp;
  readonly sentences: Omit<SentenceRules, 'code' | 'firstWords'>;
}

export function createRuleBasedLanguage(rules: LanguageRules): Language {
  const { code, numbers, units } = rules;
  const table = (name: string) => parseTable(findTable(rules.tables, name));
  const list = (name: string) => wordSet(findTable(rules.tables, name));
  const [general, titles, numbered] = [table('general'), table('titles'), table('numbered')];
  const abbreviations: Abbreviations = { general, titles, numbered };
  const signs = table('signs');
  const words = table('words') as Words;
  const money = createMoneyRules(rules.money, numbers);
  const fractions = createFractionRules(rules.fractions, units, numbers);
  const addressWords = { ...words, at: signs['@'] ?? '', slash: signs['/'] ?? '' };
  const { dot, slash, hyphen, underscore, at } = addressWords;
  const webRules = createWebRules(
    {
      signs: { '.': dot, '/': slash, '-': hyphen, _: underscore, '@': at },
      topLevelDomains: TOP_LEVEL_DOMAINS,
      pronouncedDomains: PRONOUNCED_DOMAINS,
      endLabelCount: 1,
    },
    numbers,
  );
  const amounts = [...money.digits, createMeasureRule(units, rules.money, numbers)];
  const createCommaGroupRules = (amountRules: readonly NormalizationRule[]) =>
    rules.isCommaGroup === undefined ? [] : [createDecimalPointRule(amountRules, rules.isCommaGroup)];
  const verbalizePer = rules.verbalizePer ?? (() => `${words.per} `);
  const times = signs['×'] ?? '';
  const ruleSet = {
    digits: [
      createNumberTailRule(numbers),
      ...webRules,
      createBookNumberRule(numbers),
      createStockCodeRule(numbers, dot),
      ...(words.inches === undefined ? [] : [createInchRule(numbers, words.inches)]),
      ...(words.games === undefined ? [] : [createSetsRule(numbers, words.games)]),
      createShortSeasonRule(numbers),
      createSocialServiceRule(numbers),
      createPowerRule(numbers, units, { raised: signs['^'] ?? '', minus: words.minus }),
      createScaleRule(numbers, words.ratio),
      ...createCommaGroupRules(amounts),
      ...rules.digits.beforeAmounts,
      ...createSerialRules(numbers, times),
      ...amounts,
      createDecimalPointRule([...rules.digits.beforeAmounts, ...amounts]),
      ...rules.digits.afterAmounts,
      createSeasonRule(numbers),
      ...fractions.digits,
      ...createRangeRules(numbers, rules.verbalizePlainNumber),
      ...createPlainNumberRules(numbers, rules.verbalizePlainNumber),
    ],
    letters: [
      ...webRules,
      createChemicalRule(numbers.verbalizeNumber),
      createParticleRule(numbers.verbalizeNumber),
      createVariantRule(numbers),
      createTimeOffsetRule(numbers.verbalizeCardinal, words),
      ...(rules.letters.beforeAbbreviations ?? []),
      ...createAbbreviationRules(abbreviations),
      ...(rules.letters.beforeAmounts ?? []),
      ...createCommaGroupRules(money.letters),
      createDecimalPointRule(money.letters),
      ...money.letters,
      createBareUnitRule(units),
      createMultiplierRule(times),
      ...(rules.letters.afterAmounts ?? []),
      createPlainRomanRule(numbers),
      ...createAcronymRules({ pronounced: list('pronounced'), spelled: list('spelled') }, numbers),
    ],
    signs: [
      ...createCommaGroupRules(money.signs),
      createDecimalPointRule(money.signs),
      ...money.signs,
      // "3°/8°"
      rule(/\/(?=[-−–]?\d{1,2}\s?[°º])/, (_match, { before }) => (/[°º]\s?C?$/.test(before) ? ', ' : undefined)),
      // "15 millions de °C"
      rule(/°\s?C(?!\p{L})/u, (_match, { before }) => (/\p{L}\s$/u.test(before) ? units['°C']?.many : undefined)),
      ...(rules.signRules ?? []),
      ...fractions.signs,
      createUnitPairRule(units, verbalizePer),
      createPerUnitRule(units, verbalizePer, table('periods')),
      // "11,82 NOK/€"
      rule(/\/([€$£¥])(?![\p{L}\d])/u, ([, sign = ''], place) =>
        /[\p{L}\p{Sc}\d]$/u.test(place.before) ? ` ${words.per} ${rules.money.currencies[sign]?.one}` : undefined,
      ),
      rule(/[<>] ?(?=\d)/, ([sign], { before }) =>
        words.less !== undefined && /(?:^|[\s(])$/.test(before) && !/(?:^|[\s(])[nNpPrR]\s$/.test(before)
          ? `${sign.startsWith('<') ? words.less : words.more} `
          : undefined,
      ),
      nameSlashRule,
      createPronounSlashRule(words.or),
      createTelephoneRule(numbers, words.plus),
      createNegativeRule(words.minus),
      ...createHandleRules(addressWords, numbers),
      ...createPunctuationRules({ ...signs, ...rules.fractions.signs }, words.minus),
    ],
    unpronounceable: createUnpronounceableFinder(code, (characters) =>
      rules.describeCode(numbers.verbalizeCardinal(characters)),
    ),
    findPlainWordEnd: createPlainWordFinder(
      rules.plainWord,
      new Set(Object.keys({ ...units, ...general, ...titles, ...numbered })),
    ),
  };
  const sentenceRules = {
    ...{ code, firstWords: list('sentence starters'), ...rules.sentences },
    ...createFinalPatterns(abbreviations, units, rules.sentences.rarelyFinal),
  };
  return {
    code,
    extraLetters: rules.extraLetters,
    capitalizesNouns: rules.capitalizesNouns ?? false,
    splitSentences: (text) => splitSentences(text, sentenceRules),
    normalize: (sentence) => applyRules(sentence, ruleSet),
  };
}
