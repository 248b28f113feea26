import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { lookupOf, problemOfConnection, retryAfterMsOf, userAgent } from '../http/outgoing.ts';
import { createTargets, type Targets } from '../http/targets.ts';

const answerByteMax = 65_536;
const snippetByteMax = 1_024;

/** What webhooks may be sent to. @param allow hosts and ranges that may be private, by http too */
export function webhookTargetsOf(allow: readonly string[]): Targets {
  return createTargets({ allow, setting: 'LECTERN_WEBHOOK_ALLOW', plainHttp: 'listed' });
}

/** What came of one attempt. */
export interface Outcome {
  /** Null when no answer came. */
  readonly statusCode: number | null;
  /** One plain sentence; null after a success. */
  readonly error: string | null;
  /** Beginning of the answer's body. */
  readonly response: string | null;
  /** How long the receiver asks us to wait; null when it doesn't. */
  readonly retryAfterMs: number | null;
}

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole of it: lookup, connection, answer. */
  readonly timeoutMs: number;
  /** Ends it early; then it rejects. */
  readonly stopping: AbortSignal;
}

/**
 * Posts a message to an address that was checked. Nothing but 2xx is a success; redirects are not followed, and no proxy is asked.
 * @throws Error only when it was stopped
 */
export async function send(targets: Targets, sending: Sending): Promise<Outcome> {
  const deadline = AbortSignal.timeout(sending.timeoutMs);
  try {
    const answer = await exchange(targets, sending, AbortSignal.any([deadline, sending.stopping]));
    const { statusCode, response, retryAfter } = answer;
    const isDelivered = statusCode >= 200 && statusCode < 300;
    return {
      statusCode,
      error: isDelivered ? null : problemOfStatus(statusCode),
      response,
      retryAfterMs: [429, 503].includes(statusCode) ? retryAfterMsOf(retryAfter) : null,
    };
  } catch (error) {
    if (sending.stopping.aborted) throw error;
    const reason = deadline.aborted
      ? `no answer within ${sending.timeoutMs / 1000} s`
      : problemOfConnection(error);
    return { statusCode: null, error: reason, response: null, retryAfterMs: null };
  }
}

interface Answer {
  readonly statusCode: number;
  readonly response: string;
  readonly retryAfter: string | undefined;
}

async function exchange(
  targets: Targets,
  { url, headers, body }: Sending,
  signal: AbortSignal,
): Promise<Answer> {
  const addresses = await targets.check(url);
  signal.throwIfAborted();
  const request = url.startsWith('https:') ? requestSecurely : requestPlainly;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(new URL(url), {
    method: 'POST',
    agent: false,
    lookup: lookupOf(addresses),
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': userAgent,
      accept: '*/*',
    },
  });
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    const { statusCode = 0 } = incoming;
    const retryAfter = incoming.headers['retry-after'];
    const chunks: Buffer[] = [];
    let byteCount = 0;
    const finish = () => resolve({ statusCode, retryAfter, response: beginningOf(chunks) });
    incoming.on('error', reject);
    incoming.on('end', finish);
    incoming.on('data', (chunk: Buffer) => {
      if (byteCount < snippetByteMax) chunks.push(chunk);
      byteCount += chunk.byteLength;
      if (byteCount <= answerByteMax) return;
      finish();
      outgoing.destroy();
    });
  });
  outgoing.end(body);
  return promise;
}

function beginningOf(chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, snippetByteMax);
  // `stream` leaves a character off that the cut went through.
  return new TextDecoder().decode(bytes, { stream: true });
}

function problemOfStatus(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `answered ${statusCode}: redirects are not followed`
    : `answered ${statusCode}`;
}
