/**
 * Pronunciations of capitalized words that the dictionary of names lacks: rules of the origin that their letters indicate, and the
 * names and rare words of the CMU Pronouncing Dictionary that espeak-ng says otherwise. `bun run make:cmudict` makes the tables.
 */
import { type AccentedRespelling, phonemizeRespelling, splitAccents } from '../respelling.ts';
import cmuTable from './cmudict.tsv' with { type: 'text' };
import knownWords from './known-words.txt' with { type: 'text' };
import { findSignedOrigins, respellByOrigin } from './letter-sounds.ts';
import weightTable from './origin-weights.tsv' with { type: 'text' };

/** Whether espeak-ng speaks an English word or American name well. `bun run make:known` makes the table. */
export function isKnownEnglishWord(word: string): boolean {
  return lookUp(knownWords, word.toLowerCase()) !== undefined;
}

/** Whether no rule of an origin speaks the word, although its letters look foreign. */
function isAlwaysEnglish(word: string): boolean {
  return lookUp(knownWords, word.toLowerCase()) === '-';
}

/**
 * Binary search in the text of a table, whose lines `word` or `word<TAB>value` are sorted: a map would take megabytes.
 * @returns the value; undefined: the table lacks the word
 */
function lookUp(table: string, word: string): string | undefined {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const line = table.lastIndexOf('\n', ((low + high) >> 1) - 1) + 1;
    const end = table.indexOf('\n', line);
    const [found = '', value = ''] = table.slice(line, end).split('\t');
    if (found === word) return value;
    if (found < word) low = end + 1;
    else high = line;
  }
  return undefined;
}

/** A word in a text: UTF-16 offsets, `end` exclusive. */
interface UnlistedName extends AccentedRespelling {
  readonly start: number;
  readonly end: number;
  readonly source: 'cmudict' | 'origin';
  /** Whose rules say it. */
  readonly origin?: string;
}

type Pronunciation = Omit<UnlistedName, 'start' | 'end'>;

interface Candidate {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly scores: OriginScores;
}

