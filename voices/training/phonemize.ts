import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Language } from '../../src/speech/normalize/language.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer, encodePhonemeIds } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';

/**
 * Converts sentences to phoneme ids with the phonemizer of Lectern, so that training and synthesis have the same input.
 *     bun phonemize.ts CONFIG.onnx.json SENTENCES.tsv PHONEMES.jsonl               lines of id<TAB>sentence, unchanged
 *     bun phonemize.ts CONFIG.onnx.json TEXT.tsv PHONEMES.jsonl --choose 45000     lines of source<TAB>paragraph, of collect.py
 * With --choose, paragraphs are split into sentences and normalized; sentences that are not clean prose, too long or
 * duplicates are excluded; up to the given number of the rest are drawn, 8 % of them as headlines without a full stop, and shuffled.
 */
interface Row {
  id: string;
  text: string;
}
interface Sentence extends Row {
  source: string;
  written: string;
}
interface Phonemized extends Row {
  phonemes: string[];
  ids: number[];
}

const writtenMax = 420;
const spokenMax = 285;
const [phonemesMin, phonemesMax] = [5, 300];
const headlineShare = 0.08;
const headlineLength = { min: 22, max: 95 };
/** Maximum per source, so that no single one dominates the training data. */
const sourceShareMax = 0.5;
const batchSize = 2000;
const seed = 20261123;

const accents: Record<string, string> = { en: '', fr: 'àâäçéèêëîïôöùûüœæ', es: 'áéíóúüñ' };
const commonWords: Record<string, RegExp> = {
  en: /\b(the|a|of|and|to|in|is|was|for|on|with|that|it|he|she|we|you|I|by|at|from|as|his|not|are|this|my|our)\b/i,
  fr: /\b(le|la|les|l|de|des|du|un|une|et|en|est|que|qui|dans|pour|à|au|aux|il|elle|je|vous|nous|ne|pas|ce|se|par|sur|d|j|c|qu)\b/i,
  es: /\b(el|la|los|las|de|del|un|una|y|en|es|que|con|por|para|al|a|se|no|su|lo|me|te|le|mi|tu)\b/i,
};
const pronouns =
  /^(I|We|He|She|It|They|You|This|That|These|There|But|And|So|My|Our|If|Let|Il|Elle|Ils|Elles|On|Je|J|Nous|Vous|C|Ce|Cette|Cela|Mais|Et|Tu|Y|Pero|Esto|Eso|Este|Esta|Lo|Se|Yo|No|Me|Les|Le)\b/;

