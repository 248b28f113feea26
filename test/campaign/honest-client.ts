import type { CampaignRecord, Phase } from './record.ts';
import type { Installation } from './supervisor.ts';

/** Longer than any response takes on a busy machine. */
const responseTimeoutMs = 180_000;
/** After this time without a response, retries included, a client reports a violation and continues; longer than any outage. */
const giveUpMs = 900_000;
/** Time after which the server responds with 503 to a live stream whose post is queued. */
const streamTimeoutMs = 120_000;
const retryPauseMs = 250;
const maxRetryAfterS = 120;
/** Default maximum of the wait that a client accepts. */
const defaultMaxWaitMs = 2_000;

export interface HonestRequest {
  /** Name of the row in the report. */
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly redirect?: 'manual';
  /** Statuses that the client expects; every other one is a violation. */
  readonly expected: readonly number[];
  /** Whether the connection may be cut at the moment; then it is not retried. */
  readonly mayBeCut?: () => boolean;
  /** A live stream: it ends with the server, and 503 until the end of the wait is permitted. */
  readonly isStream?: boolean;
}

export interface HonestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The `data` of the envelope. */
  data<T>(): T;
}

/**
 * A correct client: it repeats requests that got no response or a 503, and relies on every response. A response that a correct
 * client must never get is a violation.
 */
export class HonestClient {
  readonly #installation: Pick<Installation, 'url' | 'wasDown'>;
  readonly #record: CampaignRecord;
  readonly #key: string;
  readonly #address: string;
  readonly #maxWaitMs: number;

  /** @param address of the client, in the header of a proxy */
  constructor(
    installation: Pick<Installation, 'url' | 'wasDown'>,
    record: CampaignRecord,
    key: string,
    address: string,
    maxWaitMs = defaultMaxWaitMs,
  ) {
    this.#installation = installation;
    this.#record = record;
    this.#key = key;
    this.#address = address;
    this.#maxWaitMs = maxWaitMs;
  }

  /** @returns undefined if a permitted cut occurred, or if there was no response for very long, which is a violation */
  async request(request: HonestRequest): Promise<HonestResponse | undefined> {
    const { kind, path, isStream = false } = request;
    const givesUpAt = performance.now() + giveUpMs;
    while (performance.now() < givesUpAt) {
      const startMs = performance.now();
      const { phase } = this.#record;
      const response = await this.#attempt(request).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (!request.mayBeCut?.()) this.#onNoAnswer(kind, startMs, `${reason} (${path})`);
        return undefined;
      });
      if (response === undefined && request.mayBeCut?.()) return undefined;
      if (phase !== undefined) this.#judge(phase, request, response, performance.now() - startMs);
      if (response === undefined) {
        await Bun.sleep(Math.min(retryPauseMs, this.#maxWaitMs));
        continue;
      }
      this.#record.measure(kind, performance.now() - startMs);
      this.#record.count(`${kind}: ${response.status}`);
      if (response.status === 503 && phase?.unavailable?.test(kind)) return undefined;
      if (response.status === 307) continue;
      if (response.status === 503) {
        await Bun.sleep(this.#readWait(kind, response));
        continue;
      }
      if (!request.expected.includes(response.status)) {
        const body = new TextDecoder().decode(response.bytes.subarray(0, 300));
        this.#record.recordViolation(`${kind} ${path}: ${response.status} ${body}`);
      }
      return response;
    }
    if (!isStream) this.#record.recordViolation(`${kind} ${path}: given up after ${giveUpMs / 60_000} minutes`);
    return undefined;
  }

  async #attempt({ method = 'GET', path, headers = {}, body, redirect }: HonestRequest): Promise<HonestResponse> {
    const isOwn = path.startsWith('/v1/audio/');
    const response = await fetch(`${this.#installation.url}${path}`, {
      method,
      headers: {
        'x-forwarded-for': this.#address,
        ...(isOwn ? { 'x-api-key': this.#key } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(redirect === undefined ? {} : { redirect }),
      // A connection to an earlier server process would be reset, which is not a fault of this one.
      keepalive: false,
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const bytes = await response.bytes();
    const { status } = response;
    // Of the load balancer.
    if (status >= 500 && !response.headers.has('x-request-id')) throw new Error(`no server: ${status}`);
    return {
      ...{ status, headers: response.headers, bytes },
      data: <T>() => (JSON.parse(new TextDecoder().decode(bytes)) as { data: T }).data,
    };
  }

  #judge(phase: Phase, { kind, isStream }: HonestRequest, response: HonestResponse | undefined, ms: number): void {
    const isError = response === undefined || response.status >= 500;
    // A stream takes as long as the synthesis.
    if (isStream && !(phase.mustSucceed && isError && response !== undefined && ms < streamTimeoutMs)) return;
    const body = new TextDecoder().decode(response?.bytes.subarray(0, 200));
    const problem = isError ? `${response?.status ?? 'no response'} ${body}` : undefined;
    this.#record.judge(phase, kind, ms, problem);
  }

  #onNoAnswer(kind: string, startMs: number, reason: string): void {
    if (this.#installation.wasDown(startMs, performance.now())) {
      this.#record.count(`${kind}: no response, server down`);
    } else {
      this.#record.recordViolation(`${kind}: no response while the server was up: ${reason}`);
    }
  }

  #readWait(kind: string, { headers, bytes }: HonestResponse): number {
    const seconds = Number(headers.get('retry-after'));
    const body = new TextDecoder().decode(bytes.subarray(0, 200));
    this.#record.count(`503: ${/"message":"([^"]*)"/.exec(body)?.[1]}`);
    if (!(Number.isInteger(seconds) && seconds >= 1 && seconds <= maxRetryAfterS)) {
      this.#record.recordViolation(`${kind}: 503 with Retry-After ${headers.get('retry-after')}: ${body}`);
    }
    return Math.min(this.#maxWaitMs, (seconds || 1) * 1_000);
  }
}