/** A capital and lowercase letters, perhaps after Mc or before the second half of a Korean name; a possessive is no part of it. */
const NAME =
  /(?<![\p{L}\p{M}\p{N}'’.])(?:Mc)?\p{Lu}(?:\p{Ll}{2,24}(?:-\p{Ll}{2,6})?|\p{Ll}-\p{Ll}{2,6})(?=['’]s(?![\p{L}\p{N}])|[^\p{L}\p{M}\p{N}'’]|$)/gu;
const GAELIC = /^Mc\p{Lu}/u;
const minCmuWord = 4;
/** Between two parts of a person's name. */
const JOINT = /^[ -]$/;
const maxJoint = 1;
/** Weight of a neighbour, compared with the word itself. */
const neighbourWeight = 0.4;
/** Origins whose names the CMU dictionary has as Americans of such descent say them, which is not how newsreaders do. */
const reliableOrigins = new Set(['Chinese', 'Japanese', 'Korean', 'Spanish', 'Polish']);
const certain = 0.9;
/** Of an origin that the name beside it shares. */
const likely = 0.6;
const pronunciations = new Map<string, Pronunciation | null>();
const maxCachedNames = 5000;
/** From which the rules of one origin decide. */
const clear = 0.7;
/** Of an origin whose reading counts. */
const minProbability = 0.01;
/** Distance from which two readings are not the same word. */
const otherWord = 1;
const hyphenatedOrigins = new Set(['Korean', 'Chinese']);

/** @returns the capitalized words that have a pronunciation, in order */
export function findUnlistedNames(text: string): UnlistedName[] {
  const candidates = [...text.matchAll(NAME)].map(
    ({ 0: word, index: start }): Candidate => ({ word, start, end: start + word.length, scores: scoreOrigins(word) }),
  );
  return candidates.flatMap((candidate, index) => {
    const { word, start, end } = candidate;
    const scores = addNeighbours(candidate, candidates[index - 1], candidates[index + 1], text);
    const found = scores === candidate.scores ? pronounceAlone(word, scores) : pronounce(word, scores, likely);
    return found === undefined ? [] : [{ start, end, ...found }];
  });
}

/** Names recur in a text, and each look-up takes microseconds. */
function pronounceAlone(name: string, scores: OriginScores): Pronunciation | undefined {
  const cached = pronunciations.get(name);
  if (cached !== undefined) return cached ?? undefined;
  const found = pronounce(name, scores);
  if (pronunciations.size >= maxCachedNames) pronunciations.clear();
  pronunciations.set(name, found ?? null);
  return found;
}

/** @param minProbability from which the rules of any origin take precedence over the CMU dictionary */
function pronounce(
  name: string,
  scores: OriginScores,
  minProbability = Number.POSITIVE_INFINITY,
): Pronunciation | undefined {
  const word = name.toLowerCase();
  const guess = guessOrigin(scores);
  const isRuled = guess !== undefined && (isWellRuled(guess) || guess.probability >= minProbability);
  const cmu = word.length < minCmuWord || isRuled ? undefined : lookUp(cmuTable, word);
  if (cmu !== undefined) return { ...splitAccents(cmu), source: 'cmudict' };
  if (guess === undefined || isAlwaysEnglish(word) || GAELIC.test(name)) return undefined;
  if (!isWellRuled(guess) && isKnownEnglishWord(word)) return undefined;
  const { origin } = guess;
  if (word.includes('-') && !hyphenatedOrigins.has(origin)) return undefined;
  const respelling = respellByOrigin(name, origin);
  if (respelling === undefined) return undefined;
  return guess.probability >= clear ? { respelling, source: 'origin', origin } : findCommonReading(name, scores);
}

interface Reading {
  readonly origin: string;
  readonly respelling: string;
  readonly phonemes: string;
  probability: number;
  support: number;
}

/** Of the readings by the rules of all probable origins, the one that the others are nearest to. */
function findCommonReading(name: string, { values }: OriginScores): Pronunciation | undefined {
  const readings: Reading[] = [];
  for (const { origin, probability } of listForeignOrigins(values)) {
    if (probability < minProbability) break;
    const respelling = respellByOrigin(name, origin);
    const phonemes = phonemizeRespelling(respelling ?? '', 'us');
    const same = readings.find((reading) => reading.phonemes === phonemes);
    if (same !== undefined) same.probability += probability;
    else if (respelling !== undefined && phonemes !== undefined)
      readings.push({ origin, respelling, phonemes, probability, support: 0 });
  }
  for (const [index, reading] of readings.entries()) {
    reading.support += reading.probability;
    for (const other of readings.slice(index + 1)) {
      const distance = measureDistance(reading.phonemes, other.phonemes);
      if (distance >= otherWord) continue;
      reading.support += other.probability * (1 - distance / 2);
      other.support += reading.probability * (1 - distance / 2);
    }
  }
  const [first, ...others] = readings;
  if (first === undefined) return undefined;
  const best = others.reduce((left, right) => (right.support > left.support ? right : left), first);
  return { respelling: best.respelling, source: 'origin', origin: best.origin };
}

/** Whether the rules go before the CMU dictionary. */
export function isWellRuled({ origin, probability }: OriginGuess): boolean {
  return reliableOrigins.has(origin) && probability >= certain;
}

/** What a foreign name beside a foreign name says of its origin counts, too. */
function addNeighbours(
  { word, start, end, scores }: Candidate,
  before: Candidate | undefined,
  after: Candidate | undefined,
  text: string,
): OriginScores {
  if (!scores.isForeign && isKnownEnglishWord(word)) return scores;
  const isJoined = (from: number, to: number) => to - from === maxJoint && JOINT.test(text.slice(from, to));
  const neighbours = [
    ...(before !== undefined && isJoined(before.end, start) ? [before] : []),
    ...(after !== undefined && isJoined(end, after.start) ? [after] : []),
  ].filter((neighbour) => neighbour.scores.isForeign);
  if (neighbours.length === 0) return scores;
  const weigh = (origin: number) =>
    neighbours.reduce((sum, neighbour) => sum + neighbourWeight * (neighbour.scores.values[origin] ?? 0), 0);
  const values = scores.values.map((score, origin) => score + weigh(origin));
  return { isForeign: scores.isForeign || isForeign(values), values };
}

/** Classifies names by origin: a linear model of letter groups, trained on names of each language. */
interface OriginScores {
  /** By origin, in the order of the table of weights. */
  readonly values: Float64Array;
  readonly isForeign: boolean;
}

interface OriginGuess {
  readonly origin: string;
  readonly probability: number;
}

const maxGram = 3;
/** The last of the origins. */
const english = 'English';
/** More likely English: left to the phonemizer. */
const maxEnglish = 0.6;
const weightUnit = 10;
const CELL = /([A-_])(-?\d+)/g;
const firstOrigin = 65;

/** Names recur in a text. */
const scoresByWord = new Map<string, OriginScores>();
const maxCachedWords = 5000;
/** As much as several groups of letters. */
const signWeight = 3;

/** In the order of the weights. */
const origins: readonly string[] = weightTable
  .slice(weightTable.indexOf('\t') + 1, weightTable.indexOf('\n'))
  .split(',');
/** Pairs of origin and weight by letter group, read at its first use: most words share a few hundred groups. */
const pairsByGram = new Map<string, readonly number[]>();
const maxCachedGrams = 20_000;

/** @returns the letter groups of a word that are features of the model, each once */
export function listGrams(word: string): string[] {
  const letters = `^${word.toLowerCase().normalize('NFC')}$`;
  const grams = new Set<string>();
  for (let size = 1; size <= maxGram; size += 1) {
    for (let at = 0; at + size <= letters.length; at += 1) {
      const gram = letters.slice(at, at + size);
      if (gram !== '^' && gram !== '$') grams.add(gram);
    }
  }
  return [...grams];
}

/** @returns the score of each origin for a name */
export function scoreOrigins(name: string): OriginScores {
  const word = name.toLowerCase().normalize('NFC');
  const cached = scoresByWord.get(word);
  if (cached !== undefined) return cached;
  const scores = new Float64Array(origins.length);
  for (const gram of listGrams(word)) {
    const pairs = readPairs(gram);
    for (let at = 0; at < pairs.length; at += 2) {
      const origin = pairs[at] ?? 0;
      scores[origin] = (scores[origin] ?? 0) + (pairs[at + 1] ?? 0);
    }
  }
  for (const origin of findSignedOrigins(word)) {
    const index = origins.indexOf(origin);
    scores[index] = (scores[index] ?? 0) + signWeight;
  }
  if (scoresByWord.size >= maxCachedWords) scoresByWord.clear();
  const result = { values: scores, isForeign: isForeign(scores) };
  scoresByWord.set(word, result);
  return result;
}

function readPairs(gram: string): readonly number[] {
  const cached = pairsByGram.get(gram);
  if (cached !== undefined) return cached;
  const cells = lookUp(weightTable, gram) ?? '';
  const pairs = [...cells.matchAll(CELL)].flatMap(([, origin = '', weight]) => [
    origin.charCodeAt(0) - firstOrigin,
    Number(weight) / weightUnit,
  ]);
  if (pairsByGram.size >= maxCachedGrams) pairsByGram.clear();
  pairsByGram.set(gram, pairs);
  return pairs;
}

/** The most likely foreign origin; undefined: the name looks English. */
export function guessOrigin({ values, isForeign: looksForeign }: OriginScores): OriginGuess | undefined {
  return looksForeign ? listForeignOrigins(values)[0] : undefined;
}

/** @returns the foreign origins, the most likely one first */
function listForeignOrigins(values: Float64Array): OriginGuess[] {
  const highest = Math.max(...values);
  const total = values.reduce((sum, score) => sum + Math.exp(score - highest), 0);
  return origins
    .slice(0, origins.indexOf(english))
    .map((origin, index) => ({ origin, probability: Math.exp((values[index] ?? 0) - highest) / total }))
    .sort((left, right) => right.probability - left.probability);
}

function isForeign(scores: Float64Array): boolean {
  const highest = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - highest), 0);
  return Math.exp((scores[origins.indexOf(english)] ?? 0) - highest) / total < maxEnglish;
}

