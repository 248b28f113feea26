import { defaultNarrationSettings, type NarrationSettings } from '../narration-settings.ts';
import { ArticleExtractor, type HtmlExtractionOptions } from './article-extractor.ts';
import {
  type ArticleDocument,
  type Block,
  type BlockKind,
  createLeftOutBlock,
  type DocumentBuilder,
  type LeftOut,
  type SourceSpan,
  toDraftBlock,
} from './block.ts';
import { BlockTextBuilder } from './block-text.ts';
import { removeRepeatedQuotes, removeRepeatedTitle } from './boilerplate.ts';
import { readHtml } from './html-tokens.ts';
import { findNoteMarks, removeLines } from './line-rules.ts';
import { isWholePage, removeBoilerplate } from './main-content.ts';
import { extractMarkdown } from './markdown.ts';
import { findShortcodes } from './shortcodes.ts';

function extractHtml(source: string, field: SourceSpan['field'], reading: HtmlExtractionOptions): DocumentBuilder {
  const text = unescapeTags(unwrapCdata(source));
  const article = new ArticleExtractor(text, field, reading);
  readHtml(text, article);
  article.end();
  return article.document;
}

function extractMarkdownContent(
  text: string,
  field: SourceSpan['field'],
  reading: HtmlExtractionOptions,
): DocumentBuilder {
  const article = new ArticleExtractor(text, field, { ...reading, isMarkdown: true });
  extractMarkdown(text, article);
  return article.document;
}

