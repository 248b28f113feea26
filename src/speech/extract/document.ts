import { type Reading, usualReading } from '../narration-settings.ts';
import type { HtmlReading } from './article-reader.ts';
import type { ArticleDocument, Block, LeftOut, SourceSpan } from './block.ts';
import { leaveOutBlock } from './block.ts';
import { withoutPointers, withoutRepeatedQuotes, withoutRepeatedTitle } from './boilerplate.ts';
import type { Draft, DraftBlock } from './document-builder.ts';
import { isMarkup, readHtml, readPlainText } from './html.ts';

const SPEAKABLE = /[\p{L}\p{N}]/u;

/** An article as the client sent it. `content` is HTML or plain text. */
export interface Article {
  readonly title?: string;
  readonly content: string;
}

/** What of an article is read out, block by block, and what is not, with the reason. Takes any text without failing. */
export function readDocument(article: Article, reading: Reading = usualReading): ArticleDocument {
  const title = readTitle(article.title ?? '');
  const content = readContent(article.content, title.blocks[0], reading);
  const spokenTitle = reading.speak_title ? title.blocks : [];
  const unwanted = reading.speak_title ? [] : title.blocks;
  const { speakable, silent } = splitSpeakable([...spokenTitle, ...content.blocks]);
  const leftOut = [
    ...title.leftOut,
    ...unwanted.map((block) => leaveOutBlock(block, 'left out by the site')),
    ...content.leftOut,
    ...silent,
  ];
  return { blocks: withLines(speakable, reading), leftOut: apart(leftOut.sort(bySource)) };
}

interface FieldReading {
  readonly blocks: Block[];
  readonly leftOut: LeftOut[];
}

/** A title of several lines becomes several blocks: nothing of it is lost, and each is spoken as a title. */
function readTitle(text: string): FieldReading {
  const plain = () => ({ blocks: readPlainText(text, 'title'), leftOut: [] });
  const { blocks, leftOut } = isMarkup(text) ? readMarkup(text, 'title', asItStands) : plain();
  return { blocks: blocks.map((block) => ({ ...block, kind: 'title' })), leftOut };
}

const asItStands: HtmlReading = { ...usualReading, followsClassNames: false };

function readContent(text: string, title: Block | undefined, reading: Reading): FieldReading {
  if (!isMarkup(text)) {
    const blocks = readPlainText(text, 'content').map(asDraft);
    return sift({ blocks, leftOut: [], beforeLeftOut: new Map() }, title);
  }
  const read = (followsClassNames: boolean) =>
    sift(readHtml(text, 'content', { ...reading, followsClassNames }), title);
  const content = read(true);
  // Whatever it is called: what is the only text there is, is the article.
  return splitSpeakable(content.blocks).speakable.length > 0 ? content : read(false);
}

function readMarkup(text: string, field: SourceSpan['field'], reading: HtmlReading): FieldReading {
  const { blocks, leftOut } = readHtml(text, field, reading);
  return { blocks: blocks.map(({ block }) => block), leftOut };
}

function asDraft(block: Block): DraftBlock {
  return { block, linked: 0, quote: undefined };
}

/** Leaves out what shows only beside the rest of the article. */
function sift(
  draft: Pick<Draft, 'blocks' | 'leftOut' | 'beforeLeftOut'>,
  title: Block | undefined,
): FieldReading {
  const titled = withoutRepeatedTitle(draft.blocks, title);
  const quoted = withoutRepeatedQuotes(titled.kept);
  const pointed = withoutPointers(quoted.kept, draft.beforeLeftOut);
  return {
    blocks: pointed.kept.map(({ block }) => block),
    leftOut: [...draft.leftOut, ...titled.leftOut, ...quoted.leftOut, ...pointed.leftOut],
  };
}

/** The site's own lines around an article. They alone are no article. */
function withLines(blocks: readonly Block[], reading: Reading): Block[] {
  if (blocks.length === 0) return [];
  const line = (field: 'intro' | 'outro' | 'disclosure') =>
    splitSpeakable(readPlainText(reading[field], field)).speakable;
  return [...line('intro'), ...blocks, ...line('outro'), ...line('disclosure')];
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
  return one.span.start - other.span.start || other.span.end - one.span.end;
}

/** Each character in one part only: what lies within another part goes with it. */
function apart(sorted: readonly LeftOut[]): LeftOut[] {
  const parts: LeftOut[] = [];
  for (const part of sorted) {
    const before = parts.at(-1)?.span;
    const { field, start, end } = part.span;
    if (before?.field !== field || start >= before.end) parts.push(part);
    else if (end > before.end) parts.push({ ...part, span: { field, start: before.end, end } });
  }
  return parts;
}
