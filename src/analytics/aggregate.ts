import PQueue from 'p-queue';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import type { Database, Queries } from '../database/open.ts';
import { AppError } from '../errors.ts';
import type { Answered } from '../http/endpoint.ts';
import type { PlanFigures } from '../setting.ts';
import type { CheckedEvent, Submission } from './routes.ts';
import type { EventType } from './schema.ts';
import {
  addKeyRequests,
  addQuotaUse,
  type EventName,
  type KeyRequests,
  type PostAudio,
  type QuotaUse,
  quotaUses,
  storedEvents,
} from './store.ts';

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

/** Counts requests made with a key by route, status and day, without a write for each. */
export interface KeyRequestCounts {
  note(answered: Answered): void;
  /**
   * Returns once all that was noted is written down, by whichever call; what a crash loses are the counts since the last
   * time.
   */
  save(): Promise<void>;
}

export function createKeyRequestCounts(database: Database): KeyRequestCounts {
  let counts = new Map<string, KeyRequests>();
  const saves = new PQueue({ concurrency: 1 });
  const add = (requests: KeyRequests): void => {
    const { day, keyId, status, route } = requests;
    const key = `${day} ${keyId} ${status} ${route}`;
    const count = (counts.get(key)?.count ?? 0) + requests.count;
    counts.set(key, { ...requests, count });
  };
  const save = async (): Promise<void> => {
    if (counts.size === 0) return;
    const saving = [...counts.values()];
    counts = new Map();
    try {
      await database.writeLazily((db) => addKeyRequests(db, saving.map(described)));
    } catch (error) {
      // On a full disk, say: the next time will do.
      for (const requests of saving) add(requests);
      throw error;
    }
  };
  return {
    note: ({ siteId, keyId, route, method, status }) => {
      if (siteId === undefined || keyId === undefined || route === undefined) return;
      const day = new Date().toISOString().slice(0, 10);
      add({ siteId, day, keyId, route: `${method} ${route}`, status, count: 1 });
    },
    save: () => saves.add(save),
  };
}

/** The route as its description writes it: `/v1/audio/{post_id}/status`. */
function described(requests: KeyRequests): KeyRequests {
  return { ...requests, route: requests.route.replace(/:(\w+)/g, '{$1}') };
}

/** What an event was about, as far as the site knows of it. */
export interface Subject {
  /** Empty where it isn't known, like the next; 0 for no voice. */
  readonly post: string;
  readonly language: string;
  readonly voiceId: number;
  /** Length of what is heard; null where it isn't known. */
  readonly durationS: number | null;
}

const nothing: Subject = { post: '', language: '', voiceId: 0, durationS: null };
const defaultLanguage = 'en';

/**
 * Only what is there gets figures of its own: whoever may send events can't make tables grow by inventing names.
 * @param audios of the post, of each a row; a post without audio has one of nulls, a post that isn't there none
 * @param voices installed now or ever
 */
export function subjectOf(
  event: CheckedEvent,
  audios: readonly PostAudio[],
  voices: ReadonlySet<number>,
): Subject {
  if (audios.length === 0) return nothing;
  const language = languageOf(event, audios);
  const spoken = audios.filter((audio) => audio.language === language);
  const main = spoken.find(({ isMain }) => isMain === 1);
  const heard = spoken.find(({ voiceId }) => voiceId === event.voiceId) ?? main;
  const given = event.voiceId ?? heard?.voiceId ?? 0;
  return {
    post: event.postId,
    language,
    voiceId: voices.has(given) ? given : 0,
    durationS: heard?.durationMs == null ? null : heard.durationMs / 1000,
  };
}

function languageOf(event: CheckedEvent, audios: readonly PostAudio[]): string {
  const wanted =
    event.language ??
    audios.find(({ voiceId }) => voiceId !== null && voiceId === event.voiceId)?.language ??
    defaultLanguage;
  if (audios.some(({ language }) => language === wanted)) return wanted;
  if (event.language !== null) return '';
  return audios.find(({ isMain }) => isMain === 1)?.language ?? '';
}

/** Decides which events are new and fit into the month's quota, one request after the other, in one transaction. */
export interface Admission {
  /** @returns the new events; an error when they don't fit in whole, `not_found` when there is no such site any more */
  admit(submission: Submission): readonly CheckedEvent[] | AppError;
  /** Writes down what was admitted. */
  close(db: Queries): Promise<void>;
}

/** What one site sends from one side. */
type Sender = Pick<Submission, 'siteId' | 'source'>;

/**
 * @param submissions that will be asked about
 * @param eventsPerMonth by plan
 */
export async function openAdmission(
  db: Queries,
  submissions: readonly Submission[],
  eventsPerMonth: PlanFigures,
  now: Date,
): Promise<Admission> {
  const month = now.toISOString().slice(0, 7);
  const known = await knownNames(db, submissions);
  const senders = new Map(
    submissions.map(({ siteId, source }) => [keyOf({ siteId, source }), { siteId, source }]),
  );
  const asked = [...senders.values()].map(({ siteId, source }) => [siteId, source] as const);
  const uses = new Map((await quotaUses(db, asked, month)).map((use) => [keyOf(use), use]));
  const added = new Map<string, number>();
  return {
    admit: (submission) => {
      const key = keyOf(submission);
      const use = uses.get(key);
      if (use === undefined) return new AppError('not_found', 'There is no such site');
      const { fresh, names } = freshOnes(submission, known);
      const before = added.get(key) ?? 0;
      const problem = quotaProblem(use, before, fresh.length, eventsPerMonth, month);
      if (problem !== undefined) return problem;
      for (const name of names) known.add(name);
      added.set(key, before + fresh.length);
      return fresh;
    },
    close: async (db) => {
      const counts = [...senders].flatMap(([key, { siteId, source }]) => {
        const count = added.get(key) ?? 0;
        return count === 0 ? [] : [[siteId, source, count] as const];
      });
      if (counts.length > 0) await addQuotaUse(db, counts, month);
    },
  };
}

async function knownNames(db: Queries, submissions: readonly Submission[]): Promise<Set<string>> {
  const names = submissions.flatMap((submission) =>
    submission.events.flatMap(({ eventId }) =>
      eventId === null ? [] : [nameOf(submission, eventId)],
    ),
  );
  if (names.length === 0) return new Set();
  const stored = await storedEvents(db, names);
  return new Set(names.filter((_, place) => stored.has(place)).map(nameKey));
}

/** @returns the events that were not sent before, and their names: within a batch too each counts once */
function freshOnes(
  submission: Submission,
  known: ReadonlySet<string>,
): { fresh: CheckedEvent[]; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const fresh = submission.events.filter(({ eventId }) => {
    if (eventId === null) return true;
    const name = nameKey(nameOf(submission, eventId));
    if (known.has(name) || names.has(name)) return false;
    names.add(name);
    return true;
  });
  return { fresh, names };
}

function quotaProblem(
  use: QuotaUse,
  added: number,
  wanted: number,
  eventsPerMonth: PlanFigures,
  month: string,
): AppError | undefined {
  const most = eventsPerMonth[use.plan];
  const used = use.used + added;
  if (wanted === 0 || used + wanted <= most) return undefined;
  return new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
    quota: [`${used} of ${most} events used in ${month}`],
  });
}

function keyOf({ siteId, source }: { siteId: number; source: EventSource }): string {
  return `${siteId} ${source}`;
}

function nameOf({ siteId, source }: Sender, eventId: string): EventName {
  return [siteId, source, eventId];
}

function nameKey(name: EventName): string {
  return JSON.stringify(name);
}