/** Code, addresses, paths, markup, other scripts, broken punctuation, sentences run together. */
const unwanted = [
  /[<>{}\\|_^~`@=+*#§©®™•→←[\]\0]/,
  /\$(?!\s?\d)/,
  /https?:|www\.|\.(com|org|net|html?|txt|conf|gz|png|xml|pdf|fr|es|de|edu|gov|exe)\b/i,
  /(^|\s)--?[a-z]|(^|\s)\/\w|\w\/\w+\/|%\w|&\w+;/,
  /[\u0370-\u1dff\u2190-\u2bff\u3000-\uffff]/,
  /[¿¡]\s|[:;,]\.$|\s[.,](\s|$)/,
  /[a-z][A-Z]{2}|[a-zà-ÿ][.!?][A-Z][a-z]|[a-z]{3,},[a-zA-Z]/,
  /[?!.,;:]{4,}|,\s*[,.;]|\(\s*\)|\s[?!]{2,}/,
];

const { positionals, values } = parseArgs({ allowPositionals: true, options: { choose: { type: 'string' } } });
const [configPath, inputPath, phonemesPath] = positionals;
if (configPath === undefined || inputPath === undefined || phonemesPath === undefined) {
  throw new Error('usage: phonemize.ts CONFIG.onnx.json SENTENCES.tsv PHONEMES.jsonl [--choose COUNT]');
}
const config = readFileSync(configPath, 'utf8');
const voice = parseVoiceConfig(config);
const { language: configured } = JSON.parse(config) as { language: { family: string } };
const random = createRandom(seed);

const rows = readRows(readFileSync(inputPath, 'utf8'));
if (values.choose === undefined) {
  const found = await phonemize(rows);
  write(found.filter(({ phonemes }) => phonemes.length > 0));
} else {
  const found = await phonemize(chooseSentences(rows, getLanguage(configured.family), Number(values.choose)));
  write(found.filter(isTrainable));
}

function write(found: Phonemized[]): void {
  writeFileSync(phonemesPath ?? '', found.map((row) => `${JSON.stringify(row)}\n`).join(''));
  process.stdout.write(`${rows.length} lines, ${found.length} sentences phonemized\n`);
}

/** Mulberry32: the same sentences on every machine. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

function readRows(content: string): Row[] {
  return content
    .split('\n')
    .filter((line) => line.includes('\t'))
    .map((line) => {
      const tab = line.indexOf('\t');
      return { id: line.slice(0, tab), text: line.slice(tab + 1) };
    });
}

async function phonemize(sentences: Row[]): Promise<Phonemized[]> {
  const phonemizer = createEspeakPhonemizer();
  const found: Phonemized[] = [];
  for (let at = 0; at < sentences.length; at += batchSize) {
    const batch = sentences.slice(at, at + batchSize);
    const phonemes = await phonemizer.phonemize(
      batch.map(({ text }) => text),
      voice,
    );
    for (const [index, row] of batch.entries()) {
      const symbols = phonemes[index] ?? [];
      found.push({ ...row, phonemes: symbols, ids: encodePhonemeIds(symbols, voice).ids });
    }
  }
  return found;
}

function isTrainable({ phonemes }: Phonemized): boolean {
  const isKnown = encodePhonemeIds(phonemes, voice).unknown.length === 0;
  return isKnown && phonemes.length >= phonemesMin && phonemes.length <= phonemesMax;
}

function chooseSentences(paragraphs: Row[], language: Language, count: number): Row[] {
  const seen = new Set<string>();
  const pools = new Map<string, Sentence[]>();
  for (const { id: source, text } of paragraphs) {
    const paragraph = clean(text);
    for (const { start, end } of language.splitSentences(paragraph)) {
      const sentence = normalize(source, paragraph.slice(start, end).trim(), language);
      const key = sentence?.text.toLowerCase().replace(/[^\p{L}]+/gu, '');
      if (sentence === undefined || key === undefined || seen.has(key)) continue;
      seen.add(key);
      const pool = pools.get(source) ?? [];
      pool.push(sentence);
      pools.set(source, pool);
    }
  }
  const capped = [...pools.values()].flatMap((pool) => draw(pool, Math.ceil(count * sourceShareMax)));
  const chosen = draw(capped, count);
  const headlines = new Set(chosen.filter(isLikeHeadline).slice(0, Math.round(count * headlineShare)));
  return shuffle(chosen).map((sentence, index) => ({
    id: `${language.code}${String(index + 1).padStart(5, '0')}`,
    text: headlines.has(sentence) ? sentence.text.replace(/\.$/, '') : sentence.text,
  }));
}

function clean(text: string): string {
  return text
    .replace(/[\u00ad\u200b-\u200f\ufeff\u202a-\u202e]/g, '')
    .replace(/[\u00a0\u202f\u2009\t]/g, ' ')
    .replace(/``|''/g, '"')
    .replace(/\s*\.\s?\.\s?\.|…/g, '...')
    .replace(/-{2,3}/g, '—')
    .replace(/\[\d+\]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[-–—•*·#>\s]+/, '')
    .trim();
}

function normalize(source: string, written: string, language: Language): Sentence | undefined {
  if (!isProse(written, language.code)) return undefined;
  const tokens = language.normalize(written);
  if (tokens.some(({ leftOutReason }) => leftOutReason !== undefined)) return undefined;
  const spoken = tokens.map((token) => token.spoken).join('');
  const text = spoken
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.;:!?])/g, '$1')
    .trim();
  if (text.length > spokenMax || !/\p{L}/u.test(text) || /\d/.test(text)) return undefined;
  return { id: '', source, text, written };
}

/** A whole sentence of the language, with few capitals, digits and single letters, and brackets in pairs. */
function isProse(text: string, code: string): boolean {
  if (text.length < 4 || text.length > writtenMax || unwanted.some((pattern) => pattern.test(text))) return false;
  if (!/^["'“”„«»‘’(¿¡—–-]*\s?[\p{Lu}\d]/u.test(text) || !/[.!?…:;]["'”’»)\s]*$/.test(text)) return false;
  if (code !== 'en' && count(text, /\b(the|and|you|is|of|with|don't|this|are|to|for)\b/gi) > 1) return false;
  const words = text.match(/[\p{L}’'-]+/gu) ?? [];
  if (words.length < 2 || words.some((word) => word.length > 34)) return false;
  const capitals = words.filter(
    (word) => word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase(),
  );
  if (capitals.length > 0.15 * words.length) return false;
  if (words.filter((word) => word.length === 1).length > Math.max(2, 0.25 * words.length)) return false;
  if (words.length >= 5 && commonWords[code]?.test(text) === false) return false;
  const isOfLanguage = (letter: string) => /[a-z]/.test(letter) || (accents[code] ?? '').includes(letter);
  const letters = text.toLowerCase().match(/\p{L}/gu) ?? [];
  if (letters.length < 0.6 * text.length || letters.filter((letter) => !isOfLanguage(letter)).length > 3) return false;
  if (count(text, /\d/g) > 0.2 * text.length || /(.)\1{3,}/.test(text.replaceAll('.', ''))) return false;
  return (
    count(text, /\(/g) === count(text, /\)/g) &&
    count(text, /"/g) % 2 === 0 &&
    count(text, /«/g) === count(text, /»/g) &&
    count(text, /“/g) === count(text, /”/g)
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function isLikeHeadline({ written }: Sentence): boolean {
  return (
    written.length >= headlineLength.min &&
    written.length <= headlineLength.max &&
    /[\p{Ll}\d]\.$/u.test(written) &&
    !/["“”«»;:]/.test(written) &&
    !pronouns.test(written)
  );
}

/** Questions and sentences with quotations, brackets or numbers are more likely than plain ones, very short ones less. */
function computeWeight({ written }: Sentence): number {
  const brevity = written.length < 25 ? 0.3 : written.length < 42 ? 0.6 : 1;
  const question = written.includes('?') ? 3 : 1;
  const punctuation = /["“«()—:;\d]/.test(written) ? 1.6 : 1;
  return brevity * question * punctuation;
}

/** A weighted sample without replacement. */
function draw(sentences: Sentence[], size: number): Sentence[] {
  return sentences
    .map((sentence) => ({ sentence, key: Math.log(random() + 1e-12) / computeWeight(sentence) }))
    .sort((a, b) => b.key - a.key)
    .slice(0, size)
    .map(({ sentence }) => sentence);
}

function shuffle(sentences: Sentence[]): Sentence[] {
  return sentences
    .map((sentence) => ({ sentence, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ sentence }) => sentence);
}
