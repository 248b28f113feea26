/**
 * Kokoro's vocabulary: symbols by token, from 0. It writes diphthongs and affricates as one symbol each (`A I O Q W Y`,
 * `ʣ ʤ ʥ ʦ ʧ ʨ`); gaps are tokens without a symbol.
 */
const vocabulary: readonly (readonly [firstToken: number, symbols: string])[] = [
  [1, ';:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

/** It stands at both ends of an utterance. */
const sign = 0;

/** @returns tokens by symbol, with the signs for start (`^`) and end (`$`) */
export function buildTokenMap(): Record<string, number[]> {
  const tokens = vocabulary.flatMap(([first, symbols]) =>
    [...symbols].map((symbol, index) => [symbol, [first + index]] as const),
  );
  return { '^': [sign], $: [sign], ...Object.fromEntries(tokens) };
}

const affricates = { dʒ: 'ʤ', tʃ: 'ʧ' };
/** Marks of espeak-ng between parts of a word, and of a dental sound. */
const silent = { '-': '', "'": '', '\u032a': '' };
/** A syllabic consonant is a consonant after a weak vowel. */
const syllabic = Object.fromEntries([...'nlmɹr'].map((one) => [`${one}\u0329`, `ᵊ${one === 'r' ? 'ɹ' : one}`]));
const diphthongs = { aɪ: 'I', aʊ: 'W', eɪ: 'A', ɔɪ: 'Y' };
const english = {
  ...affricates,
  ...diphthongs,
  ...silent,
  ...syllabic,
  ...{ ʔn: 'tᵊn', 'ʔn\u0329': 'tᵊn', 'ʔˌn\u0329': 'tᵊn', ʔ: 't', '\u0329': '' },
  ...{ ɐ: 'ə', r: 'ɹ', x: 'k', ç: 'k', ɬ: 'l', o: 'ɔ', '\u0303': '', ʲ: '' },
};
/** Kokoro's American English has no length marks, and a symbol for the flap. */
const american = { ...english, oʊ: 'O', ɚ: 'əɹ', ɚɹ: 'əɹ', ɜːɹ: 'ɜɹ', ɜː: 'ɜɹ', ɪə: 'iə', ɾ: 'T', ː: '' };
const british = { ...english, əʊ: 'Q', eə: 'ɛː', iə: 'ɪə', ɚ: 'əɹ' };
const others = { ...affricates, ...silent, ts: 'ʦ', dz: 'ʣ', g: 'ɡ' };
const othersWithDiphthongs = { ...others, ...diphthongs, oʊ: 'O' };

/** By the first letter of a style: espeak-ng's voice and locale, and what Kokoro has in place of espeak-ng's symbols. */
export const kokoroLanguages = {
  a: { espeak: 'en-us', locale: 'en_US', rules: american },
  b: { espeak: 'en-gb', locale: 'en_GB', rules: british },
  e: { espeak: 'es', locale: 'es_ES', rules: othersWithDiphthongs },
  f: { espeak: 'fr', locale: 'fr_FR', rules: others },
  h: { espeak: 'hi', locale: 'hi_IN', rules: othersWithDiphthongs },
  i: { espeak: 'it', locale: 'it_IT', rules: othersWithDiphthongs },
  p: { espeak: 'pt-br', locale: 'pt_BR', rules: othersWithDiphthongs },
} as const satisfies Record<string, { espeak: string; locale: string; rules: Readonly<Record<string, string>> }>;

/** @returns the rules as a config has them: lists of symbols */
export function buildSymbolMap(rules: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(rules).map(([from, to]) => [from, [...to]]));
}
