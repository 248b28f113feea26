import { type Reading, usualReading } from '../reading.ts';
import type { ArticleDocument, Block, LeftOut, SourceSpan } from './block.ts';
import { readHtml } from './html.ts';
import { leaveOutBlock } from './left-out.ts';
import { isMarkup } from './markup.ts';
import { readPlainText } from './plain-text.ts';

/** Further down, a heading that happens to equal the title is the author's. */
const TITLE_REPEATED_WITHIN = 3;
const SPEAKABLE = /[\p{L}\p{N}]/u;

/** An article as the client sent it. `content` is HTML or plain text. */
export interface Article {
  readonly title?: string;
  readonly content: string;
}

/** What of an article is read out, block by block, and what is not, with the reason. Takes any text without failing. */
export function readDocument(article: Article, reading: Reading = usualReading): ArticleDocument {
  const title = readTitle(article.title ?? '');
  const content = readField(article.content, 'content');
  const { kept, repeated } = withoutRepeatedTitle(content.blocks, title.blocks[0]);
  const spokenTitle = reading.speak_title ? title.blocks : [];
  const unwanted = reading.speak_title ? [] : title.blocks;
  const { speakable, silent } = splitSpeakable([...spokenTitle, ...kept]);
  const leftOut = [
    ...title.leftOut,
    ...unwanted.map((block) => leaveOutBlock(block, 'left out by the site')),
    ...content.leftOut,
    ...repeated,
    ...silent,
  ];
  return { blocks: withLines(speakable, reading), leftOut: leftOut.sort(bySource) };
}

interface FieldReading {
  readonly blocks: Block[];
  readonly leftOut: LeftOut[];
}

function readField(text: string, field: SourceSpan['field']): FieldReading {
  if (isMarkup(text)) return readHtml(text, field);
  return { blocks: readPlainText(text, field), leftOut: [] };
}

/** A title of several lines becomes several blocks: nothing of it is lost, and each is spoken as a title. */
function readTitle(text: string): FieldReading {
  const reading = readField(text, 'title');
  return { ...reading, blocks: reading.blocks.map((block) => ({ ...block, kind: 'title' })) };
}

/** The site's own lines around an article. They alone are no article. */
function withLines(blocks: readonly Block[], reading: Reading): Block[] {
  if (blocks.length === 0) return [];
  const line = (field: 'intro' | 'outro' | 'disclosure') =>
    splitSpeakable(readPlainText(reading[field], field)).speakable;
  return [...line('intro'), ...blocks, ...line('outro'), ...line('disclosure')];
}

function withoutRepeatedTitle(
  blocks: Block[],
  title: Block | undefined,
): { kept: Block[]; repeated: LeftOut[] } {
  if (!title) return { kept: blocks, repeated: [] };
  const spokenTitle = lettersOf(title.text);
  const index = blocks
    .slice(0, TITLE_REPEATED_WITHIN)
    .findIndex((block) => block.kind === 'heading' && lettersOf(block.text) === spokenTitle);
  const repeated = blocks[index];
  if (!repeated || spokenTitle === '') return { kept: blocks, repeated: [] };
  return {
    kept: blocks.toSpliced(index, 1),
    repeated: [leaveOutBlock(repeated, 'repeats the title')],
  };
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function splitSpeakable(blocks: Block[]): { speakable: Block[]; silent: LeftOut[] } {
  const speakable: Block[] = [];
  const silent: LeftOut[] = [];
  for (const block of blocks) {
    if (SPEAKABLE.test(block.text)) speakable.push(block);
    else silent.push(leaveOutBlock(block, 'no speakable text'));
  }
  return { speakable, silent };
}

function bySource(one: LeftOut, other: LeftOut): number {
  if (one.span.field !== other.span.field) return one.span.field === 'title' ? -1 : 1;
  return one.span.start - other.span.start;
}
