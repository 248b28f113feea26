import type { MissingSegment } from './plan.ts';

/** So many of the last segments per worker are not spoken in order. */
const lastPerWorker = 4;

/** A planned segment that nobody has spoken yet. */
export type Unspoken = MissingSegment & {
  /** Its place in the text among those that must be spoken. */
  readonly place: number;
  /** How many workers it has cost their lives. */
  readonly deaths: number;
};

/** The segments of an audio that must still be spoken, in the order of the text. */
export class UnspokenSegments {
  readonly #workerCount: number;
  readonly #waiting: Unspoken[] = [];
  /** Places of those that are being spoken. */
  readonly #inWork = new Set<number>();
  #count = 0;

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The one that a listener hears first. */
  get first(): Unspoken | undefined {
    return this.#waiting[0];
  }

  add(segments: readonly MissingSegment[]): void {
    for (const segment of segments) {
      this.#waiting.push({ ...segment, place: this.#count, deaths: 0 });
      this.#count += 1;
    }
  }

  /** Takes one out; whoever takes it says when it is spoken or put back. @param isEnd whether no others will come */
  take(isEnd: boolean): Unspoken | undefined {
    const [taken] = this.#waiting.splice(isEnd ? this.#longestOfTheLast() : 0, 1);
    if (taken !== undefined) this.#inWork.add(taken.place);
    return taken;
  }

  leave({ place }: Unspoken): void {
    this.#inWork.delete(place);
  }

  /** It goes first. */
  putBack(segment: Unspoken): void {
    this.#waiting.unshift(segment);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /**
   * Towards the end the longest goes first, so that no worker has to wait for one that has just begun a long one. What a
   * listener hears next is always in work before.
   */
  #longestOfTheLast(): number {
    const next = this.#waiting[0]?.place ?? 0;
    const isNextInWork = [...this.#inWork].some((place) => place < next);
    if (!isNextInWork || this.#waiting.length > lastPerWorker * this.#workerCount) return 0;
    const lengths = this.#waiting.map(({ question }) => question.ids.length);
    return lengths.indexOf(Math.max(...lengths));
  }
}
