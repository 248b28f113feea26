import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowsOf } from './pairs.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');

/**
 * Makes `known-words.txt`: words of the CMU Pronouncing Dictionary that espeak-ng says in the same way, or that are ordinary ones.
 * Usage: bun run make:known PACKAGE: the unpacked npm package cmu-pronouncing-dictionary.
 */
async function main(packageFolder: string): Promise<void> {
  const { dictionary } = (await import(join(packageFolder, 'index.js'))) as { dictionary: Record<string, string> };
  const listed = new Set(
    ['names.tsv', 'cmudict.tsv'].flatMap((table) =>
      rowsOf(join(folder, table)).map(([word = '']) => word.toLowerCase()),
    ),
  );
  const words = Object.keys(dictionary).filter((word) => /^[a-z]{2,25}$/.test(word) && !listed.has(word));
  writeFileSync(join(folder, 'known-words.txt'), `${words.sort().join('\n')}\n`);
  process.stdout.write(`${words.length} words\n`);
}

const [packageFolder] = process.argv.slice(2);
if (packageFolder === undefined) throw new Error('usage: bun run make:known PACKAGE');
await main(packageFolder);
