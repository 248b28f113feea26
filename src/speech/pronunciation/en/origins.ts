/** Classifies names by origin: a linear model of letter groups, trained on names of each language. */

import { findSignedOrigins } from './letter-sounds.ts';
import weightTable from './origin-weights.tsv' with { type: 'text' };

export interface OriginScores {
  /** By origin, in the order of the table of weights. */
  readonly values: Float64Array;
  readonly isForeign: boolean;
}

export interface OriginGuess {
  readonly origin: string;
  readonly probability: number;
}

interface Model {
  readonly origins: readonly string[];
  /** Pairs of origin and weight by letter group. */
  readonly weights: ReadonlyMap<string, readonly number[]>;
}

const maxGram = 3;
/** The last of the origins. */
const english = 'English';
/** More likely English: left to the phonemizer. */
const maxEnglish = 0.5;
const weightUnit = 10;
const CELL = /([A-_])(-?\d+)/g;
const firstOrigin = 65;

/** Names recur in a text. */
const scoresByWord = new Map<string, OriginScores>();
const maxCachedWords = 5000;
/** As much as several groups of letters. */
const signWeight = 3;

/** Read at first use: most processes never speak. */
let model: Model | undefined;

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
  const { origins, weights } = readModel();
  const scores = new Float64Array(origins.length);
  for (const gram of listGrams(word)) {
    const pairs = weights.get(gram) ?? [];
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
  const result = { values: scores, isForeign: isForeign(scores, origins) };
  scoresByWord.set(word, result);
  return result;
}

function readModel(): Model {
  if (model !== undefined) return model;
  const [head = '', ...lines] = weightTable.trim().split('\n');
  const origins = head.slice(head.indexOf('\t') + 1).split(',');
  const weights = new Map(
    lines.map((line): [string, number[]] => {
      const [gram = '', cells = ''] = line.split('\t');
      return [
        gram,
        [...cells.matchAll(CELL)].flatMap(([, origin = '', weight]) => [
          origin.charCodeAt(0) - firstOrigin,
          Number(weight) / weightUnit,
        ]),
      ];
    }),
  );
  model = { origins, weights };
  return model;
}

/** The most likely foreign origin; undefined: the name looks English. */
export function guessOrigin({ values, isForeign: looksForeign }: OriginScores): OriginGuess | undefined {
  if (!looksForeign) return undefined;
  const { origins } = readModel();
  const foreign = values.slice(0, origins.indexOf(english));
  const best = foreign.indexOf(Math.max(...foreign));
  const total = values.reduce((sum, score) => sum + Math.exp(score - (values[best] ?? 0)), 0);
  return { origin: origins[best] ?? '', probability: 1 / total };
}

function isForeign(scores: Float64Array, origins: readonly string[]): boolean {
  const highest = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - highest), 0);
  return Math.exp((scores[origins.indexOf(english)] ?? 0) - highest) / total < maxEnglish;
}