interface Sound {
  readonly symbol: string;
  readonly isStressed: boolean;
}

const vowels = 'aeiouæɑəɛɪʊ';
const weakVowels = 'əɪiɛʊ';
const costs = { weakVowel: 0.1, unstressedVowel: 0.3, stressedVowel: 0.6, consonant: 1, kind: 2, stress: 0.35 };

/**
 * How far two pronunciations are apart: a weighted edit distance that ignores length, secondary stress and accents. From 1 on they
 * differ in a consonant, a stressed vowel, or the stress and a vowel beside it.
 */
export function measureDistance(left: string, right: string): number {
  const [rows, columns] = [readSounds(left), readSounds(right)];
  let above = [0];
  for (const [index, column] of columns.entries()) above.push((above[index] ?? 0) + deletionCost(column));
  for (const row of rows) {
    const current = [(above[0] ?? 0) + deletionCost(row)];
    for (const [index, column] of columns.entries()) {
      const substituted = (above[index] ?? 0) + substitutionCost(row, column);
      const dropped = (above[index + 1] ?? 0) + deletionCost(row);
      current.push(Math.min(substituted, dropped, (current[index] ?? 0) + deletionCost(column)));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}

function readSounds(phonemes: string): Sound[] {
  const plain = phonemes
    .replace(/[\s_ːˌ.,;:!?]/gu, '')
    .replace(/[ɐʌ]/g, 'ə')
    .replace(/[ɔɒ]/g, 'ɑ')
    .replaceAll('ɾ', 't')
    .replace(/ŋ(?=ˈ?[kɡ])/g, 'n')
    .replaceAll('oɹ', 'ɑɹ')
    .replaceAll('ᵻ', 'ɪ')
    .replace(/ɚ|ɜɹ?/g, 'əɹ');
  const sounds: Sound[] = [];
  let isStressed = false;
  for (const symbol of plain) {
    if (symbol !== 'ˈ') sounds.push({ symbol, isStressed });
    isStressed = symbol === 'ˈ';
  }
  return sounds;
}

/** "ROO-tyah" and "ROO-tee-ah" are accents of each other. */
function isGlidePair(left: Sound, right: Sound): boolean {
  const pair = [left, right].map(({ symbol, isStressed }) => (isStressed ? '' : symbol)).join('');
  return /^(?:j[iɪ]|[iɪ]j|w[uʊ]|[uʊ]w)$/.test(pair);
}

function deletionCost({ symbol, isStressed }: Sound): number {
  return vowels.includes(symbol) && !isStressed ? 0.5 : 1;
}

function substitutionCost(left: Sound, right: Sound): number {
  const stress = left.isStressed === right.isStressed ? 0 : costs.stress;
  if (left.symbol === right.symbol) return stress;
  const areVowels = [left, right].map(({ symbol }) => vowels.includes(symbol));
  if (areVowels[0] !== areVowels[1]) return (isGlidePair(left, right) ? costs.weakVowel : costs.kind) + stress;
  if (!areVowels[0]) return costs.consonant + stress;
  if (left.isStressed || right.isStressed) return costs.stressedVowel + stress;
  const areWeak = [left, right].every(({ symbol }) => weakVowels.includes(symbol));
  return areWeak ? costs.weakVowel : costs.unstressedVowel;
}
