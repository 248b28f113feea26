import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';
import { rowsOf } from './pairs.ts';
import { measureDistance } from './pronunciations.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
/** From this distance on a sound or the place of the stress differs. */
const plainlyOther = 1;
const batchSize = 400;

const vowels: Readonly<Record<string, string>> = Object.fromEntries(
  'AA=ah AE=a AH=uh AO=aw AW=ow AY=y EH=eh ER=er EY=ay IH=ih IY=ee OW=oh OY=oy UH=uu UW=oo'
    .split(' ')
    .map((pair) => pair.split('=')),
);
const vowelsBeforeR: Readonly<Record<string, string>> = Object.fromEntries(
  'AA=ar AO=or OW=or EH=air AE=air EY=air IH=eer IY=eer UH=oor UW=oor'.split(' ').map((pair) => pair.split('=')),
);
const laxVowels = new Set(['AE', 'EH', 'IH', 'AH', 'UH']);
const onsets = new Set(
  'b bl br by ch d dr dw dy f fl fr fy g gl gr gw h hw hy j k kl kr kw ky l m my n ny p pl pr py r s sk skr skw sky sl sm sn sp spl spr st str sw sh shr t tr tw ty th thr v vy w y z zh dh'.split(
    ' ',
  ),
);
/** Endings of ordinary words, which espeak-ng knows. */
const ordinaryEnding = /(?:ing|ed|ly|ness|ment|tion|able|ible|less|ful)s?$/;

interface Syllable {
  readonly onset: readonly string[];
  readonly vowel: string;
  readonly isStressed: boolean;
  coda: readonly string[];
}

/**
 * Makes `cmudict.tsv`: words of the CMU Pronouncing Dictionary as respellings, where espeak-ng plainly says something else.
 * Usage: bun run make:cmudict PACKAGE TEXT: the unpacked npm package cmu-pronouncing-dictionary, and a text whose lowercase words
 * are ordinary ones, which are left to espeak-ng.
 */
async function main(packageFolder: string, textFile: string): Promise<void> {
  const { dictionary } = (await import(join(packageFolder, 'index.js'))) as { dictionary: Record<string, string> };
  const ordinary = new Set(readFileSync(textFile, 'utf8').match(/\b[a-z]{2,}\b/g));
  const names = new Set(rowsOf(join(folder, 'names.tsv')).map(([word = '']) => word.toLowerCase()));
  const words = Object.keys(dictionary).filter(
    (word) => /^[a-z]{4,25}$/.test(word) && !ordinary.has(word) && !names.has(word) && !ordinaryEnding.test(word),
  );
  const voice = parseVoiceConfig(JSON.stringify(aspen));
  const phonemizer = createEspeakPhonemizer();
  const rows: string[] = [];
  for (let start = 0; start < words.length; start += batchSize) {
    const batch = words.slice(start, start + batchSize);
    const said = await phonemizer.phonemize(
      batch.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
      voice,
    );
    for (const [index, word] of batch.entries()) {
      const respelling = respell(dictionary[word] ?? '');
      const phonemes = respelling === undefined ? undefined : phonemizeRespelling(respelling, 'us');
      if (phonemes === undefined || measureDistance((said[index] ?? []).join(''), phonemes) < plainlyOther) continue;
      rows.push(`${word}\t${respelling}\n`);
    }
  }
  writeFileSync(join(folder, 'cmudict.tsv'), rows.sort().join(''));
  process.stdout.write(`${rows.length} of ${words.length} words\n`);
}

/** "G ER1 S T M AH0 N" → "GERST-muhn" */
function respell(arpabet: string): string | undefined {
  const syllables: Syllable[] = [];
  let consonants: string[] = [];
  for (const phone of arpabet.split(' ')) {
    const [, vowel, stress] = /^([A-Z]+)([012])$/.exec(phone) ?? [];
    if (vowel === undefined) {
      consonants.push(phone.toLowerCase().replace('hh', 'h').replace('jh', 'j'));
      continue;
    }
    const { coda, onset } = splitConsonants(consonants, syllables.at(-1));
    const previous = syllables.at(-1);
    if (previous !== undefined) previous.coda = coda;
    syllables.push({ onset, vowel, isStressed: stress !== '0', coda: [] });
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
  while (from < consonants.length && !onsets.has(consonants.slice(from).join(''))) from += 1;
  const keepsOne = from === 0 && consonants.length > 0 && previous.isStressed && laxVowels.has(previous.vowel);
  const rest = consonants.slice(1);
  if (keepsOne && (rest.length === 0 || onsets.has(rest.join('')))) from = 1;
  return { coda: consonants.slice(0, from), onset: consonants.slice(from) };
}

function writeSyllable({ onset, vowel, isStressed, coda }: Syllable): string {
  const beforeR = coda[0] === 'r' ? vowelsBeforeR[vowel] : undefined;
  const letters = beforeR ?? (vowel === 'AY' && onset.length === 0 ? 'eye' : vowels[vowel]);
  const syllable = onset.join('') + letters + coda.slice(beforeR === undefined ? 0 : 1).join('');
  return isStressed ? syllable.toUpperCase() : syllable;
}

const [packageFolder, textFile] = process.argv.slice(2);
if (packageFolder === undefined || textFile === undefined) throw new Error('usage: bun run make:cmudict PACKAGE TEXT');
await main(packageFolder, textFile);
