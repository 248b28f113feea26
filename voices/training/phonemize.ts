import { readFileSync, writeFileSync } from 'node:fs';
import { createEspeakPhonemizer, encodePhonemeIds } from '../../src/speech/phonemize/phonemizer.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';

/**
 * Sentences to phoneme ids, with the phonemizer that speaks for readers later: the voice learns from what it will be fed.
 * `bun phonemize.ts CONFIG.onnx.json SENTENCES.tsv PHONEMES.jsonl`
 */
const [configPath, sentencesPath, phonemesPath] = process.argv.slice(2);
if (configPath === undefined || sentencesPath === undefined || phonemesPath === undefined) {
  throw new Error('usage: phonemize.ts CONFIG.onnx.json SENTENCES.tsv PHONEMES.jsonl');
}

const voice = parseVoiceConfig(readFileSync(configPath, 'utf8'));
const rows = readFileSync(sentencesPath, 'utf8')
  .split('\n')
  .filter((line) => line.includes('\t'))
  .map((line) => {
    const tab = line.indexOf('\t');
    return { id: line.slice(0, tab), text: line.slice(tab + 1) };
  });
const phonemes = await createEspeakPhonemizer().phonemize(
  rows.map(({ text }) => text),
  voice,
);
const lines = rows.flatMap((row, index) => {
  const symbols = phonemes[index] ?? [];
  if (symbols.length === 0) return [];
  return [JSON.stringify({ ...row, phonemes: symbols, ids: encodePhonemeIds(symbols, voice).ids })];
});
writeFileSync(phonemesPath, `${lines.join('\n')}\n`);
process.stdout.write(`${rows.length} sentences, ${lines.length} phonemized\n`);
