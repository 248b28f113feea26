import { sql } from 'kysely';
import { monotonicMs } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import {
  growingMemoryMs,
  maxCallers,
  maxDoublings,
  recoveryMs,
  type WindowCounter,
  type WindowOptions,
  type WindowState,
  windowMs,
} from './window-counter.ts';

/** A refused caller causes one query in this time, however many requests it sends. */
const refusalMs = 1_000;
/** Milliseconds since 1970 by the clock of the database: the clocks of servers differ. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Counts for all servers on a PostgreSQL database, exactly: one statement finds the window, counts, and compares. */
export class SharedWindowCounter implements WindowCounter {
  readonly #db: Queries;
  readonly #name: string;
  readonly #limit: number;
  readonly #isGrowing: boolean;
  readonly #now: () => number;
  /** Callers over the limit, and until when they are not queried again; in order of that time. */
  readonly #refused = new Map<string, WindowState & { readonly untilMs: number }>();

  /**
   * @param db for queries outside of transactions
   * @param now monotonic
   */
  constructor(db: Queries, name: string, limit: number, { isGrowing = false }: WindowOptions = {}, now = monotonicMs) {
    this.#db = db;
    this.#name = name;
    this.#limit = limit;
    this.#isGrowing = isGrowing;
    this.#now = now;
  }

  get size(): number {
    return this.#refused.size;
  }

  async consume(given: string | number, amount = 1): Promise<WindowState> {
    const caller = String(given);
    const refused = this.#findRefused(caller);
    if (refused !== undefined) return refused;
    const counted = amount > this.#limit ? undefined : await this.#count(caller, amount);
    const { used, msLeft } = counted ?? (await this.#look(caller));
    const remaining = Math.max(0, this.#limit - used);
    const state = { isSpent: counted === undefined, limit: this.#limit, remaining, msLeft };
    if (state.isSpent && remaining === 0) this.#refuse(caller, state);
    return state;
  }

  async refund(caller: string | number, amount = 1): Promise<void> {
    this.#refused.delete(String(caller));
    await this.#db
      .updateTable('rate_window')
      .set({ used: sql`greatest(0, used - ${amount})` })
      .where('counter', '=', this.#name)
      .where('caller', '=', String(caller))
      .execute();
  }

  /** @returns undefined: the limit would be exceeded, and nothing was counted */
  async #count(caller: string, amount: number): Promise<{ used: number; msLeft: number } | undefined> {
    const limit = sql`${this.#limit}::bigint`;
    const now = sql`(excluded.ends_at - ${windowMs}::bigint)`;
    const hasEnded = sql<boolean>`last.ends_at <= ${now}`;
    const keptMs = this.#isGrowing ? growingMemoryMs : 0;
    const usedBefore = this.#isGrowing
      ? sql`least(greatest(0, last.used_before + last.used - ${limit} * ((${now} - last.ends_at) / ${recoveryMs}::bigint)),
          ${limit} * ${maxDoublings}::bigint)`
      : sql`0`;
    const endsAt = sql`${now} + (${windowMs}::bigint << (${usedBefore} / ${limit})::integer)`;
    const { rows } = await sql<{ used: number; msLeft: number }>`
      insert into rate_window as last (counter, caller, used, used_before, ends_at, kept_until)
      select ${this.#name}, ${caller}, ${amount}, 0, now + ${windowMs}::bigint, now + ${windowMs + keptMs}::bigint
      from (select ${databaseNow} as now) as clock
      on conflict (counter, caller) do update set
        used = case when ${hasEnded} then 0 else last.used end + excluded.used,
        used_before = case when ${hasEnded} then ${usedBefore} else last.used_before end,
        ends_at = case when ${hasEnded} then ${endsAt} else last.ends_at end,
        kept_until = case when ${hasEnded} then ${endsAt} + ${keptMs}::bigint else last.kept_until end
      where ${hasEnded} or last.used + excluded.used <= ${limit}
      returning used, ends_at - ${databaseNow} as "msLeft"`.execute(this.#db);
    return rows[0];
  }

  async #look(caller: string): Promise<{ used: number; msLeft: number }> {
    const row = await this.#db
      .selectFrom('rate_window')
      .select(['used', sql<number>`ends_at - ${databaseNow}`.as('msLeft')])
      .where('counter', '=', this.#name)
      .where('caller', '=', caller)
      .executeTakeFirst();
    return row !== undefined && row.msLeft > 0 ? row : { used: 0, msLeft: windowMs };
  }

  #findRefused(caller: string): WindowState | undefined {
    const refused = this.#refused.get(caller);
    if (refused === undefined) return undefined;
    const leftMs = refused.untilMs - this.#now();
    if (leftMs > 0) {
      const { untilMs, ...state } = refused;
      return { ...state, msLeft: state.msLeft - (refusalMs - leftMs) };
    }
    this.#refused.delete(caller);
    return undefined;
  }

  #refuse(caller: string, state: WindowState): void {
    const now = this.#now();
    for (const [other, { untilMs }] of this.#refused) {
      if (this.#refused.size < maxCallers && untilMs > now) break;
      this.#refused.delete(other);
    }
    if (state.msLeft > refusalMs) this.#refused.set(caller, { ...state, untilMs: now + refusalMs });
  }
}

/** Deletes the windows that no later request depends on. */
export async function deleteEndedWindows(db: Queries): Promise<void> {
  await db.deleteFrom('rate_window').where('kept_until', '<=', databaseNow).execute();
}
