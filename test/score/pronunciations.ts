import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { measureDistance } from '../../src/speech/pronunciation/en/unlisted-names.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig, type VoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { readRows } from './pairs.ts';

/** Counts of a class by distance from the accepted phonemes. */
export interface PronunciationScore {
  readonly name: string;
  readonly right: number;
  readonly near: number;
  readonly plainlyWrong: number;
  /** Texts to print. */
  readonly wrong: readonly string[];
}

/** Up to this distance the difference is an accent; from `plainlyWrong` on a sound or the position of the stress differs. */
const acceptedDistance = 0.5;
const plainlyWrong = 1;
const voice = parseVoiceConfig(JSON.stringify(aspen));
/** The symbols of the built-in voice, with the accent of a British one. */
const britishVoice = { ...voice, espeakVoice: 'en-gb-x-rp' };
const phonemizer = createEspeakPhonemizer();
const replace = createReplacer([], 'en');

/**
 * Compares the phonemes of names and heteronyms with accepted ones. `names.tsv`: kind, name, accepted phonemes separated by spaces;
 * `heteronyms.tsv`: form, sentence with the form in asterisks, correct and wrong phonemes.
 */
export async function scorePronunciations(folder: string): Promise<PronunciationScore[]> {
  const scores: PronunciationScore[] = [];
  if (existsSync(join(folder, 'names.tsv')))
    scores.push(await scoreNames(readRows(join(folder, 'names.tsv')).slice(1)));
  if (existsSync(join(folder, 'heteronyms.tsv'))) {
    const rows = readRows(join(folder, 'heteronyms.tsv')).slice(1);
    scores.push(await scoreHeteronyms(rows, voice), await scoreHeteronyms(rows, britishVoice));
  }
  return scores;
}

/**
 * Compares the phonemes of names with respellings that were written without looking at the dictionary: origin or kind, name, accepted
 * respellings separated by "|". The dictionary lacked the first two lists at that time. The rules were written with the first list; the
 * second is only counted. The third and the fourth have names from the news; the dictionary had most of the fourth when it was written.
 * The fifth was drawn at random from news articles and public lists.
 */
export async function scoreUnseenNames(): Promise<PronunciationScore[]> {
  const scores: PronunciationScore[] = [];
  for (const list of ['dev', 'test', 'news', '2026', 'drawn']) {
    const rows = readRows(join(import.meta.dir, `unseen-names-${list}.tsv`));
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

function isInDictionary(name: string): boolean {
  const found = replace(name).replacements.filter(({ source }) => source === 'dictionary');
  const rest = found.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), name);
  return !/\p{L}/u.test(rest);
}

function phonemizeAll(spec: string): string {
  const phonemes = listStresses(spec).map((respelling) => phonemizeRespelling(respelling, 'us') ?? '');
  return phonemes.map((word) => word.replaceAll(' ', '_')).join(' ');
}

/** A word in capitals, such as Chinese or Korean, may have its stress on any syllable. */
function listStresses(spec: string): string[] {
  return spec.split('|').flatMap((respelling) => {
    const syllables = respelling.split('-');
    if (syllables.length === 1 || respelling !== respelling.toUpperCase()) return [respelling];
    return syllables.map((_, stressed) =>
      syllables.map((syllable, index) => (index === stressed ? syllable : syllable.toLowerCase())).join('-'),
    );
  });
}

async function scoreNames(rows: readonly string[][]): Promise<PronunciationScore> {
  const errors: string[] = [];
  let near = 0;
  for (const [, name = '', accepted = ''] of rows) {
    const phonemes = await phonemize(`We saw ${name} there.`);
    const phonemesOfName = phonemes.replace(/^\S+ \S+ /u, '').replace(/ ?\S+$/u, '');
    const distance = Math.min(...accepted.split(' ').map((expected) => measureDistance(phonemesOfName, expected)));
    if (distance > acceptedDistance && distance < plainlyWrong) near += 1;
    if (distance >= plainlyWrong) errors.push(`${name}: ${phonemesOfName}, accepted: ${accepted}`);
  }
  return { name: 'names', right: rows.length - near - errors.length, near, plainlyWrong: errors.length, wrong: errors };
}

async function scoreHeteronyms(rows: readonly string[][], speaker: VoiceConfig): Promise<PronunciationScore> {
  const errors: string[] = [];
  for (const [form = '', marked = '', right = '', other = ''] of rows) {
    const words = foldBritish(await phonemize(marked.replaceAll('*', ''), speaker)).split(' ');
    const nearest = (readings: string) =>
      Math.min(...readings.split(' ').flatMap((reading) => words.map((word) => measureDistance(word, reading))));
    if (nearest(right) >= nearest(other)) errors.push(`${form}: ${marked}: ${words.join(' ')}`);
  }
  return {
    name: speaker === voice ? 'heteronyms' : 'heteronyms, British voice',
    right: rows.length - errors.length,
    near: 0,
    plainlyWrong: errors.length,
    wrong: errors,
  };
}

async function phonemize(text: string, speaker = voice): Promise<string> {
  const document = extractDocument({ content: text });
  const { sentences } = buildSentences(document, getLanguage('en'), replace);
  const { segments } = await planSegments(sentences, speaker, phonemizer);
  return segments.map(({ phonemes }) => phonemes).join(' ');
}

/** British diphthongs as the American sounds of the references. */
function foldBritish(phonemes: string): string {
  return phonemes.replaceAll('əʊ', 'oʊ').replaceAll('eə', 'ɛɹ').replaceAll('iə', 'ɪɹ').replaceAll('ʊə', 'ʊɹ');
}
