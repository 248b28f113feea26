/** Joins the sounds of a word into the syllables of a respelling. */

import { isVowelSound } from './respelling.ts';

/** Letters of a respelling. */
export interface SpelledSound {
  readonly letters: string;
  /** Of a vowel. */
  readonly isStressed: boolean;
}

interface Syllable {
  readonly onset: readonly string[];
  readonly vowel: string;
  readonly isStressed: boolean;
  coda: readonly string[];
}

const vowelsBeforeR: Readonly<Record<string, string>> = Object.fromEntries(
  'ah=ar a=air aw=or ay=air ee=eer eh=air e=air ih=eer i=eer o=or oh=or oo=oor u=ur uh=ur uu=oor er=er'
    .split(' ')
    .map((pair) => pair.split('=')),
);
const laxVowels = new Set(['a', 'eh', 'ih', 'uh', 'uu']);
/** "MOR-ee", not "MOH-ree"; but "VAY-rah". */
const vowelsWithR = new Set(['o', 'oh', 'aw']);
const onsets = new Set(
  'b bl br by ch d dr dw dy dz f fl fr fy g gl gr gw h hw hy j jw jy k kl kr kw ky l ly m my n ny p pl pr py r ry s sk skr skw sky sl sm sn sp spl spr st str sw sh shr shw shy chw chy t tr ts tw ty th thr v vl vr vy w y z zhy zw zy zh dh kh khw'.split(
    ' ',
  ),
);
/** A coda holds none of them. */
const NOT_IN_CODA = /^[hyw]$/;

/** @returns such as `KAH-kor-tok`; undefined: there is no vowel */
export function joinSyllables(sounds: readonly SpelledSound[]): string | undefined {
  const syllables: Syllable[] = [];
  let consonants: string[] = [];
  for (const { letters, isStressed } of sounds) {
    if (!isVowelSound(letters)) {
      if (consonants.at(-1) !== letters) consonants.push(letters);
      continue;
    }
    const { coda, onset } = splitConsonants(consonants, syllables.at(-1));
    const previous = syllables.at(-1);
    if (previous !== undefined) previous.coda = coda;
    syllables.push({ onset, vowel: letters, isStressed, coda: [] });
    consonants = [];
  }
  const last = syllables.at(-1);
  if (last === undefined) return undefined;
  last.coda = consonants;
  return syllables.map(writeSyllable).join('-');
}

/** The longest onset, except that a stressed lax vowel keeps a consonant. */
function splitConsonants(consonants: readonly string[], previous: Syllable | undefined) {
  if (previous === undefined) return { coda: [], onset: consonants };
  let from = 0;
  while (from < consonants.length && !isOnset(consonants.slice(from))) from += 1;
  const keepsOne = from === 0 && consonants.length > 0 && previous.isStressed && laxVowels.has(previous.vowel);
  const rest = consonants.slice(1);
  const keepsR = consonants[0] === 'r' && vowelsWithR.has(previous.vowel) && previous.isStressed;
  const canKeep = !NOT_IN_CODA.test(consonants[0] ?? '') && (rest.length === 0 || isOnset(rest));
  if ((keepsOne || (keepsR && from === 0)) && canKeep) from = 1;
  return { coda: consonants.slice(0, from), onset: consonants.slice(from) };
}

/** "s", "h" are not "sh". */
function isOnset(consonants: readonly string[]): boolean {
  return onsets.has(consonants.join('')) && consonants.lastIndexOf('h') <= 0;
}

function writeSyllable({ onset, vowel, isStressed, coda }: Syllable): string {
  const beforeR = coda[0] === 'r' ? vowelsBeforeR[vowel] : undefined;
  const letters = beforeR ?? (vowel === 'eye' && onset.length > 0 ? 'y' : vowel);
  const closing = coda.slice(beforeR === undefined ? 0 : 1).filter((sound) => !NOT_IN_CODA.test(sound));
  const syllable = onset.join('') + letters + closing.join('');
  return isStressed ? syllable.toUpperCase() : syllable;
}
