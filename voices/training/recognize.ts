import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countWordErrors, recognize } from '../../test/fixtures/recognizer.ts';

/**
 * Word errors of English recordings, by a recognizer that was not used in the training: Moonshine tiny (MIT).
 *     bun recognize.ts FOLDER SENTENCES.tsv
 * FOLDER/ID.wav are recordings of SENTENCES.tsv (id<TAB>text), such as those of record.ts. Prints sentences with errors.
 */
const [folder, sentencesPath] = process.argv.slice(2);
if (!folder || !sentencesPath) throw new Error('usage: recognize.ts FOLDER SENTENCES.tsv');

let [errors, count] = [0, 0];
for (const line of readFileSync(sentencesPath, 'utf8').trim().split('\n')) {
  const [id, ...rest] = line.split('\t');
  const text = rest.at(-1) ?? '';
  const path = join(folder, `${id}.wav`);
  if (!existsSync(path)) continue;
  const { samples, rateHz } = readWav(path);
  const [recognized = ''] = await recognize([samples], rateHz);
  const found = countWordErrors(text, recognized);
  errors += found.errors;
  count += found.words;
  if (found.errors > 0) process.stdout.write(`${id} ${found.errors}: ${text} / ${recognized}\n`);
}
process.stdout.write(`${errors} of ${count} words wrong: ${((100 * errors) / count).toFixed(2)} %\n`);

/** @returns mono PCM, −1…1; the file has 16 bits and a header of 44 bytes */
function readWav(path: string): { samples: Float32Array; rateHz: number } {
  const bytes = readFileSync(path);
  const samples = Float32Array.from(
    { length: (bytes.length - 44) >> 1 },
    (_, index) => bytes.readInt16LE(44 + 2 * index) / 32_768,
  );
  return { samples, rateHz: bytes.readUInt32LE(24) };
}
