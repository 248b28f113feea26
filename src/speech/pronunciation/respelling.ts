/**
 * Respellings as newsrooms write them: `zeh-LEN-skee`. Syllables stand between hyphens, the stressed ones in capitals.
 * docs/pronunciations.md lists the letters.
 */

/** English as newsreaders in the United States or in Britain speak it. */
export type Accent = 'us' | 'gb';

interface Sound {
  readonly us: string;
  /** Without it, the same as `us`. */
  readonly gb?: string;
  /** Without stress. */
  readonly weak?: string;
}

/** What one entry says in both accents. */
export interface AccentedRespelling {
  readonly respelling: string;
  /** In Britain, where more than the accent differs. */
  readonly britishRespelling?: string;
}

/** Longest first, so that `eer` is not read as `ee` and `r`. */
const VOWELS: Readonly<Record<string, Sound>> = {
  air: { us: 'ɛɹ', gb: 'eəɹ' },
  eer: { us: 'ɪɹ', gb: 'iəɹ' },
  oor: { us: 'ʊɹ', gb: 'ʊəɹ' },
  uur: { us: 'ʊɹ', gb: 'ʊəɹ' },
  eye: { us: 'aɪ' },
  ah: { us: 'ɑː' },
  ar: { us: 'ɑːɹ' },
  aw: { us: 'ɔː' },
  ay: { us: 'eɪ' },
  ee: { us: 'iː', weak: 'i' },
  eh: { us: 'ɛ' },
  er: { us: 'ɜː', weak: 'ɚ' },
  ih: { us: 'ɪ' },
  oh: { us: 'oʊ', gb: 'əʊ' },
  oo: { us: 'uː' },
  or: { us: 'oːɹ', gb: 'ɔːɹ' },
  ow: { us: 'aʊ' },
  oy: { us: 'ɔɪ' },
  uh: { us: 'ʌ', weak: 'ə' },
  eur: { us: 'ɜː' },
  ur: { us: 'ɜː', weak: 'ɚ' },
  uu: { us: 'ʊ' },
  a: { us: 'æ' },
  e: { us: 'ɛ' },
  i: { us: 'ɪ' },
  o: { us: 'ɑː', gb: 'ɒ' },
  u: { us: 'ʌ', weak: 'ə' },
  y: { us: 'aɪ' },
};

const CONSONANTS: Readonly<Record<string, string>> = {
  tch: 'tʃ',
  ch: 'tʃ',
  ck: 'k',
  dh: 'ð',
  kh: 'x',
  ng: 'ŋ',
  sh: 'ʃ',
  th: 'θ',
  zh: 'ʒ',
  ...Object.fromEntries([...'bdfhklmnpstvwz'].map((letter) => [letter, letter])),
  g: 'ɡ',
  j: 'dʒ',
  r: 'ɹ',
  x: 'ks',
  y: 'j',
};

const CONSONANT = 'tch|ch|ck|dh|kh|ng|sh|th|zh|[bdfghjklmnprstvwxyz]';
const SYLLABLE = new RegExp(
  `^((?:${CONSONANT})*?)(${Object.keys(VOWELS).join('|')})((?:tch|ch|ck|dh|kh|ng|sh|th|zh|[bdfgjklmnprstvwxz])*)$`,
);
/** A consonant before another syllable: the "m" of m-BAH-bahn. */
const NO_VOWEL = new RegExp(`^(?:${CONSONANT})+$`);
/** A `y` before a vowel is a consonant. */
const INITIAL_Y = /^([bdfghjklmnprstvwz]*)y(?=[aeiou])/;
const EACH_CONSONANT = new RegExp(CONSONANT, 'g');

/** "CHEK-on" and "chek-KON" have one k, "RAHD-jah" has no d before its j: English says no consonant twice. */
const SAME_CONSONANTS = /([bdfhklmnprstvzɡɹʃ])([ˈˌ]?)\1/g;

