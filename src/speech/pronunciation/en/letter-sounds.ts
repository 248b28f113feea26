/** Respells a name as English newsreaders say names of its origin, by the table `origin-rules.txt`. */

import { isVowelSound, phonemizeRespelling } from '../respelling.ts';
import ruleTable from './origin-rules.txt' with { type: 'text' };

interface LetterRule {
  /** Sticky. */
  readonly pattern: RegExp;
  readonly sounds: readonly string[];
}

interface StressRule {
  readonly pattern: RegExp;
  /** From the end. */
  readonly place: number | 'first' | 'all';
}

interface OriginRules {
  readonly match?: RegExp;
  readonly signs: readonly RegExp[];
  readonly stress: readonly StressRule[];
  /** By the first letter. */
  readonly letters: ReadonlyMap<string, readonly LetterRule[]>;
}

const anyOrigin = 'Any';
const isDirective = new Set(['match', 'sign', 'stress']);
/** Nasals that are a syllable of their own at the start of African names: m-BAH-bahn. */
const SYLLABIC = /^[mn]$/;

/** A vowel that cannot have the stress. */
const UNCOUNTED = /\*$/;

/** Read at first use: most processes never speak. */
let rules: ReadonlyMap<string, OriginRules> | undefined;

/** @returns a respelling; undefined: the word is no name of this origin */
export function respellByOrigin(name: string, origin: string): string | undefined {
  rules ??= parseRules(ruleTable);
  const originRules = rules.get(origin);
  const other = rules.get(anyOrigin);
  // A Turkish İ in lowercase is an i and a dot.
  const word = name
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’]|\u0307/g, '');
  if (originRules === undefined || other === undefined || originRules.match?.test(word) === false) return undefined;
  const sounds = readSounds(word, originRules, other);
  if (sounds === undefined) return undefined;
  const [first = '', second = ''] = sounds;
  const isSyllabic =
    SYLLABIC.test(first) && second !== first && !isVowelSound(second.toLowerCase()) && !/^[wy]$/.test(second);
  const spoken = isSyllabic ? sounds.slice(1) : sounds;
  const respelling = joinSyllables(stress(spoken, findPlace(word, originRules)));
  if (respelling === undefined || phonemizeRespelling(respelling, 'us') === undefined) return undefined;
  return isSyllabic ? `${first}-${respelling}` : respelling;
}

/** @returns the origins that endings and other signs indicate */
export function findSignedOrigins(word: string): string[] {
  rules ??= parseRules(ruleTable);
  return [...rules].flatMap(([origin, { signs }]) => (signs.some((sign) => sign.test(word)) ? [origin] : []));
}

/** @returns undefined: a letter has no sound */
function readSounds(word: string, originRules: OriginRules, other: OriginRules): string[] | undefined {
  const sounds: string[] = [];
  for (let at = 0; at < word.length; ) {
    const letter = word.charAt(at);
    const plain = letter.normalize('NFD').charAt(0);
    const match =
      findRule(originRules.letters.get(letter), word, at) ??
      findRule(other.letters.get(letter), word, at) ??
      findRule(originRules.letters.get(plain), word.slice(0, at) + plain + word.slice(at + 1), at) ??
      findRule(other.letters.get(plain), plain, 0);
    if (match === undefined) return undefined;
    sounds.push(...match.rule.sounds);
    at += match.length;
  }
  return sounds;
}

function findRule(candidates: readonly LetterRule[] = [], word: string, at: number) {
  for (const rule of candidates) {
    rule.pattern.lastIndex = at;
    const match = rule.pattern.exec(word);
    if (match !== null) return { rule, length: match[0].length };
  }
  return undefined;
}

function findPlace(word: string, { stress: stressRules }: OriginRules): StressRule['place'] {
  return stressRules.find(({ pattern }) => pattern.test(word))?.place ?? 2;
}

/** An accent goes before the rule. */
function stress(sounds: readonly string[], place: StressRule['place']) {
  const isVowel = sounds.map((sound) => isVowelSound(sound.toLowerCase().replace(UNCOUNTED, '')));
  const vowels = isVowel.flatMap((vowel, index) => (vowel && !UNCOUNTED.test(sounds[index] ?? '') ? [index] : []));
  const accented = sounds.findLastIndex((sound) => sound !== sound.toLowerCase());
  const counted = typeof place === 'number' ? vowels[Math.max(0, vowels.length - place)] : vowels[0];
  const stressed = accented === -1 ? counted : accented;
  return sounds.map((sound, index) => ({
    letters: sound.toLowerCase().replace(UNCOUNTED, ''),
    isStressed: isVowel[index] === true && (place === 'all' || index === stressed),
  }));
}

function parseRules(table: string): Map<string, OriginRules> {
  const parsed = new Map<string, OriginRules>();
  for (const section of table.split('\n[').slice(1)) {
    const [head = '', ...lines] = section.split('\n');
    const origin = head.slice(0, -1);
    const rows = lines.map((line) => line.split(' '));
    const match = rows.find(([kind]) => kind === 'match')?.[1];
    const signs = rows.filter(([kind]) => kind === 'sign').map(([, pattern = '']) => new RegExp(pattern, 'u'));
    const stressRules = rows
      .filter(([kind]) => kind === 'stress')
      .map(([, pattern = '', place = '']): StressRule => {
        const where = place === 'first' || place === 'all' ? place : Number(place);
        return { pattern: new RegExp(pattern, 'u'), place: where };
      });
    const letterRules = rows
      .filter(([kind = '']) => kind !== '' && !isDirective.has(kind))
      .map(([pattern = '', ...sounds]) => ({
        letter: pattern.charAt(0),
        pattern: new RegExp(pattern, 'uy'),
        sounds: sounds.filter((sound) => sound !== '-'),
      }));
    const letters = Map.groupBy(letterRules, ({ letter }) => letter);
    parsed.set(origin, {
      ...(match === undefined ? {} : { match: new RegExp(match, 'u') }),
      signs,
      stress: stressRules,
      letters,
    });
  }
  return parsed;
}

/** Joins the sounds of a word into the syllables of a respelling. */
/** Letters of a respelling. */
interface SpelledSound {
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
  'b bl br by ch d dr dw dy dz f fl fr fy g gl gr gw h hw hy j jw jy k kl kr kw ky l ly m my n ny p pl pr py r ry s sk skr skw sky sl sm sn sp spl spr st str sw sh shr shw shy chw chy t tr ts tw ty th thr v vl vr vy w y yw z zhy zw zy zh dh kh khw'.split(
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
