/**
 * Trains the weights that choose the sense of a heteronym, and writes them to src/speech/pronunciation/en/heteronym-weights.tsv.
 * Usage: bun run train:heteronyms FOLDER, a checkout of google-research-datasets/WikipediaHomographData
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import {
  type ContextToken,
  createHeteronymModel,
  describeContext,
  findHeteronym,
  formatWeights,
  type Heteronym,
  isNounOrVerb,
  tokenizeContext,
} from '../../src/speech/pronunciation/built-in.ts';

interface Example {
  /** Undefined: any noun or verb, which trains the shared weights. */
  readonly heteronym: Heteronym | undefined;
  /** Index of its sense. */
  readonly sense: 0 | 1;
  readonly features: readonly string[];
}

const folder = join(import.meta.dir, '../../src/speech/pronunciation/en');
/** Sense names of the data for nouns, adjectives and verbs. */
const nounOrVerb: Readonly<Record<string, string>> = {
  nou: 'noun',
  'adj-nou': 'noun',
  adj: 'noun',
  vrb: 'verb',
  'nou-vrb': 'verb',
  '': 'verb',
};
/** Our examples count twice: they cover what the data lacks. */
const exampleRepeats = 2;
const epochs = 10;
const learningRate = 0.15;
const l2 = 0.3;
const l1 = { shared: 0.3, perForm: 0.5 };
const wordWeight = 0.25;
const smallestWeight = 0.2;

/** Words that are nouns or verbs in nearly every sentence; their neighbors train the shared weights. */
const plainVerbs =
  'provide include become remain receive consider require create allow reduce prevent describe destroy develop achieve acquire adopt agree appear apply argue arrive ask assume avoid begin believe belong bring build carry choose collect compare compete complain confirm consist contain continue contribute decide defend define deliver deny depend derive determine discover earn eat emerge employ enable encourage enter establish examine exist expand expect explain explore express fail follow forget gain generate give grow happen hear hold identify illustrate imply improve indicate inform introduce investigate involve join keep know learn leave listen lose maintain marry meet mention obtain occur oppose organize pay perform persuade predict prefer prepare prove publish pursue realize recommend recognize refer reflect rely remember remove replace represent retain reveal say see seek seem sell send serve sing sit speak spend stand strengthen suffer suggest supply survive teach tell tend threaten understand undertake unite vary win write take make get find think buy suppose ensure accept protect connect admit borrow criticize celebrate educate evaluate operate participate communicate concentrate dominate eliminate hesitate imitate inhabit integrate migrate motivate navigate negotiate penetrate regulate resist';
const plainNouns =
  'people government city river album team war series year world church university music history band club family area language law system art company population child woman day century town village region district road building president king queen son daughter brother sister death life story novel poem song player actor writer artist member leader minister army navy soldier officer battle treaty kingdom empire republic nation country province county council lawyer science theory method problem species animal tree bird insect disease patient hospital medicine drug food oil coal iron gold metal glass wood boat train airport street garden castle temple museum library theatre stadium league medal champion goal tournament championship law money dollar economy industry factory product software computer website magazine newspaper journal article chapter character episode television radio channel audience festival ceremony holiday religion god priest bishop pope saint faith culture tradition custom identity community society organization institution association committee agency department crime prison prisoner victim enemy weapon gun missile aircraft car vehicle horse dog cat body eye heart brain bone temperature weather sea ocean lake mountain valley forest farmer grain rice fruit vegetable meat bread wine beer tea coffee sugar election policy protester reporter lawmaker senator governor mayor citizen voter immigrant refugee worker union employer manager director owner customer investor debt';
const nounEnding = /.{3}(?:tion|ness|ity|ship|ism|ance|ence)s?$/;
const verbWithNounEnding = /^(?:mention|function|question|position|condition|balance|influence|experience|finance)s?$/;

function main(data: string | undefined): void {
  if (data === undefined) throw new Error('No folder given. Usage: bun run train:heteronyms FOLDER');
  const wikipedia = readWikipedia(join(data, 'data/train'));
  const training = [...wikipedia.examples, ...readExamples()];
  const words = [...new Set(wikipedia.sentences)].flatMap(collectPlainWords);
  const weights = train(training, words);
  writeFileSync(join(folder, 'heteronym-weights.tsv'), formatWeights(weights));
  const evaluation = readWikipedia(join(data, 'data/eval')).examples;
  print(`${training.length} examples, ${words.length} plain words, ${weights.size} weights`);
  print(`data/eval: ${formatAccuracy(evaluation, weights)} correct of ${evaluation.length}`);
}

function readWikipedia(folderOfSplit: string): { examples: Example[]; sentences: string[] } {
  const examples: Example[] = [];
  const sentences: string[] = [];
  for (const file of readdirSync(folderOfSplit)) {
    const rows: Record<string, string>[] = parse(readFileSync(join(folderOfSplit, file)), {
      columns: true,
      delimiter: '\t',
    });
    for (const { homograph = '', wordid = '', sentence = '', start = '' } of rows) {
      sentences.push(sentence);
      // The offsets count bytes.
      const offset = Buffer.from(sentence).subarray(0, Number(start)).toString().length;
      const tokens = tokenizeContext(sentence);
      const index = tokens.findIndex((token) => token.start <= offset && token.start + token.text.length > offset);
      const name = wordid === homograph ? '' : wordid.slice(homograph.length + 1);
      const example = createExample(tokens, index, (heteronym) =>
        isNounOrVerb(heteronym) ? (nounOrVerb[name] ?? 'verb') : name || 'default',
      );
      if (example !== undefined) examples.push(example);
    }
  }
  return { examples, sentences };
}