/** Several syllables, at least one of them stressed and one not: `KAH-kor-tok`, not `CD-ROM` or `hands-on`. */
const RESPELLING = /^(?=.*\b[A-Z]+\b)(?=.*\b[a-z]+\b)(?:[A-Z]+|[a-z]+)(?:[- ](?:[A-Z]+|[a-z]+))*$/;

/** Whether letters of a respelling are a vowel; `y` is the consonant, `eye` the vowel. */
export function isVowelSound(letters: string): boolean {
  return Object.hasOwn(VOWELS, letters) && letters !== 'y';
}

/** Whether a text looks like a respelling; it may hold syllables that cannot be read. */
export function isRespelling(text: string): boolean {
  return text.includes('-') && RESPELLING.test(text);
}

/** @param respellings "buh-FAY/BUUF-ay", or one for both accents */
export function splitAccents(respellings: string): AccentedRespelling {
  const [respelling = '', britishRespelling] = respellings.split('/');
  return { respelling, ...(britishRespelling === undefined ? {} : { britishRespelling }) };
}

/** @returns the phonemes of a respelling, as espeak-ng writes them; undefined: the text is no respelling */
export function phonemizeRespelling(respelling: string, accent: Accent): string | undefined {
  const words = respelling.split(' ').map((word) => phonemizeWord(word, accent));
  return words.includes(undefined) ? undefined : words.join(' ');
}

function phonemizeWord(word: string, accent: Accent): string | undefined {
  const syllables = word.split('-');
  const isStressed = syllables.map((syllable) => syllable !== syllable.toLowerCase());
  const primary = isStressed.lastIndexOf(true);
  const phonemes = syllables.map((syllable, index) => {
    if (isStressed[index] && syllable !== syllable.toUpperCase()) return undefined;
    const stress = index === primary ? 'ˈ' : isStressed[index] ? 'ˌ' : '';
    return phonemizeSyllable(syllable.toLowerCase(), stress, index === syllables.length - 1, accent);
  });
  if (phonemes.includes(undefined)) return undefined;
  return placeR(phonemes.join('').replace(SAME_CONSONANTS, '$2$1'), accent);
}

function phonemizeSyllable(syllable: string, stress: string, isLast: boolean, accent: Accent): string | undefined {
  const isGlide = INITIAL_Y.test(syllable);
  const [, onset = '', vowel = '', coda = ''] =
    SYLLABLE.exec(isGlide ? syllable.replace(INITIAL_Y, '$1') : syllable) ?? [];
  if (vowel === '') return NO_VOWEL.test(syllable) && stress === '' ? readConsonants(syllable) : undefined;
  const sound = VOWELS[vowel];
  if (sound === undefined) return undefined;
  const isWeak = stress === '' && sound.weak !== undefined && (vowel !== 'ee' || (isLast && coda === ''));
  const spoken = isWeak ? sound.weak : accent === 'gb' ? (sound.gb ?? sound.us) : sound.us;
  return `${readConsonants(onset)}${isGlide ? 'j' : ''}${stress}${spoken}${readConsonants(coda)}`;
}

/** Double letters are one sound. */
function readConsonants(letters: string): string {
  const single = letters.replace(/([bdfgklmnprstvz])\1/g, '$1');
  return (single.match(EACH_CONSONANT) ?? [])
    .map((letter, index, all) =>
      letter === 'n' && /^[gk]$/.test(all[index + 1] ?? '') ? 'ŋ' : (CONSONANTS[letter] ?? ''),
    )
    .join('');
}

/** An r is heard between a vowel that ends in one and the next. British English speaks no other after a vowel, and ɚ as ə. */
function placeR(phonemes: string, accent: Accent): string {
  const linked = phonemes.replace(/(ɜː|ɚ)(?=[ˈˌ]?[aeioæɑɔəɛɜɪʊʌɚ])/g, '$1ɹ');
  if (accent === 'us') return linked;
  return linked.replace(/(?<=[əːæɪʊ])ɹ(?![ˈˌ]?[aeioæɑɒɔəɛɜɪʊʌɚ])/g, '').replaceAll('ɚ', 'ə');
}
