import { rule } from '../language.ts';
import { buildAlternatives, type Noun, type Nouns, selectForm } from './amounts.ts';
import { GAP, type Gender, type NumberVerbalizer } from './numbers.ts';

/** What a language adds to fractions. */
export interface FractionWords {
  /** By the number below the bar. */
  readonly denominators: Nouns;
  /** By "½", "⅓" and so on, without a whole number before them. */
  readonly signs: Readonly<Record<string, string>>;
  /** @returns the noun of a number that `denominators` lacks */
  readonly nameDenominator?: (digits: string) => Noun | undefined;
  /** Between a whole number and a fraction, with its space: "y ". */
  readonly joint: string;
  /** A half after a whole number. */
  readonly half: string;
  /** @returns a whole number and a half where they are one word: "zweieinhalb" */
  readonly joinHalf?: (whole: string) => string;
  /** Halves of a noun, where the half follows it or has its gender: "dos horas y media", "media taza". */
  readonly halves?: Halves;
  /** Written like a fraction and spoken otherwise: "24/7". */
  readonly fixed?: Readonly<Record<string, string>>;
  /** @returns the words for two numbers that are no fraction: "15/20" */
  readonly verbalizeOther?: (top: string, bottom: string) => string | undefined;
}

interface Halves {
  readonly masculine: string;
  readonly feminine: string;
  /** Before the noun, with what separates them: "une demi-". */
  readonly before: Readonly<Record<'masculine' | 'feminine', string>>;
  /** @returns undefined for a word that is no noun. @param isCounted whether a number is before it */
  readonly guessGender: (noun: string, isCounted: boolean) => Gender | undefined;
}

/** "2 ½ horas", "½ taza", "2 h 1/2": a half with its noun. */
function createHalfRules({ halves, joint }: FractionWords, units: Nouns, speech: NumberVerbalizer) {
  if (halves === undefined) return { digits: [], signs: [] };
  const select = (gender: Gender) => (gender === 'feminine' ? 'feminine' : 'masculine');
  const verbalize = (whole: string | undefined, noun: string) => {
    const unit = units[noun];
    const gender = unit?.gender ?? halves.guessGender(noun, whole !== undefined);
    if (gender === undefined) return undefined;
    if (whole === undefined) return `${halves.before[select(gender)]}${unit?.one ?? noun}`;
    const form = unit === undefined ? noun : selectForm(speech, whole, unit);
    return `${speech.verbalizeQuantity(whole, gender)} ${form} ${joint}${halves[select(gender)]}`;
  };
  const noun = '[ \\u00a0](\\p{L}{1,20}[²³]?)(?![\\p{L}\\p{N}/]|\\.\\s?\\p{Ll})';
  const afterNoun = rule(/(?:½|1\/2)(?![\d/])/, (_match, { before }) => {
    const [, name = '', and] = /\d[ \u00a0]?(\p{L}{1,20})[ \u00a0](et |y |e )?$/u.exec(before) ?? [];
    const gender = units[name]?.gender ?? (name && halves.guessGender(name, true));
    return gender ? `${and === undefined ? joint : ''}${halves[select(gender)]}` : undefined;
  });
  return {
    digits: [
      rule(new RegExp(`(\\d{1,3})[ \\u00a0]?(?:½|(?<=[ \\u00a0])1\\/2)${noun}`, 'u'), ([, whole, name = '']) =>
        verbalize(whole, name),
      ),
      rule(new RegExp(`1\\/2${noun}`, 'u'), ([, name = '']) => verbalize(undefined, name)),
      afterNoun,
    ],
    signs: [rule(new RegExp(`½${noun}`, 'u'), ([, name = '']) => verbalize(undefined, name)), afterNoun],
  };
}

/** "3/4", "2 ½". */
export function createFractionRules(words: FractionWords, units: Nouns, speech: NumberVerbalizer) {
  const { denominators, signs, joint, half, fixed = {}, nameDenominator, verbalizeOther } = words;
  const verbalizeMixed = (whole: string, fraction: string): string =>
    fraction === half && words.joinHalf !== undefined
      ? words.joinHalf(whole)
      : `${speech.verbalizeCardinal(whole)} ${joint}${fraction}`;
  const verbalizeProper = (top: string, bottom: string): string | undefined => {
    // "Ley 39/2015": the number and the year of a law.
    if (/^(?:19|20)\d\d$/.test(bottom)) return undefined;
    const noun = denominators[Number(bottom)] ?? nameDenominator?.(bottom);
    if (noun === undefined || top.startsWith('0') || Number(top) >= Number(bottom)) return undefined;
    return `${speech.verbalizeQuantity(top, 'masculine')} ${top === '1' ? noun.one : noun.many}`;
  };
  const verbalizeSign = (sign: string): string => {
    const [top = '', bottom = ''] = sign.normalize('NFKC').split('⁄');
    return signs[sign] ?? verbalizeProper(top, bottom) ?? '';
  };
  const halfRules = createHalfRules(words, units, speech);
  const digits = [
    ...halfRules.digits,
    // "2 3/4 kg": "zwei drei Viertel Kilogramm", "dos kilogramos y tres cuartos"
    rule(
      new RegExp(
        `(\\d{1,3})(?: (\\d{1,2})\\/(\\d{1,2})|\\s?([½⅓⅔¼¾⅕-⅞]))${GAP}(${buildAlternatives(Object.keys(units))})(?![\\p{L}\\p{N}/²³])`,
        'u',
      ),
      ([, whole = '', top = '', bottom = '', sign = '', name = '']) => {
        const isHalf = sign === '½' || (top === '1' && bottom === '2');
        const fraction = isHalf ? half : sign ? verbalizeSign(sign) : verbalizeProper(top, bottom);
        const unit = units[name];
        if (!fraction || unit === undefined) return undefined;
        return words.halves === undefined
          ? `${verbalizeMixed(whole, fraction)} ${unit.part ?? unit.many}`
          : `${speech.verbalizeQuantity(whole, unit.gender)} ${selectForm(speech, whole, unit)} ${joint}${fraction}`;
      },
    ),
    // "1 1/2"
    rule(/(\d{1,3}) (\d{1,2})\/(\d{1,4})(?![\d/])/, ([, whole = '', top = '', bottom = '']) => {
      const fraction = top === '1' && bottom === '2' ? half : verbalizeProper(top, bottom);
      return fraction && verbalizeMixed(whole, fraction);
    }),
    rule(
      /(\d{1,3})\/(\d{1,4}|1\.000)(?:es?(?!\p{L}))?(?![\d/])/u,
      ([written, top = '', bottom = '']) =>
        fixed[written] ?? verbalizeProper(top, bottom.replace('.', '')) ?? verbalizeOther?.(top, bottom),
    ),
    rule(/(\d{1,4})\s?([½⅓⅔¼¾⅕-⅞])/u, ([, whole = '', sign = '']) =>
      verbalizeMixed(whole, sign === '½' ? half : verbalizeSign(sign)),
    ),
  ];
  return { digits, signs: [...halfRules.signs, rule(/[⅕-⅞]/u, ([sign]) => verbalizeSign(sign) || undefined)] };
}
