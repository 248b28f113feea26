import { timestamp } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { clientNetwork, consumeAttempt } from '../http/rate-limit.ts';
import { type CreateWindowCounter, maxCallers, type WindowCounter } from '../http/window-counter.ts';

type AddressLimitSettings = Pick<
  Config,
  'eventsPerAddress' | 'eventQuotaSharePercent' | 'maxFailuresPerMinute' | 'quotaEvents'
>;

/** What one client address may store. Shares of the month are in memory only, so a restart resets them. */
export class AddressLimits {
  readonly #events: WindowCounter;
  readonly #unknownDomains: WindowCounter;
  readonly #settings: AddressLimitSettings;
  #month = '';
  /** Events of the month by site and address. */
  readonly #monthly = new Map<string, number>();

  constructor(settings: AddressLimitSettings, createCounter: CreateWindowCounter) {
    this.#settings = settings;
    this.#events = createCounter('events by address', settings.eventsPerAddress);
    this.#unknownDomains = createCounter('unknown domains', settings.maxFailuresPerMinute);
  }

  get size(): number {
    return this.#events.size + this.#unknownDomains.size + this.#monthly.size;
  }

  /** Counts a request for an unknown domain. @throws AppError `rate_limited` */
  async countUnknownDomain(request: Request): Promise<void> {
    await consumeAttempt(request, this.#unknownDomains, clientNetwork(request));
  }

  /**
   * Counts events before they are stored.
   * @param host of the request
   * @returns takes back events that were not stored
   * @throws AppError `rate_limited`, `analytics_quota_exceeded`
   */
  async countEvents(
    request: Request,
    site: Site,
    host: string,
    count: number,
  ): Promise<(unstored: number) => Promise<void>> {
    const network = clientNetwork(request);
    const caller = `${host} ${network}`;
    const monthlyKey = `${site.id} ${network}`;
    this.#requireShare(site, monthlyKey, count);
    await consumeAttempt(request, this.#events, caller, count);
    this.#addToMonth(monthlyKey, count);
    return async (unstored) => {
      this.#addToMonth(monthlyKey, -unstored);
      if (unstored > 0) await this.#events.refund(caller, unstored);
    };
  }

  #requireShare(site: Site, monthlyKey: string, count: number): void {
    const { eventQuotaSharePercent: percent, quotaEvents } = this.#settings;
    const limit = quotaEvents[site.plan];
    if (percent === undefined || limit === Number.POSITIVE_INFINITY) return;
    const share = Math.floor((limit * percent) / 100);
    const used = this.#used(monthlyKey);
    if (used + count <= share) return;
    throw new AppError('analytics_quota_exceeded', 'Analytics quota exceeded', {
      quota: [`${used} of ${share} events used by your address in ${this.#month}`],
    });
  }

  #used(monthlyKey: string): number {
    const month = timestamp().slice(0, 'YYYY-MM'.length);
    if (month !== this.#month) this.#monthly.clear();
    this.#month = month;
    return this.#monthly.get(monthlyKey) ?? 0;
  }

  #addToMonth(monthlyKey: string, count: number): void {
    if (this.#settings.eventQuotaSharePercent === undefined) return;
    this.#monthly.set(monthlyKey, Math.max(0, this.#used(monthlyKey) + count));
    const [oldest = ''] = this.#monthly.keys();
    if (this.#monthly.size > maxCallers) this.#monthly.delete(oldest);
  }
}
