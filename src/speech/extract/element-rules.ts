import type { BlockKind, LeftOutReason } from './block.ts';
import type { StartTag } from './open-elements.ts';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const CONTENT_KINDS = new Map<string, BlockKind>([
  ...HEADINGS.map((name): [string, BlockKind] => [name, 'heading']),
  ['blockquote', 'quote'],
  ['li', 'list'],
  ['dt', 'list'],
  ['dd', 'list'],
]);

const REASONS = new Map<string, LeftOutReason>([
  ['script', 'script'],
  ['noscript', 'script'],
  ['style', 'style'],
  ['template', 'hidden'],
  ['nav', 'navigation'],
  ['head', 'page furniture'],
  ['title', 'page furniture'],
  ['pre', 'code'],
  ['xmp', 'code'],
  ['listing', 'code'],
  ['figcaption', 'caption'],
  ['button', 'form'],
  ['select', 'form'],
  ['textarea', 'form'],
  ['input', 'form'],
  ['datalist', 'form'],
  ['iframe', 'embedded media'],
  ['video', 'embedded media'],
  ['audio', 'embedded media'],
  ['svg', 'embedded media'],
  ['canvas', 'embedded media'],
  ['object', 'embedded media'],
  ['embed', 'embedded media'],
  ['noembed', 'embedded media'],
  ['noframes', 'embedded media'],
  ['del', 'struck out'],
  ['s', 'struck out'],
  ['strike', 'struck out'],
  ['rt', 'ruby annotation'],
  ['rtc', 'ruby annotation'],
  ['rp', 'ruby annotation'],
  ['annotation', 'code'],
  ['annotation-xml', 'code'],
  // Settings that Word leaves in what is pasted from it.
  ['xml', 'hidden'],
  ['amp-ad', 'advertisement'],
  ['amp-embed', 'advertisement'],
  ['amp-sticky-ad', 'advertisement'],
  ['amp-social-share', 'share bar'],
  ['amp-addthis', 'share bar'],
  ['amp-next-page', 'related articles'],
  ['amp-sidebar', 'navigation'],
  ['amp-analytics', 'script'],
  ['amp-pixel', 'script'],
  ['amp-state', 'script'],
  ['amp-script', 'script'],
  ['amp-lightbox', 'hidden'],
  ['amp-consent', 'page furniture'],
  ['amp-user-notification', 'page furniture'],
  ['amp-iframe', 'embedded media'],
  ['amp-video', 'embedded media'],
  ['amp-audio', 'embedded media'],
  ['amp-youtube', 'embedded media'],
  ['amp-vimeo', 'embedded media'],
  ['amp-brightcove', 'embedded media'],
  ['amp-dailymotion', 'embedded media'],
  ['amp-soundcloud', 'embedded media'],
  ['amp-twitter', 'embedded post'],
  ['amp-instagram', 'embedded post'],
  ['amp-facebook', 'embedded post'],
  ['amp-tiktok', 'embedded post'],
]);

const BLOCK_LEVEL = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol p pre search section ' +
    'summary table tbody td tfoot th thead title tr ul xmp'
  ).split(' '),
);

const VOID = new Set(
  'area base basefont br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/** Opening the first word ends an open element of the second list, unless one of the third lies between. */
const IMPLIED_ENDS = new Map<string, { ends: readonly string[]; within: readonly string[] }>([
  ['li', { ends: ['li'], within: ['ul', 'ol', 'menu'] }],
  ['dt', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['dd', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['tr', { ends: ['tr'], within: ['table'] }],
  ['td', { ends: ['td', 'th'], within: ['tr', 'table'] }],
  ['th', { ends: ['td', 'th'], within: ['tr', 'table'] }],
]);

/** The kind of block an element makes of its text; undefined where it takes its parent's. */
export function getBlockKind(name: string): BlockKind | undefined {
  return CONTENT_KINDS.get(name);
}

/** Why an element of this name is left out wherever it stands; undefined where it is read. */
export function findReasonByName(name: string): LeftOutReason | undefined {
  return REASONS.get(name);
}

/** Whether the element is laid out as a block: text before and after its tags is not one, and an inline end tag does not reach across it. */
export function isBlockLevel(name: string): boolean {
  return BLOCK_LEVEL.has(name);
}

/** Whether the element never has an end tag. */
export function isVoid(name: string): boolean {
  return VOID.has(name);
}

/** Whether the element is h1 … h6. */
export function isHeading(name: string): boolean {
  return HEADINGS.includes(name);
}

/** Which open elements the start of this one ends, and which ancestors shield them. */
export function getImpliedEnds(name: string): { ends: readonly string[]; within: readonly string[] } | undefined {
  return IMPLIED_ENDS.get(name);
}

/** Whether the attributes hide the element from readers. */
export function isHidden({ name, attributes }: StartTag): boolean {
  // What opens by a search in the page is part of the text, as closed details are.
  if (attributes.has('hidden')) return attributes.get('hidden')?.toLowerCase() !== 'until-found';
  if (attributes.get('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  if (name === 'dialog' && !attributes.has('open')) return true;
  const style = attributes.get('style')?.toLowerCase();
  return style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all/.test(style);
}
