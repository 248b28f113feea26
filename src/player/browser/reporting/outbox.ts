/** An event in the format of `POST /v1/public/events`. */
interface ReportedEvent {
  readonly [member: string]: string | number | boolean | null;
}

/** The batch limit of the server. */
const maxBatchSize = 100;
/** Limit while the server is unreachable; older events are dropped. */
const maxWaitingEvents = 500;

/** Events to be sent. */
export interface Outbox {
  /** Sent within `pauseMs`. */
  add(event: ReportedEvent): void;
  /** Sends the waiting events; errors are ignored. */
  flush(): void;
}

/**
 * @param url of the event intake, with the domain in its query
 * @param pauseMs how long an event waits for others in the same request: all readers of a site share its rate limit
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
      // The IDs stay the same: the server does not count an event twice.
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
