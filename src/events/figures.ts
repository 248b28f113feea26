import type { DeviceClass, EventSource } from '../database/event-tables.ts';
import type { EventType } from './schema.ts';

/** Parts of an audio whose hearings are counted apart, for the retention curve. */
export const partCount = 20;

/** What is summed up of a day beside the events of each type. */
export type Figure = EventType | 'heard_s' | 'listeners' | `part.${string}`;

/** Whose figures an event goes into. */
export interface Place {
  readonly siteId: number;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** Empty where it isn't known, like the next; 0 for no voice. */
  readonly post: string;
  readonly language: string;
  readonly voiceId: number;
  readonly device: DeviceClass;
  readonly source: EventSource;
}

/** A session at a place. */
export interface Listener extends Place {
  readonly sessionId: string;
}

/** As much of an event as figures are made of. */
export interface Countable extends Place {
  readonly type: EventType;
  readonly positionS: number | null;
  readonly heardS: number | null;
  /** Length of the audio; null where it isn't known. */
  readonly durationS: number | null;
}

/** Site, post, dimension, day, value and figure; then by how much it grows. */
export type FigureRow = [number, string, string, string, string, Figure, number];

type Amounts = Map<Figure, number>;

/** Sums up, so that many events cost few rows. */
export class Figures {
  /** Not split up before all are in: the events of a batch are of few places. */
  readonly #events = new Map<string, { place: Place; amounts: Amounts }>();
  readonly #rows = new Map<string, FigureRow>();

  rows(): FigureRow[] {
    for (const { place, amounts } of this.#events.values()) this.#split(place, amounts);
    this.#events.clear();
    return [...this.#rows.values()];
  }

  addEvent(event: Countable): void {
    const { type, heardS } = event;
    const amounts = this.#amountsAt(event);
    grow(amounts, type, 1);
    if (heardS !== null && heardS > 0) grow(amounts, 'heard_s', heardS);
    for (const [part, times] of heardParts(event)) {
      grow(amounts, `part.${String(part).padStart(2, '0')}`, times);
    }
  }

  /**
   * Counts each session once a day wherever it listens.
   * @param fresh places where a session had not listened yet
   * @param earlier places where these sessions listened before
   */
  addListeners(fresh: readonly Listener[], earlier: readonly Listener[]): void {
    const counted = new Set(
      earlier.flatMap((one) => splitsOf(one).map((split) => idOf(one, split))),
    );
    for (const listener of fresh) {
      for (const split of splitsOf(listener)) {
        const id = idOf(listener, split);
        if (counted.has(id)) continue;
        counted.add(id);
        this.#add(listener, split, 'listeners', 1);
      }
    }
  }

  #amountsAt(place: Place): Amounts {
    const { siteId, day, post, language, voiceId, device, source } = place;
    const key = JSON.stringify([siteId, day, post, language, voiceId, device, source]);
    const known = this.#events.get(key);
    if (known !== undefined) return known.amounts;
    const amounts: Amounts = new Map();
    this.#events.set(key, { place, amounts });
    return amounts;
  }

  /** Of the parts of an audio only wholes are kept. */
  #split(place: Place, amounts: Amounts): void {
    for (const split of splitsOf(place)) {
      for (const [figure, amount] of amounts) {
        if (figure.startsWith('part.') && split.dimension !== 'all') continue;
        this.#add(place, split, figure, amount);
      }
    }
  }

  #add({ siteId, day }: Place, { post, dimension, value }: Split, figure: Figure, amount: number) {
    const key = JSON.stringify([siteId, post, dimension, day, value, figure]);
    const row = this.#rows.get(key);
    if (row === undefined) {
      this.#rows.set(key, [siteId, post, dimension, day, value, figure, amount]);
    } else {
      row[6] += amount;
    }
  }
}

function grow(amounts: Amounts, figure: Figure, amount: number): void {
  amounts.set(figure, (amounts.get(figure) ?? 0) + amount);
}

/** Where a figure is kept: of the site or one post, whole or split by a dimension. */
interface Split {
  readonly post: string;
  readonly dimension: string;
  readonly value: string;
}

function splitsOf({ post, language, voiceId, device, source }: Place): Split[] {
  const values: [string, string][] = [
    ['all', ''],
    ['language', language],
    ['voice', voiceId === 0 ? '' : String(voiceId)],
    ['device', device],
    ['source', source],
  ];
  const splits = values.map(([dimension, value]) => ({ post: '', dimension, value }));
  splits.push({ post: '', dimension: 'post', value: post });
  if (post === '') return splits;
  return [...splits, ...values.map(([dimension, value]) => ({ post, dimension, value }))];
}

function idOf({ siteId, day, sessionId }: Listener, { post, dimension, value }: Split): string {
  return JSON.stringify([siteId, day, sessionId, post, dimension, value]);
}

/** @returns of each part that was heard how many times; 0.5 for half of it */
function heardParts({ positionS, heardS, durationS }: Countable): [number, number][] {
  if (positionS === null || heardS === null || durationS === null || durationS <= 0) return [];
  const end = Math.min(positionS, durationS);
  const start = Math.max(0, positionS - heardS);
  const partS = durationS / partCount;
  const parts: [number, number][] = [];
  for (let part = Math.floor(start / partS); part < partCount && part * partS < end; part += 1) {
    const times = (Math.min(end, (part + 1) * partS) - Math.max(start, part * partS)) / partS;
    if (times > 0) parts.push([part, times]);
  }
  return parts;
}
