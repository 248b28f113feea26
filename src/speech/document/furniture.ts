import type { LeftOutReason } from './block.ts';
import type { ElementStack } from './element-stack.ts';

/** Tells what belongs to the page around an article from what belongs to the article, where the name alone does not. */
export class FurnitureRule {
  readonly #articleStarts: NextMatch;
  readonly #headings: NextMatch;
  readonly #headerEnds: NextMatch;
  readonly #formEnds: NextMatch;
  readonly #hasArticle: boolean;

  constructor(source: string) {
    this.#articleStarts = new NextMatch(source, /<(?:article|main)[\s>]/gi);
    this.#headings = new NextMatch(source, /<h[1-6][\s>]/gi);
    this.#headerEnds = new NextMatch(source, /<\/header[\s>]/gi);
    this.#formEnds = new NextMatch(source, /<\/form[\s>]/gi);
    this.#hasArticle = this.#articleStarts.from(0) < source.length;
  }

  /** Why the element that starts at `start` is left out; undefined where it is read. `start` must not fall. */
  reason(
    name: string,
    start: number,
    stack: ElementStack,
    attributes: ReadonlyMap<string, string>,
  ): LeftOutReason | undefined {
    if (name === 'aside') return 'page furniture';
    if (name === 'footer') return stack.isOpen('blockquote') ? undefined : 'page furniture';
    if (name === 'header')
      return this.#isArticleHeader(start, stack) ? undefined : 'page furniture';
    if (name === 'form') return this.#holdsArticle(start) ? undefined : 'form';
    if (name === 'a' && isNoteMark(stack, attributes)) return 'page furniture';
    return undefined;
  }

  #isArticleHeader(start: number, stack: ElementStack): boolean {
    if (stack.isOpen('article') || stack.isOpen('main')) return true;
    if (this.#hasArticle) return false;
    return this.#headings.from(start) < this.#headerEnds.from(start);
  }

  /** Some servers wrap the whole page in one form. */
  #holdsArticle(start: number): boolean {
    return this.#articleStarts.from(start) < this.#formEnds.from(start);
  }
}

/** The raised number of a footnote, which would be read as part of the word before it. */
function isNoteMark(stack: ElementStack, attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.get('role') === 'doc-noteref') return true;
  return stack.isOpen('sup') && attributes.get('href')?.startsWith('#') === true;
}

/** Finds the next match at or after offsets that only rise, so that all searches together read the source once. */
class NextMatch {
  readonly #source: string;
  readonly #pattern: RegExp;
  #found = -1;

  constructor(source: string, pattern: RegExp) {
    this.#source = source;
    this.#pattern = pattern;
  }

  /** The offset of the next match, or infinity. */
  from(offset: number): number {
    if (this.#found < offset) {
      this.#pattern.lastIndex = offset;
      this.#found = this.#pattern.exec(this.#source)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#found;
  }
}
