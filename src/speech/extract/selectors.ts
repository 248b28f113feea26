import { AttributeAction, parse, type Selector, SelectorType, stringify } from 'css-what';
import { operationFailed } from '../../errors.ts';
import type { StartTag } from './elements.ts';

/** Limits the cost of a selector for each element. */
const MAX_PARTS = 50;
/** Tests of one article, and characters that they search: up to two seconds. Real pages need some hundred thousand. */
const MAX_WORK = 20_000_000;
/** Work for a remembered match: it takes memory until its element ends. */
const WORK_PER_MATCH = 10;

/** Counts the work on one article, for all its selectors. */
export class WorkMeter {
  #work = 0;

  /** @throws AppError `operation_failed` */
  add(work: number): void {
    this.#work += work;
    if (this.#work <= MAX_WORK) return;
    throw operationFailed(
      'Text extraction failed: the CSS selectors of the site (`leave_out`, `keep`) take too much time on this article. Use fewer or simpler selectors',
    );
  }
}

type Test = (element: StartTag, meter: WorkMeter) => boolean;

/** A compound selector, such as `ul.links` in `nav > ul.links a`. */
interface SelectorStep {
  readonly tests: readonly Test[];
  /** Index of the step that an ancestor must match; -1: none. */
  readonly ancestor: number;
  /** The ancestor must be the parent. */
  readonly isChild: boolean;
  isLast: boolean;
  isContinued: boolean;
}

/** CSS selectors that can be decided at a start tag, from the element and its ancestors. */
export interface Selectors {
  /** A step precedes those that continue it. Common prefixes of selectors are shared. */
  readonly steps: readonly SelectorStep[];
  readonly attributes: ReadonlySet<string>;
}

/** @returns why a selector is not supported, with the part of it; undefined if it is supported */
export function validateSelector(selector: string): string | undefined {
  try {
    compileSelector(selector, new SelectorSet());
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${JSON.stringify(selector)} is not supported: ${reason}`;
  }
}

/** Ignores unsupported selectors: the settings reject them. */
export function compileSelectors(selectors: readonly string[]): Selectors {
  const usable = new SelectorSet();
  for (const selector of new Set(selectors)) {
    if (validateSelector(selector) === undefined) compileSelector(selector, usable);
  }
  return usable;
}

/** Continued steps that an open element matches. */
interface MatchedSteps {
  readonly element: ReadonlySet<number>;
  /** Of the element and its ancestors. */
  readonly path: ReadonlySet<number>;
}

const noSteps: MatchedSteps = { element: new Set(), path: new Set() };

/** Matches the elements of one article, in the order of their start tags. */
export class SelectorMatcher {
  readonly #steps: readonly SelectorStep[];
  readonly #open: MatchedSteps[] = [];
  readonly #meter: WorkMeter;

  constructor({ steps }: Selectors, meter: WorkMeter) {
    this.#steps = steps;
    this.#meter = meter;
  }

  /**
   * @param depth number of open ancestors
   * @throws AppError `operation_failed` when the selectors take too long on this article
   */
  matches(element: StartTag, depth: number): boolean {
    if (this.#steps.length === 0) return false;
    this.#open.length = depth;
    this.#meter.add(this.#steps.length);
    const parent = this.#open.at(-1) ?? noSteps;
    const matches = new Set<number>();
    let isMatch = false;
    for (const [index, step] of this.#steps.entries()) {
      if (isMatch && !step.isContinued) continue;
      if (step.ancestor >= 0 && !(step.isChild ? parent.element : parent.path).has(step.ancestor)) continue;
      if (!step.tests.every((test) => test(element, this.#meter))) continue;
      if (step.isLast) isMatch = true;
      if (step.isContinued) matches.add(index);
    }
    // Equal nested elements share their sets; a path is copied only for a new step.
    const isAsAround = matches.size === parent.element.size && matches.isSubsetOf(parent.element);
    const isInPath = matches.isSubsetOf(parent.path);
    if (!isAsAround) this.#meter.add((matches.size + (isInPath ? 0 : parent.path.size)) * WORK_PER_MATCH);
    const path = isInPath ? parent.path : parent.path.union(matches);
    this.#open.push(isAsAround ? parent : { element: matches, path });
    return isMatch;
  }
}

class SelectorSet implements Selectors {
  readonly steps: SelectorStep[] = [];
  readonly attributes = new Set<string>();
  readonly #indexes = new Map<string, number>();

  /** @returns the index of the new or existing step */
  add(parts: readonly Selector[], ancestor: number, isChild: boolean): number {
    const key = `${ancestor} ${isChild} ${stringify([[...parts]])}`;
    const existingIndex = this.#indexes.get(key);
    if (existingIndex !== undefined) return existingIndex;
    const tests = parts.map((part) => compilePart(part, this.attributes));
    const before = this.steps[ancestor];
    if (before) before.isContinued = true;
    this.#indexes.set(key, this.steps.length);
    return this.steps.push({ tests, ancestor, isChild, isLast: false, isContinued: false }) - 1;
  }
}

/** @throws Error with the reason why the selector is not supported */
function compileSelector(selector: string, set: SelectorSet): void {
  const alternatives = parse(selector);
  if (alternatives.length === 0) throw new Error('it is empty');
  if (countParts(alternatives) > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`);
  for (const alternative of alternatives) {
    let parts: Selector[] = [];
    let ancestor = -1;
    let isChild = false;
    for (const part of alternative) {
      if (part.type === SelectorType.Child || part.type === SelectorType.Descendant) {
        if (parts.length === 0) throw new Error('missing element before a combinator');
        ancestor = set.add(parts, ancestor, isChild);
        isChild = part.type === SelectorType.Child;
        parts = [];
      } else parts.push(part);
    }
    if (parts.length === 0) throw new Error('missing element at the end');
    const last = set.steps[set.add(parts, ancestor, isChild)];
    if (last) last.isLast = true;
  }
}

function compilePart(part: Selector, attributes: Set<string>): Test {
  if ('namespace' in part && part.namespace !== null && part.namespace !== '*') {
    throw new Error(`${formatSelector(part)}: namespaces are not supported`);
  }
  if (part.type === SelectorType.Universal || part.type === SelectorType.Tag) {
    if (part.type === SelectorType.Universal) return () => true;
    const name = part.name.toLowerCase();
    return (element) => element.name === name;
  }
  if (part.type === SelectorType.Attribute) {
    attributes.add(part.name);
    return createAttributeTest(part.name, part.action, part.value, part.ignoreCase === true);
  }
  if (part.type === SelectorType.Pseudo && Array.isArray(part.data)) {
    const options = part.data.map((compound) => compound.map((inner) => compilePart(inner, attributes)));
    const matches: Test = (element, meter) => {
      meter.add(options.length);
      return options.some((tests) => tests.every((test) => test(element, meter)));
    };
    if (part.name === 'not') return (element, meter) => !matches(element, meter);
    if (part.name === 'is' || part.name === 'where') return matches;
  }
  if (part.type === SelectorType.Descendant)
    throw new Error('descendant selectors inside :not() or :is() are not supported');
  throw new Error(`${formatSelector(part)} cannot be evaluated on a start tag`);
}

function createAttributeTest(name: string, action: AttributeAction, value: string, ignoresCase: boolean): Test {
  if (action === AttributeAction.Exists) return ({ attributes }) => attributes.has(name);
  const expected = ignoresCase ? value.toLowerCase() : value;
  if (action === AttributeAction.Element) return (element) => element.words(name, ignoresCase).has(expected);
  const compare = createComparison(action, expected);
  const isSearch = action === AttributeAction.Any;
  return (element, meter) => {
    const actual = ignoresCase ? element.lowerCase(name) : element.attributes.get(name);
    meter.add(isSearch ? 1 + (actual?.length ?? 0) : 1);
    return actual === undefined ? action === AttributeAction.Not : compare(actual);
  };
}

function createComparison(action: AttributeAction, expected: string): (given: string) => boolean {
  // As in CSS, an empty value never matches.
  const isPart = (test: (actual: string) => boolean) => (expected === '' ? () => false : test);
  switch (action) {
    case AttributeAction.Any:
      return isPart((actual) => actual.includes(expected));
    case AttributeAction.Start:
      return isPart((actual) => actual.startsWith(expected));
    case AttributeAction.End:
      return isPart((actual) => actual.endsWith(expected));
    case AttributeAction.Hyphen:
      return (actual) => actual === expected || actual.startsWith(`${expected}-`);
    case AttributeAction.Not:
      return (actual) => actual !== expected;
    default:
      return (actual) => actual === expected;
  }
}

function formatSelector(part: Selector): string {
  return JSON.stringify(stringify([[part]]).trim());
}

function countParts(alternatives: readonly (readonly Selector[])[]): number {
  return alternatives.flat().reduce((sum, part) => {
    const inner = part.type === SelectorType.Pseudo && Array.isArray(part.data) ? part.data : [];
    return sum + 1 + countParts(inner);
  }, 0);
}