/** Feeds wrap articles in a CDATA section; the offsets do not change. */
function unwrapCdata(source: string): string {
  const wrapping = /^\s{0,1000}<!\[CDATA\[/.exec(source);
  if (!wrapping) return source;
  const begin = wrapping[0].length;
  const end = source.lastIndexOf(']]>');
  const inner = source.slice(begin, end < begin ? source.length : end);
  return (' '.repeat(begin) + inner).padEnd(source.length);
}

const ESCAPED_DOCUMENT = /^\s{0,1000}&lt;(?:p|div|h[1-6]|ul|ol|figure|blockquote|article|section|!--)(?:\s|&gt;|--)/i;
const ESCAPED_TAG = /&lt;(\/?[a-z][a-z\d-]{0,40}(?=[\s/&])(?:(?!&[lg]t;)[^<>]){0,2000})&gt;/gi;

/** Some feeds escape all tags of an article. A tag is padded within itself, so that the offsets do not change. */
function unescapeTags(source: string): string {
  if (!ESCAPED_DOCUMENT.test(source) || TAG.test(source)) return source;
  return source.replace(ESCAPED_TAG, (_whole, tag: string) => `<${tag}${' '.repeat(6)}>`);
}

const TAG =
  /<\/?(?:a|abbr|amp-[a-z-]+|article|aside|audio|b|blockquote|body|br|break|button|caption|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|label|li|link|main|mark|math|meta|nav|o:p|ol|p|phoneme|picture|pre|prosody|q|ruby|s|say-as|script|section|small|span|speak|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|th|thead|time|title|tr|tt|u|ul|video|wbr)(?=[\s/>])|<!--|<!doctype|<!\[CDATA\[/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;

/** HTML has a tag that articles use, a comment, an entity or a shortcode. "a < b" is plain text. */
function isMarkup(text: string): boolean {
  return TAG.test(text) || ENTITY.test(text) || findShortcodes(text).some(({ reason }) => reason !== 'footnote');
}

/** What nobody types in plain text: a link or an image with its target, or a line that is a heading. */
const MARKDOWN_SIGN =
  /\[[^[\]\n]{1,200}\]\((?:https?:|mailto:|\.{0,2}\/)[^\s()]{1,1000}\)|!\[[^[\]\n]{0,200}\]\([^\s()]{1,1000}\)/;
const MARKDOWN_HEADING = /(?:^|\n)#{1,6} \p{L}[^\n]{0,200}\r?\n[ \t]*\r?\n/u;

/** Markdown that is sent without its content type. Single asterisks and lists with hyphens are also in plain text. */
function isMarkdownText(text: string): boolean {
  return !TAG.test(text) && !ENTITY.test(text) && (MARKDOWN_SIGN.test(text) || MARKDOWN_HEADING.test(text));
}

const BULLET = /[ \t]*(?:[-*•‣◦–]|\d{1,3}[.)])[ \t]+/y;
const LINE_END = /\r\n|[\n\r\u2028\u2029\u0085]/g;
/** Shorter lines are not wrapped. */
const MIN_WRAPPED_LINE_LENGTH = 50;

/** A paragraph per line; wrapped lines are joined; bulleted lines are list items. */
function extractPlainText(text: string, field: SourceSpan['field']): Block[] {
  const blocks: Block[] = [];
  const blockText = new BlockTextBuilder(field);
  let kind: BlockKind = 'paragraph';
  let lineBefore = '';
  for (const line of splitLines(text)) {
    const content = text.slice(line.start, line.end);
    const bullet = measureBullet(text, line.start, line.end);
    if (!(bullet === 0 && isWrapped(lineBefore, content))) {
      const block = blockText.takeBlock(kind);
      if (block) blocks.push(block);
      kind = bullet > 0 ? 'list' : 'paragraph';
    }
    blockText.space();
    // The number of a list item is spoken, a bullet is not.
    const isCounted = /\d/.test(text.slice(line.start, line.start + bullet));
    blockText.append(text, line.start + (isCounted ? 0 : bullet), line.end);
    lineBefore = content;
  }
  const last = blockText.takeBlock(kind);
  return last ? [...blocks, last] : blocks;
}

function* splitLines(text: string): Generator<{ start: number; end: number }> {
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    yield { start, end: match.index };
    start = match.index + match[0].length;
  }
  yield { start, end: text.length };
}

function measureBullet(text: string, start: number, end: number): number {
  BULLET.lastIndex = start;
  const match = BULLET.exec(text);
  return match && BULLET.lastIndex < end ? match[0].length : 0;
}

function isWrapped(lineBefore: string, line: string): boolean {
  const before = lineBefore.trimEnd();
  if (before.length < MIN_WRAPPED_LINE_LENGTH || line.trim() === '') return false;
  return !/[.!?:;"'”’)\]…]$/.test(before.slice(-1)) || /^\s{0,8}\p{Ll}/u.test(line);
}

const SPEAKABLE = /[\p{L}\p{N}]/u;

/** How content is written. `text/html` is plain text or Markdown where it has no tags. */
export type ContentType = 'text/html' | 'text/plain' | 'text/markdown';

/** The request. */
export interface Article {
  readonly title?: string;
  readonly content: string;
  readonly contentType?: ContentType;
}

/** Extracts the blocks to speak, and the excluded text with the reason. Any text is valid. */
export function extractDocument(
  article: Article,
  reading: NarrationSettings = defaultNarrationSettings,
): ArticleDocument {
  const title = extractTitle(article.title ?? '');
  const content = extractContent(article, title.blocks[0], reading);
  const spokenTitle = reading.speak_title ? title.blocks : [];
  const excludedTitle = reading.speak_title ? [] : title.blocks;
  const { speakable, silent } = splitSpeakable([...spokenTitle, ...content.blocks]);
  const leftOut = [
    ...title.leftOut,
    ...excludedTitle.map((block) => createLeftOutBlock(block, 'left out by the site')),
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

/** A title of several lines becomes several blocks. */
function extractTitle(text: string): ExtractedField {
  const plain = () => ({ blocks: extractPlainText(text, 'title'), leftOut: [] });
  const { blocks, leftOut } = isMarkup(text) ? extractMarkup(text, 'title', unfilteredOptions) : plain();
  return { blocks: blocks.map((block) => ({ ...block, kind: 'title' })), leftOut };
}

const unfilteredOptions: HtmlExtractionOptions = {
  ...defaultNarrationSettings,
  followsClassNames: false,
};

function extractContent(
  { content: text, contentType = 'text/html' }: Article,
  title: Block | undefined,
  reading: NarrationSettings,
): ExtractedField {
  const isMarkdown = contentType === 'text/markdown' || (contentType === 'text/html' && isMarkdownText(text));
  if (contentType === 'text/plain' || !(isMarkdown || isMarkup(text))) {
    const blocks = extractPlainText(text, 'content').map(toDraftBlock);
    return filterBlocks({ blocks, excluded: [], leftOut: [], beforeLeftOut: new Map() }, title);
  }
  const extract = (followsClassNames: boolean) =>
    filterBlocks(
      (isMarkdown ? extractMarkdownContent : extractHtml)(text, 'content', { ...reading, followsClassNames }),
      title,
      !isMarkdown && isWholePage(text),
    );
  const content = extract(true);
  // If class names exclude all text, they are wrong.
  return splitSpeakable(content.blocks).speakable.length > 0 ? content : extract(false);
}

function extractMarkup(text: string, field: SourceSpan['field'], reading: HtmlExtractionOptions): ExtractedField {
  const { blocks, leftOut } = extractHtml(text, field, reading);
  return { blocks: blocks.map(({ block }) => block), leftOut };
}

function filterBlocks(
  extracted: Pick<DocumentBuilder, 'blocks' | 'excluded' | 'leftOut' | 'beforeLeftOut'>,
  title: Block | undefined,
  isPage = false,
): ExtractedField {
  const withoutTitle = removeRepeatedTitle(extracted.blocks, title);
  const main = isPage
    ? removeBoilerplate(withoutTitle.blocks, extracted.excluded)
    : { blocks: withoutTitle.blocks, leftOut: [] };
  const withoutQuotes = removeRepeatedQuotes(main.blocks);
  const withoutLines = removeLines(withoutQuotes.blocks, extracted.beforeLeftOut, findNoteMarks(extracted.leftOut));
  return {
    blocks: withoutLines.blocks.map(({ block }) => block),
    leftOut: [
      ...extracted.leftOut,
      ...withoutTitle.leftOut,
      ...main.leftOut,
      ...withoutQuotes.leftOut,
      ...withoutLines.leftOut,
    ],
  };
}

/** Intro, outro and disclosure of the site; none without an article. */
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

function compareBySource(left: LeftOut, right: LeftOut): number {
  if (left.span.field !== right.span.field) return left.span.field === 'title' ? -1 : 1;
  return left.span.start - right.span.start || right.span.end - left.span.end;
}

/** Each character belongs to one part: the outer one. */
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
