import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { rowsOf } from './pairs.ts';

/** A class of texts with those that are said otherwise than accepted. */
export interface PronunciationScore {
  readonly name: string;
  readonly right: number;
  readonly near: number;
  readonly plainlyWrong: number;
  /** Those that are shown. */
  readonly wrong: readonly string[];
}

interface Sound {
  readonly symbol: string;
  readonly isStressed: boolean;
}

/** A distance up to this is an accent; from `plainlyWrong` on a sound or the place of the stress differs. */
const acceptedDistance = 0.5;
const plainlyWrong = 1;
const vowels = 'aeiouæɑəɛɪʊ';
const weakVowels = 'əɪiɛʊ';
const weights = { weakVowel: 0.1, unstressedVowel: 0.3, stressedVowel: 0.6, consonant: 1, kind: 2, stress: 0.35 };
const voice = parseVoiceConfig(JSON.stringify(aspen));
const phonemizer = createEspeakPhonemizer();
const replace = createReplacer([], 'en');

/**
 * How names and heteronyms are said, against accepted phonemes. `names.tsv`: kind, name, accepted phonemes with spaces between;
 * `heteronyms.tsv`: form, sentence with the form in asterisks, right and wrong phonemes.
 */
export async function scorePronunciations(folder: string): Promise<PronunciationScore[]> {
  const scores: PronunciationScore[] = [];
  if (existsSync(join(folder, 'names.tsv'))) scores.push(await scoreNames(rowsOf(join(folder, 'names.tsv')).slice(1)));
  if (existsSync(join(folder, 'heteronyms.tsv'))) {
    scores.push(await scoreHeteronyms(rowsOf(join(folder, 'heteronyms.tsv')).slice(1)));
  }
  return scores;
}

/**
 * How names are said against own respellings, written without a look at the dictionary: origin or kind, name, accepted respellings
 * with "|" between. The dictionary lacked those of the first two lists then: the rules were written with the first, the second is only
 * counted. The third has names as the news has them.
 */
export async function scoreUnseenNames(): Promise<PronunciationScore[]> {
  const scores: PronunciationScore[] = [];
  for (const list of ['dev', 'test', 'news']) {
    const rows = rowsOf(join(import.meta.dir, `unseen-names-${list}.tsv`));
    const score = await scoreNames(
      rows.map(([origin = '', name = '', spec = '']) => [origin, name, phonemizeAll(spec)]),
    );
    scores.push({
      ...score,
      name: `unseen names, ${list} (${rows.filter(([, name = '']) => isInDictionary(name)).length} in it now)`,
      wrong: list === 'test' ? [] : score.wrong,
    });
  }
  return scores;
}

/** Whether the dictionary has all of a name's words. */
function isInDictionary(name: string): boolean {
  const found = replace(name).replacements.filter(({ source }) => source === 'dictionary');
  const rest = found.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), name);
  return !/\p{L}/u.test(rest);
}

function phonemizeAll(spec: string): string {
  const phonemes = listStresses(spec).map((respelling) => phonemizeRespelling(respelling, 'us') ?? '');
  return phonemes.map((one) => one.replaceAll(' ', '_')).join(' ');
}

/** A word in capitals, such as Chinese or Korean, may have its stress on any syllable. */
function listStresses(spec: string): string[] {
  return spec.split('|').flatMap((respelling) => {
    const syllables = respelling.split('-');
    if (syllables.length === 1 || respelling !== respelling.toUpperCase()) return [respelling];
    return syllables.map((_, stressed) =>
      syllables.map((one, index) => (index === stressed ? one : one.toLowerCase())).join('-'),
    );
  });
}

async function scoreNames(rows: readonly string[][]): Promise<PronunciationScore> {
  const wrong: string[] = [];
  let near = 0;
  for (const [, name = '', accepted = ''] of rows) {
    const phonemes = await phonemize(`We saw ${name} there.`);
    const said = phonemes.replace(/^\S+ \S+ /u, '').replace(/ ?\S+$/u, '');
    const distance = Math.min(...accepted.split(' ').map((one) => measureDistance(said, one)));
    if (distance > acceptedDistance && distance < plainlyWrong) near += 1;
    if (distance >= plainlyWrong) wrong.push(`${name}: ${said}, accepted: ${accepted}`);
  }
  return { name: 'names', right: rows.length - near - wrong.length, near, plainlyWrong: wrong.length, wrong };
}

async function scoreHeteronyms(rows: readonly string[][]): Promise<PronunciationScore> {
  const wrong: string[] = [];
  for (const [form = '', marked = '', right = '', other = ''] of rows) {
    const words = (await phonemize(marked.replaceAll('*', ''))).split(' ');
    const nearest = (readings: string) =>
      Math.min(...readings.split(' ').flatMap((one) => words.map((word) => measureDistance(word, one))));
    if (nearest(right) >= nearest(other)) wrong.push(`${form}: ${marked}: ${words.join(' ')}`);
  }
  return { name: 'heteronyms', right: rows.length - wrong.length, near: 0, plainlyWrong: wrong.length, wrong };
}

async function phonemize(text: string): Promise<string> {
  const document = extractDocument({ content: text });
  const { sentences } = buildSentences(document, getLanguage('en'), replace);
  const { segments } = await planSegments(sentences, voice, phonemizer);
  return segments.map(({ phonemes }) => phonemes).join(' ');
}

/** Weighted edit distance that passes over length, secondary stress and accents. */
export function measureDistance(one: string, other: string): number {
  const [rows, columns] = [readSounds(one), readSounds(other)];
  let above = [0];
  for (const [index, column] of columns.entries()) above.push((above[index] ?? 0) + missing(column));
  for (const row of rows) {
    const current = [(above[0] ?? 0) + missing(row)];
    for (const [index, column] of columns.entries()) {
      const substituted = (above[index] ?? 0) + substitution(row, column);
      const dropped = (above[index + 1] ?? 0) + missing(row);
      current.push(Math.min(substituted, dropped, (current[index] ?? 0) + missing(column)));
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
function isGlidePair(one: Sound, other: Sound): boolean {
  const pair = [one, other].map(({ symbol, isStressed }) => (isStressed ? '' : symbol)).join('');
  return /^(?:j[iɪ]|[iɪ]j|w[uʊ]|[uʊ]w)$/.test(pair);
}

function missing({ symbol, isStressed }: Sound): number {
  return vowels.includes(symbol) && !isStressed ? 0.5 : 1;
}

function substitution(one: Sound, other: Sound): number {
  const stress = one.isStressed === other.isStressed ? 0 : weights.stress;
  if (one.symbol === other.symbol) return stress;
  const areVowels = [one, other].map(({ symbol }) => vowels.includes(symbol));
  if (areVowels[0] !== areVowels[1]) return (isGlidePair(one, other) ? weights.weakVowel : weights.kind) + stress;
  if (!areVowels[0]) return weights.consonant + stress;
  if (one.isStressed || other.isStressed) return weights.stressedVowel + stress;
  const areWeak = [one, other].every(({ symbol }) => weakVowels.includes(symbol));
  return areWeak ? weights.weakVowel : weights.unstressedVowel;
}
