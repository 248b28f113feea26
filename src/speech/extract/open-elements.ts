import type { BlockKind } from './block.ts';
import { getBlockKind, getImpliedEnds, isBlockLevel, isHeading } from './element-rules.ts';

/** An element as its start tag shows it. */
export class StartTag {
  /** In lower case. */
  readonly name: string;
  /** Names in lower case; only those that somebody looks at. */
  readonly attributes: ReadonlyMap<string, string>;
  #classes: ReadonlySet<string> | undefined;

  constructor(name: string, attributes: ReadonlyMap<string, string>) {
    this.name = name;
    this.attributes = attributes;
  }

  get classes(): ReadonlySet<string> {
    this.#classes ??= new Set((this.attributes.get('class') ?? '').match(/[^\s]+/g) ?? []);
    return this.#classes;
  }

  /** Its `role`, in lower case. */
  get role(): string | undefined {
    return this.attributes.get('role')?.trim().toLowerCase();
  }
}

/** Elements of a drawing that hold HTML. */
const SVG_HTML_ELEMENTS = ['foreignobject', 'desc'];

interface OpenElement {
  readonly name: string;
  readonly kind: BlockKind;
  /** BCP 47 primary code; undefined: that of the article. */
  readonly language: string | undefined;
}

/** The open elements. Every question takes constant time, so that neither depth nor stray tags cost more than their length. */
export class ElementStack {
  readonly #elements: OpenElement[] = [];
  readonly #depthsByName = new Map<string, number[]>();
  readonly #blockDepths: number[] = [];

  get depth(): number {
    return this.#elements.length;
  }

  /** The kind of block that text at this place belongs to. */
  get kind(): BlockKind {
    return this.#elements.at(-1)?.kind ?? 'paragraph';
  }

  /** The language that the nearest element names; undefined where none does. */
  get language(): string | undefined {
    return this.#elements.at(-1)?.language;
  }

  isInBlock(): boolean {
    return this.#blockDepths.length > 0;
  }

  isOpen(name: string): boolean {
    return this.#lastDepth(name) >= 0;
  }

  /**
   * @param own what it says of itself: the value of its `lang`, where empty stands for that of the article again, and its
   *   kind, where its name doesn't tell
   */
  open(name: string, own: { language?: string | undefined; kind?: BlockKind | undefined } = {}): void {
    this.#endImplied(name);
    const depth = this.#elements.length;
    const language = own.language === undefined ? this.language : parsePrimaryCode(own.language);
    this.#elements.push({ name, kind: own.kind ?? getBlockKind(name) ?? this.kind, language });
    const depths = this.#depthsByName.get(name);
    if (depths) depths.push(depth);
    else this.#depthsByName.set(name, [depth]);
    if (isBlockLevel(name)) this.#blockDepths.push(depth);
  }

  /** Ends the element and all that is still open in it; an end tag without a start, or across a block, changes nothing. */
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
    if ((name === 'p' || isHeading(name)) && block !== undefined && isHeading(block)) {
      this.#popTo(this.#lastBlockDepth());
    }
    const implied = getImpliedEnds(name);
    if (!implied) return;
    const ended = Math.max(...implied.ends.map((end) => this.#lastDepth(end)));
    const shield = Math.max(...implied.within.map((ancestor) => this.#lastDepth(ancestor)));
    if (ended > shield) this.#popTo(ended);
  }

  /** Whether an element that would end the paragraph around it is a part of a drawing in that paragraph: an icon's title, a text in boxes. */
  #isInsideSvg(name: string): boolean {
    const drawing = this.#lastDepth('svg');
    if (drawing < this.#lastBlockDepth()) return false;
    return name === 'title' || Math.max(...SVG_HTML_ELEMENTS.map((one) => this.#lastDepth(one))) > drawing;
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

/** `de-AT` → `de`; undefined for what is no language tag, like `x-klingon`. */
function parsePrimaryCode(languageTag: string): string | undefined {
  return /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i.exec(languageTag.slice(0, 100))?.[1]?.toLowerCase();
}