function readExamples(): Example[] {
  const lines = readFileSync(join(folder, 'heteronym-examples.txt'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [sense = '', ...rest] = line.split(' ');
      const marked = rest.join(' ');
      const tokens = tokenizeContext(marked.replaceAll('*', ''));
      return [...marked.matchAll(/\*\p{L}+\*/gu)].flatMap(({ index }, place) => {
        const start = index - 2 * place;
        const at = tokens.findIndex((token) => token.start === start);
        const example = createExample(tokens, at, () => sense);
        if (example === undefined) throw new Error(`No heteronym with this sense: ${line}`);
        return Array.from({ length: exampleRepeats }, () => example);
      });
    });
}

function createExample(
  tokens: readonly ContextToken[],
  index: number,
  nameSense: (heteronym: Heteronym) => string,
): Example | undefined {
  const heteronym = findHeteronym(tokens[index]?.text ?? '', true);
  if (heteronym === undefined) return undefined;
  const sense = heteronym.senses.findIndex(({ name }) => name === nameSense(heteronym));
  if (sense !== 0 && sense !== 1) return undefined;
  return { heteronym, sense, features: describeContext(tokens, index, heteronym) };
}

function collectPlainWords(sentence: string): Example[] {
  const tokens = tokenizeContext(sentence);
  return tokens.flatMap(({ text }, index) => {
    const sense = plainWords.get(text) ?? (nounEnding.test(text) && !verbWithNounEnding.test(text) ? 0 : undefined);
    return sense === undefined ? [] : [{ heteronym: undefined, sense, features: describeContext(tokens, index) }];
  });
}

const plainWords = new Map<string, 0 | 1>([
  ...plainNouns.split(' ').flatMap((noun): [string, 0][] => inflect(noun).map((form) => [form, 0])),
  ...plainVerbs.split(' ').flatMap((verb): [string, 1][] => inflect(verb).map((form) => [form, 1])),
]);

function inflect(word: string): string[] {
  if (/(?:s|x|ch|sh)$/.test(word)) return [word, `${word}es`];
  return [word, /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`];
}

/** Logistic regression by FTRL-Proximal (McMahan and others 2013), which leaves most weights at zero. */
function train(examples: readonly Example[], words: readonly Example[]): Map<string, number> {
  const sums = new Map<string, number>();
  const squares = new Map<string, number>();
  const computeWeight = (feature: string): number => {
    const sum = sums.get(feature) ?? 0;
    const limit = feature.includes('|') ? l1.perForm : l1.shared;
    if (Math.abs(sum) <= limit) return 0;
    return -(sum - Math.sign(sum) * limit) / ((1 + Math.sqrt(squares.get(feature) ?? 0)) / learningRate + l2);
  };
  const importance = weighExamples(examples, words);
  const all = [...examples, ...words];
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (const example of shuffle(all, epoch)) {
      const weights = example.features.map(computeWeight);
      const score = weights.reduce((sum, weight) => sum + weight, 0);
      const gradient = (1 / (1 + Math.exp(-score)) - example.sense) * (importance.get(example) ?? 1);
      for (const [index, feature] of example.features.entries()) {
        const square = squares.get(feature) ?? 0;
        const step = (Math.sqrt(square + gradient * gradient) - Math.sqrt(square)) / learningRate;
        sums.set(feature, (sums.get(feature) ?? 0) + gradient - step * (weights[index] ?? 0));
        squares.set(feature, square + gradient * gradient);
      }
    }
  }
  const learned = [...sums.keys()].map((feature): [string, number] => [feature, computeWeight(feature)]);
  return new Map(learned.filter(([, weight]) => Math.abs(weight) >= smallestWeight));
}

/** The rarer sense of a form counts more: Wikipedia's share is not that of the news. */
function weighExamples(examples: readonly Example[], words: readonly Example[]): Map<Example, number> {
  const importance = new Map<Example, number>();
  for (const group of [...Map.groupBy(examples, ({ heteronym }) => heteronym).values(), words]) {
    const counts = [0, 1].map((sense) => group.filter((example) => example.sense === sense).length);
    for (const example of group) {
      const balance = group.length / (2 * (counts[example.sense] ?? 1));
      importance.set(example, group === words ? wordWeight * balance : Math.min(4, balance ** 0.8));
    }
  }
  return importance;
}

/** Deterministic, so that a second run gives the same weights. */
function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const shuffled = [...items];
  let state = seed + 1;
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fff_ffff;
    const other = state % (last + 1);
    const item = shuffled[last] as Item;
    shuffled[last] = shuffled[other] as Item;
    shuffled[other] = item;
  }
  return shuffled;
}

function formatAccuracy(examples: readonly Example[], weights: ReadonlyMap<string, number>): string {
  const model = createHeteronymModel(weights);
  const right = examples.filter(({ features, sense }) => model(features) === sense).length;
  return `${((100 * right) / examples.length).toFixed(1)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main(process.argv[2]);
