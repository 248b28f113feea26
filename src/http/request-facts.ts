import type { ErrorAnswer } from './error-answer.ts';

/** What is learned about a request while it is answered. */
export interface RequestFacts {
  /** In the log and in `X-Request-Id`. */
  readonly id: string;
  /** Reads the address of the caller; of the nearest proxy unless that one is trusted. Few requests are asked for it. */
  readonly address: () => string;
  /** Headers that its answer gets whatever that becomes, an error too. */
  readonly answerHeaders: Record<string, string>;
  /** Lets nothing move on the connection for so many seconds (at most 255) before it is closed. */
  readonly allowIdle: (seconds: number) => void;
  /** What an error's answer gets beside the envelope: members that clients of some other API look for. */
  errorMembers?: (answer: ErrorAnswer) => Readonly<Record<string, unknown>>;
  /** The route that took it, like `/v1/audio/:post_id/status`; undefined when none did. */
  route?: string;
  /** Whose site it was for, once that is known. */
  siteId?: number;
  /** The API key it was made with, once that has passed. */
  keyId?: number;
}

const known = new WeakMap<Request, RequestFacts>();

export function keepFacts(request: Request, facts: RequestFacts): void {
  known.set(request, facts);
}

/** @returns the facts of a request that the server is answering */
export function factsOf(request: Request): RequestFacts {
  const facts = known.get(request);
  if (facts === undefined) throw new Error('the request did not come through the server');
  return facts;
}
