/** An event as `POST /v1/public/events` takes it. */
interface ReportedEvent {
  readonly [member: string]: string | number | boolean | null;
}

/** The most that the server takes at once. */
const maxBatchSize = 100;
/** While nobody can be reached, older ones than these are dropped. */
const maxWaitingEvents = 500;

/** Events on their way to the server. */
export interface Outbox {
  /** Leaves by itself within `pauseMs`. */
  add(event: ReportedEvent): void;
  /** Sends what waits, if anything does; nobody hears of a refusal. */
  flush(): void;
}

/**
 * @param url of the intake, with the domain in its query
 * @param pauseMs how long an event waits for others to share a request with: all readers of a site share its budget
 */
export function createOutbox(url: string, pauseMs: number): Outbox {
  let waiting: ReportedEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startTimer = (): void => {
    timer ??= setTimeout(flush, pauseMs);
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) send(waiting.splice(0, maxBatchSize));
  };
  const send = (events: readonly ReportedEvent[]): void => {
    const body = JSON.stringify({ events });
    if (navigator.sendBeacon?.(url, body)) return;
    fetch(url, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => {
      // The same ids: what arrived after all is not counted twice.
      waiting = [...events, ...waiting].slice(-maxWaitingEvents);
      startTimer();
    });
  };
  return {
    add: (event) => {
      waiting.push(event);
      if (waiting.length >= maxBatchSize) flush();
      else startTimer();
    },
    flush,
  };
}
