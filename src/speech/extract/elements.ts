import { type BlockKind, type LeftOutReason, Section } from './block.ts';

export class StartTag {
  /** In lower case. */
  readonly name: string;
  /** Names in lower case; only those that the extraction uses. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Parsed once, however many rules ask. */
  readonly #words = new Map<string, ReadonlySet<string>>();
  readonly #lowerCase = new Map<string, string>();

  constructor(name: string, attributes: ReadonlyMap<string, string>) {
    this.name = name;
    this.attributes = attributes;
  }

  get classes(): ReadonlySet<string> {
    return this.words('class', false);
  }

  /** @returns the words of an attribute; none without it */
  words(attribute: string, isLowerCase: boolean): ReadonlySet<string> {
    const value = (isLowerCase ? this.lowerCase(attribute) : this.attributes.get(attribute)) ?? '';
    const key = `${isLowerCase} ${attribute}`;
    return this.#words.getOrInsertComputed(key, () => new Set(value.match(/[^\s]+/g) ?? []));
  }

  /** @returns the value of an attribute in lower case; undefined without it */
  lowerCase(attribute: string): string | undefined {
    const value = this.attributes.get(attribute);
    return value && this.#lowerCase.getOrInsertComputed(attribute, () => value.toLowerCase());
  }

  get role(): string | undefined {
    return this.attributes.get('role')?.trim().toLowerCase();
  }
}

/** SVG elements with HTML content. */
const SVG_HTML_ELEMENTS = ['foreignobject', 'desc'];

interface OpenElement {
  readonly name: string;
  readonly kind: BlockKind;
  /** BCP 47 primary code; undefined: that of the article. */
  readonly language: string | undefined;
  readonly section: Section;
}

/** The open elements. Every operation takes constant time, whatever the depth and however many stray tags. */
export class ElementStack {
  readonly #elements: OpenElement[] = [];
  readonly #depthsByName = new Map<string, number[]>();
  readonly #blockDepths: number[] = [];
  readonly #root = new Section('', new Map());

  get depth(): number {
    return this.#elements.length;
  }

  get kind(): BlockKind {
    return this.#elements.at(-1)?.kind ?? 'paragraph';
  }

  /** `lang` of the nearest element; undefined without one. */
  get language(): string | undefined {
    return this.#elements.at(-1)?.language;
  }

  /** The nearest block-level element. */
  get section(): Section {
    return this.#elements.at(-1)?.section ?? this.#root;
  }

  isInBlock(): boolean {
    return this.#blockDepths.length > 0;
  }

  isOpen(name: string): boolean {
    return this.#lastDepth(name) >= 0;
  }

  /** @param kind of block, if the name does not decide it */
  open({ name, attributes }: StartTag, kind?: BlockKind): void {
    this.#endImplied(name);
    const depth = this.#elements.length;
    // An empty one means the language of the article.
    const languageTag = attributes.get('lang') ?? attributes.get('xml:lang');
    const language = languageTag === undefined ? this.language : parsePrimaryCode(languageTag);
    const section = isBlockLevel(name) ? new Section(name, attributes, this.section) : this.section;
    this.#elements.push({ name, kind: kind ?? CONTENT_KINDS.get(name) ?? this.kind, language, section });
    this.#depthsByName.getOrInsertComputed(name, () => []).push(depth);
    if (isBlockLevel(name)) this.#blockDepths.push(depth);
  }

