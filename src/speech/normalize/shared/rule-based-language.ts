import type { Language, MatchContext, NormalizationRule } from '../language.ts';
import { type SentenceRules, splitSentences } from '../sentences.ts';
import { applyRules, createPlainWordFinder, createUnpronounceableFinder } from '../words.ts';
import { type AcronymSets, createAcronymRules } from './abbreviations.ts';
import { createBareUnitRule, createMeasureRules, createPerUnitRule, type MoneyRules, type Unit } from './amounts.ts';
import {
  createNegativeRule,
  createNumberTailRules,
  createPlainNumberRules,
  createRangeRules,
  createTelephoneRule,
  type NumberVerbalizer,
} from './numbers.ts';
import { type AddressWords, createHandleRules, createPunctuationRules, createWebRules } from './signs.ts';

/** What one language adds to the rules that German, French and Spanish share. The first rule that matches wins. */
interface LanguageRules extends Required<Pick<Language, 'code' | 'extraLetters'>>, Pick<Language, 'capitalizesNouns'> {
  readonly numbers: NumberVerbalizer;
  /** @returns the words for a plain number, as what stands around it wants them */
  readonly verbalizePlainNumber: (written: string, place: MatchContext) => string;
  readonly units: Readonly<Record<string, Unit>>;
  readonly money: MoneyRules;
  readonly acronyms: AcronymSets;
  /** Words for signs that stand by themselves. */
  readonly signs: Readonly<Record<string, string>>;
  readonly words: AddressWords & { readonly per: string; readonly plus: string; readonly minus: string };
  /** Rules for what begins with a digit, before and after those for amounts. */
  readonly digits: {
    readonly beforeAmounts: readonly NormalizationRule[];
    readonly afterAmounts: readonly NormalizationRule[];
  };
  /** Rules for what begins with a letter, before and after those for amounts. */
  readonly letters: {
    readonly beforeAmounts: readonly NormalizationRule[];
    readonly afterAmounts: readonly NormalizationRule[];
  };
  /** Rules for what begins with a sign, after those for money. */
  readonly signRules?: readonly NormalizationRule[];
  /** @returns the short form of a code of so many characters */
  readonly describeCode: (count: string) => string;
  /** Sticky: a word in small letters that no rule is for. */
  readonly plainWord: RegExp;
  readonly sentences: Omit<SentenceRules, 'code'>;
}

export function createRuleBasedLanguage(rules: LanguageRules): Language {
  const { code, numbers, units, money, words } = rules;
  const addressWords = { ...words, at: rules.signs['@'] ?? '', slash: rules.signs['/'] ?? '' };
  const webRules = createWebRules(addressWords, numbers);
  const ruleSet = {
    digits: [
      ...createNumberTailRules(numbers),
      ...webRules,
      ...rules.digits.beforeAmounts,
      ...money.digits,
      ...createMeasureRules(units, numbers),
      ...rules.digits.afterAmounts,
      ...createRangeRules(numbers),
      ...createPlainNumberRules(numbers, rules.verbalizePlainNumber),
    ],
    letters: [
      ...webRules,
      ...rules.letters.beforeAmounts,
      ...money.letters,
      createBareUnitRule(units),
      ...rules.letters.afterAmounts,
      ...createAcronymRules(rules.acronyms, numbers),
    ],
    signs: [
      ...money.signs,
      ...(rules.signRules ?? []),
      createPerUnitRule(units, words.per),
      createTelephoneRule(numbers, words.plus),
      createNegativeRule(words.minus),
      ...createHandleRules(addressWords, numbers),
      ...createPunctuationRules(rules.signs),
    ],
    unpronounceable: createUnpronounceableFinder(code, (characters) =>
      rules.describeCode(numbers.verbalizeCardinal(characters)),
    ),
    findPlainWordEnd: createPlainWordFinder(rules.plainWord),
  };
  return {
    code,
    extraLetters: rules.extraLetters,
    capitalizesNouns: rules.capitalizesNouns ?? false,
    splitSentences: (text) => splitSentences(text, { code, ...rules.sentences }),
    normalize: (sentence) => applyRules(sentence, ruleSet),
  };
}
