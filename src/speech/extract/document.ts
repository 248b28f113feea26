import { defaultNarrationSettings, type NarrationSettings } from '../narration-settings.ts';
import type { HtmlExtractionOptions } from './article-extractor.ts';
import type { ArticleDocument, Block, DocumentBuilder, DraftBlock, LeftOut, SourceSpan } from './block.ts';
import { createLeftOutBlock } from './block.ts';
import { removePointers, removeRepeatedQuotes, removeRepeatedTitle } from './boilerplate.ts';
import { extractHtml, extractPlainText, isMarkup } from './html.ts';

const SPEAKABLE = /[\p{L}\p{N}]/u;

/** An article as the client sent it. `content` is HTML or plain text. */
export interface Article {
  readonly title?: string;
  readonly content: string;
}

/** What of an article is read out, block by block, and what is not, with the reason. Takes any text without failing. */
export function extractDocument(
  article: Article,
  reading: NarrationSettings = defaultNarrationSettings,
): ArticleDocument {
  const title = extractTitle(article.title ?? '');
  const content = extractContent(article.content, title.blocks[0], reading);
  const spokenTitle = reading.speak_title ? title.blocks : [];
  const unwanted = reading.speak_title ? [] : title.blocks;
  const { speakable, silent } = splitSpeakable([...spokenTitle, ...content.blocks]);
  const leftOut = [
    ...title.leftOut,
    ...unwanted.map((block) => createLeftOutBlock(block, 'left out by the site')),
    ...content.leftOut,
    ...silent,
  ];
  return {
    blocks: addSiteLines(speakable, reading),
    leftOut: removeOverlaps(leftOut.sort(compareBySource)),
  };
}

interface ExtractedField {
  readonly blocks: Block[];
  readonly leftOut: LeftOut[];
}

/** A title of several lines becomes several blocks: nothing of it is lost, and each is spoken as a title. */
function extractTitle(text: string): ExtractedField {
  const plain = () => ({ blocks: extractPlainText(text, 'title'), leftOut: [] });
  const { blocks, leftOut } = isMarkup(text) ? extractMarkup(text, 'title', unfilteredOptions) : plain();
  return { blocks: blocks.map((block) => ({ ...block, kind: 'title' })), leftOut };
}

const unfilteredOptions: HtmlExtractionOptions = {
  ...defaultNarrationSettings,
  followsClassNames: false,
};

function extractContent(text: string, title: Block | undefined, reading: NarrationSettings): ExtractedField {
  if (!isMarkup(text)) {
    const blocks = extractPlainText(text, 'content').map(toDraftBlock);
    return filterBlocks({ blocks, leftOut: [], beforeLeftOut: new Map() }, title);
  }
  const read = (followsClassNames: boolean) =>
    filterBlocks(extractHtml(text, 'content', { ...reading, followsClassNames }), title);
  const content = read(true);
  // Whatever it is called: what is the only text there is, is the article.
  return splitSpeakable(content.blocks).speakable.length > 0 ? content : read(false);
}

function extractMarkup(text: string, field: SourceSpan['field'], reading: HtmlExtractionOptions): ExtractedField {
  const { blocks, leftOut } = extractHtml(text, field, reading);
  return { blocks: blocks.map(({ block }) => block), leftOut };
}

function toDraftBlock(block: Block): DraftBlock {
  return { block, linkedUnits: 0, quote: undefined };
}

function filterBlocks(
  draft: Pick<DocumentBuilder, 'blocks' | 'leftOut' | 'beforeLeftOut'>,
  title: Block | undefined,
): ExtractedField {
  const titled = removeRepeatedTitle(draft.blocks, title);
  const quoted = removeRepeatedQuotes(titled.blocks);
  const pointed = removePointers(quoted.blocks, draft.beforeLeftOut);
  return {
    blocks: pointed.kept.map(({ block }) => block),
    leftOut: [...draft.leftOut, ...titled.leftOut, ...quoted.leftOut, ...pointed.leftOut],
  };
}

/** The site's own lines around an article. They alone are no article. */
function addSiteLines(blocks: readonly Block[], reading: NarrationSettings): Block[] {
  if (blocks.length === 0) return [];
  const line = (field: 'intro' | 'outro' | 'disclosure') =>
    splitSpeakable(extractPlainText(reading[field], field)).speakable;
  return [...line('intro'), ...blocks, ...line('outro'), ...line('disclosure')];
}

function splitSpeakable(blocks: Block[]): { speakable: Block[]; silent: LeftOut[] } {
  const speakable: Block[] = [];
  const silent: LeftOut[] = [];
  for (const block of blocks) {
    if (SPEAKABLE.test(block.text)) speakable.push(block);
    else silent.push(createLeftOutBlock(block, 'no speakable text'));
  }
  return { speakable, silent };
}

function compareBySource(one: LeftOut, other: LeftOut): number {
  if (one.span.field !== other.span.field) return one.span.field === 'title' ? -1 : 1;
  return one.span.start - other.span.start || other.span.end - one.span.end;
}

/** Each character in one part only: what lies within another part goes with it. */
function removeOverlaps(sorted: readonly LeftOut[]): LeftOut[] {
  const parts: LeftOut[] = [];
  for (const part of sorted) {
    const before = parts.at(-1)?.span;
    const { field, start, end } = part.span;
    if (before?.field !== field || start >= before.end) parts.push(part);
    else if (end > before.end) parts.push({ ...part, span: { field, start: before.end, end } });
  }
  return parts;
}
