import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { joinSyllables } from '../../src/speech/pronunciation/en/letter-sounds.ts';
import { measureDistance } from '../../src/speech/pronunciation/en/unlisted-names.ts';
import { phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { readRows } from './pairs.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
/** From this distance on a sound or the position of the stress differs. */
const plainlyOther = 1;
const batchSize = 400;

const vowels: Readonly<Record<string, string>> = Object.fromEntries(
  'AA=ah AE=a AH=uh AO=aw AW=ow AY=eye EH=eh ER=er EY=ay IH=ih IY=ee OW=oh OY=oy UH=uu UW=oo'
    .split(' ')
    .map((pair) => pair.split('=')),
);
/** Endings of ordinary words, which espeak-ng knows. */
const ordinaryEnding = /(?:ing|ed|ly|ness|ment|tion|able|ible|less|ful)s?$/;

/**
 * Writes `cmudict.tsv`: words of the CMU Pronouncing Dictionary as respellings, if espeak-ng pronounces them differently. Words whose
 * stress or stressed vowel alone differs ("Kathleen", "Pfeifer") are nearer; 2,300 of these were chosen by hand and added afterwards.
 * Usage: bun run make:cmudict PACKAGE TEXT: the unpacked npm package cmu-pronouncing-dictionary, and a text whose lowercase words
 * count as ordinary; espeak-ng pronounces these.
 */
async function main(packageFolder: string, textFile: string): Promise<void> {
  const { dictionary } = (await import(join(packageFolder, 'index.js'))) as { dictionary: Record<string, string> };
  const ordinary = new Set(readFileSync(textFile, 'utf8').match(/\b[a-z]{2,}\b/g));
  const names = new Set(readRows(join(folder, 'names.tsv')).map(([word = '']) => word.toLowerCase()));
  const words = Object.keys(dictionary).filter(
    (word) => /^[a-z]{4,25}$/.test(word) && !ordinary.has(word) && !names.has(word) && !ordinaryEnding.test(word),
  );
  const voice = parseVoiceConfig(JSON.stringify(aspen));
  const phonemizer = createEspeakPhonemizer();
  const rows: string[] = [];
  for (let start = 0; start < words.length; start += batchSize) {
    const batch = words.slice(start, start + batchSize);
    const espeakPhonemes = await phonemizer.phonemize(
      batch.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
      voice,
    );
    for (const [index, word] of batch.entries()) {
      const respelling = respell(dictionary[word] ?? '');
      const phonemes = respelling === undefined ? undefined : phonemizeRespelling(respelling, 'us');
      if (phonemes === undefined || measureDistance((espeakPhonemes[index] ?? []).join(''), phonemes) < plainlyOther)
        continue;
      rows.push(`${word}\t${respelling}\n`);
    }
  }
  writeFileSync(join(folder, 'cmudict.tsv'), rows.sort().join(''));
  process.stdout.write(`${rows.length} of ${words.length} words\n`);
}

/** "G ER1 S T M AH0 N" → "GERST-muhn". The last stress of a respelling is the main one: none follows it. */
function respell(arpabet: string): string | undefined {
  const phones = arpabet.split(' ');
  const mainStress = phones.findIndex((phone) => phone.endsWith('1'));
  return joinSyllables(
    phones.map((phone, index) => {
      const [, vowel = '', stress] = /^([A-Z]+)([012])$/.exec(phone) ?? [];
      const letters = vowels[vowel] ?? phone.toLowerCase().replace('hh', 'h').replace('jh', 'j');
      const isStressed = vowel !== '' && stress !== '0' && (mainStress === -1 || index <= mainStress);
      return { letters, isStressed };
    }),
  );
}

const [packageFolder, textFile] = process.argv.slice(2);
if (packageFolder === undefined || textFile === undefined) throw new Error('usage: bun run make:cmudict PACKAGE TEXT');
await main(packageFolder, textFile);