  /** Closes the element and all open elements in it; ignores an end tag without a start, or one across a block. */
  close(name: string): void {
    const depth = this.#lastDepth(name);
    const endsInline = !isBlockLevel(name);
    if (depth < 0 || (endsInline && depth < this.#lastBlockDepth())) return;
    this.#popTo(depth);
  }

  #endImplied(name: string): void {
    const block = this.#elements[this.#lastBlockDepth()]?.name;
    if (isBlockLevel(name) && block === 'p' && !this.#isInsideSvg(name)) {
      this.#popTo(this.#lastBlockDepth());
    }
    if ((name === 'p' || HEADINGS.includes(name)) && block !== undefined && HEADINGS.includes(block)) {
      this.#popTo(this.#lastBlockDepth());
    }
    const implied = IMPLIED_ENDS.get(name);
    if (!implied) return;
    const endedDepth = Math.max(...implied.ends.map((end) => this.#lastDepth(end)));
    const shield = Math.max(...implied.within.map((ancestor) => this.#lastDepth(ancestor)));
    if (endedDepth > shield) this.#popTo(endedDepth);
  }

  /** Whether an element that would end the paragraph is part of an SVG in it, such as the title of an icon. */
  #isInsideSvg(name: string): boolean {
    const drawing = this.#lastDepth('svg');
    if (drawing < this.#lastBlockDepth()) return false;
    return name === 'title' || Math.max(...SVG_HTML_ELEMENTS.map((ancestor) => this.#lastDepth(ancestor))) > drawing;
  }

  #popTo(depth: number): void {
    while (this.#elements.length > depth) {
      const element = this.#elements.pop();
      if (!element) return;
      this.#depthsByName.get(element.name)?.pop();
      if (isBlockLevel(element.name)) this.#blockDepths.pop();
    }
  }

  #lastDepth(name: string): number {
    return this.#depthsByName.get(name)?.at(-1) ?? -1;
  }

  #lastBlockDepth(): number {
    return this.#blockDepths.at(-1) ?? -1;
  }
}

/** `de-AT` → `de`; undefined for an invalid tag such as `x-klingon`. */
function parsePrimaryCode(languageTag: string): string | undefined {
  return /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i.exec(languageTag.slice(0, 100))?.[1]?.toLowerCase();
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Kind of block by element; other elements inherit it. */
const CONTENT_KINDS = new Map<string, BlockKind>([
  ...[...HEADINGS, 'hl1', 'hl2'].map((name): [string, BlockKind] => [name, 'heading']),
  ['blockquote', 'quote'],
  ['li', 'list'],
  ['dt', 'list'],
  ['dd', 'list'],
]);

/** Elements that are always left out. Word writes settings into `xml`. */
const NAMES_BY_REASON: Partial<Record<LeftOutReason, string>> = {
  script: 'script noscript amp-analytics amp-pixel amp-state amp-script',
  style: 'style',
  // The latter of the storage format of Confluence.
  hidden: 'template xml amp-lightbox ac:parameter ac:placeholder ac:task-id ac:task-status',
  navigation: 'nav amp-sidebar',
  'page furniture': 'head title amp-consent amp-user-notification',
  code: 'pre xmp listing annotation annotation-xml ac:plain-text-body',
  // The last two are of NITF.
  caption: 'figcaption media-caption media-producer ac:caption',
  form: 'button select textarea input datalist progress meter',
  'embedded media':
    'iframe video audio svg canvas object embed noembed noframes amp-iframe amp-video amp-audio amp-youtube amp-vimeo ' +
    'amp-brightcove amp-dailymotion amp-soundcloud',
  'embedded post': 'amp-twitter amp-instagram amp-facebook amp-tiktok',
  'struck out': 'del s strike',
  'ruby annotation': 'rt rtc rp',
  advertisement: 'amp-ad amp-embed amp-sticky-ad',
  'share bar': 'amp-social-share amp-addthis',
  'related articles': 'amp-next-page',
};
const REASONS = new Map(
  (Object.entries(NAMES_BY_REASON) as [LeftOutReason, string][]).flatMap(([reason, names]) =>
    names.split(' ').map((name) => [name, reason] as const),
  ),
);

const BLOCK_LEVEL = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form hl1 hl2 block media h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol p pre search section ' +
    'summary ac:task ac:task-list ac:rich-text-body table tbody td tfoot th thead title tr ul xmp'
  ).split(' '),
);

const VOID = new Set(
  'area base basefont br break col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/** A start tag of the key closes an open element of `ends`, unless one of `within` is between. */
const IMPLIED_ENDS = new Map<string, { ends: readonly string[]; within: readonly string[] }>([
  ['li', { ends: ['li'], within: ['ul', 'ol', 'menu'] }],
  ['dt', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['dd', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['tr', { ends: ['tr'], within: ['table'] }],
  ['td', { ends: ['td', 'th'], within: ['tr', 'table'] }],
  ['th', { ends: ['td', 'th'], within: ['tr', 'table'] }],
]);

export function findReasonByName(name: string): LeftOutReason | undefined {
  return REASONS.get(name);
}

/** Block-level elements separate text; an inline end tag has no effect across them. */
export function isBlockLevel(name: string): boolean {
  return BLOCK_LEVEL.has(name);
}

export function isVoid(name: string): boolean {
  return VOID.has(name);
}

const STREAMED = /^S:[\da-f]{1,8}$/;

/** The latter two put text outside the page, for screen readers or search engines. */
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|(?:left|top|text-indent)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]/;

export function isHidden({ name, attributes, classes }: StartTag): boolean {
  // A script shows the text behind a paywall, and what React streams.
  if (classes.has('paywall') || STREAMED.test(attributes.get('id') ?? '')) return false;
  // Text that a search in the page reveals is spoken, like closed details.
  if (attributes.has('hidden')) return attributes.get('hidden')?.toLowerCase() !== 'until-found';
  if (attributes.get('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  if (name === 'dialog' && !attributes.has('open')) return true;
  // What AMP shows before or instead of its elements.
  if (attributes.get('fallback') === '' || attributes.get('placeholder') === '') return true;
  const style = attributes.get('style')?.toLowerCase();
  return style !== undefined && HIDING_STYLE.test(style);
}
