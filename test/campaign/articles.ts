import type { Random } from './random.ts';

/** An article of speakable sentences, so that its audio can be compared with its text. */
export interface HonestArticle {
  readonly title: string;
  readonly content: string;
  /** Title and sentences, in order. */
  readonly sentences: readonly string[];
}

const users = ['The mayor', 'A teacher', 'The harbor master', 'Her neighbor', 'The old captain', 'A nurse'] as const;
const deeds = ['painted', 'sold', 'repaired', 'found', 'lost', 'described', 'carried', 'measured'] as const;
const things = ['a small boat', 'the yellow house', 'three letters', 'the garden gate', 'a long rope'] as const;
const places = ['near the river', 'behind the church', 'at the market', 'on the hill', 'by the station'] as const;
const times = ['on Monday', 'before breakfast', 'after the storm', 'in late summer', 'last winter'] as const;

/** @param name part of the title, so that articles are unique */
export function writeArticle(random: Random, name: string, sentenceCount: number): HonestArticle {
  const title = `Report ${spell(name)}`;
  const sentences = Array.from({ length: sentenceCount }, () => writeSentence(random));
  return buildArticle(title, sentences);
}

/** @returns the article with one sentence replaced, added or removed */
export function correctArticle(random: Random, { title, sentences: [, ...own] }: HonestArticle): HonestArticle {
  const place = random.integer(0, own.length - 1);
  const removed = own.length > 2 && random.chance(0.3) ? 1 : random.integer(0, 1);
  const added = removed === 1 && own.length > 2 && random.chance(0.3) ? [] : [writeSentence(random)];
  return buildArticle(title, own.toSpliced(place, removed, ...added));
}

function buildArticle(title: string, sentences: readonly string[]): HonestArticle {
  const content = sentences.map((sentence) => `<p>${sentence}</p>`).join('\n');
  return { title, content, sentences: [title, ...sentences] };
}

function writeSentence(random: Random): string {
  const when = random.pick(times);
  return `${random.pick(users)} ${random.pick(deeds)} ${random.pick(things)} ${random.pick(places)} ${when}.`;
}

function spell(name: string): string {
  const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  return name.replace(/ ?(\d)/g, (_, digit: string) => ` ${digits[Number(digit)]}`);
}
