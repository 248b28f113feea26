import { treaty } from '@elysia/eden';
import type { App } from '../../app.ts';

/** Path part of the server's address, without a slash at the end. */
export const base = document.querySelector<HTMLElement>('#app')?.dataset['base'] ?? '';

/** Where pages and other servers reach this one, whatever way its people take to it; no slash at the end. */
export const publicUrl =
  document.querySelector<HTMLElement>('#app')?.dataset['publicUrl'] ?? `${location.origin}${base}`;

let csrfToken = '';
let onSignedOut = () => {};

const client = treaty<App>(`${location.origin}${base}`, {
  headers: () => ({ 'x-csrf-token': csrfToken }),
  parseDate: false,
});

/** The API, with the types that its routes declare. Parts of a path that are somebody's words go through `part`. */
export const api = client.v1;

/** Why something was refused, in words for the person who asked. */
export class ApiError extends Error {
  readonly status: number;
  /** What is wrong, by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, message: string, fields: ApiError['fields'] = {}) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.fields = fields;
  }
}

/** @param token what every request that changes something must carry */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** @param tell called when the server no longer knows the session */
export function setSignedOutHandler(tell: () => void): void {
  onSignedOut = tell;
}

/** A value as part of a path: ids of posts may hold anything. */
export function encodeSegment(value: string | number): string {
  return encodeURIComponent(value);
}

interface ApiCall<B> {
  readonly data: B | null;
  readonly error: { readonly value?: unknown } | null;
  readonly status: number;
}

/**
 * Waits for an answer and takes it out of its envelope: `await ask(api.sites.get())`.
 * @throws Problem
 */
export async function unwrap<T>(asking: Promise<ApiCall<{ readonly data: T } | Response>>): Promise<T> {
  const { data, error, status } = await asking;
  if (error === null && data !== null && 'data' in data) return data.data;
  throw toApiError(status, error?.value);
}

/**
 * A request whose answer or body Eden has no type for: files, both ways.
 * @param path behind `/v1`
 * @throws Problem
 */
export async function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'x-csrf-token': csrfToken };
  const answer = await fetch(buildApiUrl(path), { ...init, headers }).catch(() => undefined);
  if (answer === undefined) throw toApiError(503, undefined);
  if (answer.ok) return answer;
  throw toApiError(answer.status, await answer.json().catch(() => undefined));
}

/**
 * Sends files, and tells how far that is.
 * @param path behind `/v1`
 * @param onSent 0…1
 * @returns the `data` of the answer
 * @throws Problem; an `AbortError` when it was called off
 */
export function upload(
  path: string,
  form: FormData,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Nothing else tells how much of a body is gone.
    const request = new XMLHttpRequest();
    request.open('POST', buildApiUrl(path));
    request.setRequestHeader('x-csrf-token', csrfToken);
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 0 : loaded / total);
    request.upload.onload = () => onSent(1);
    request.onerror = () => reject(toApiError(503, undefined));
    request.onabort = () => reject(new DOMException('Called off', 'AbortError'));
    request.onload = () => {
      const answer = parseJson(request.responseText);
      if (request.status >= 300) reject(toApiError(request.status, answer));
      else resolve(isRecord(answer) ? answer['data'] : undefined);
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

/** @param path behind `/v1`; @returns the whole address */
export function buildApiUrl(path: string): string {
  return `${location.origin}${base}/v1${path}`;
}

/** Addresses in answers are those that readers use; whoever came here by another one may reach none but that. */
export function toSameOrigin(url: string): string {
  return `${location.origin}${new URL(url).pathname}`;
}

function toApiError(status: number, value: unknown): ApiError {
  const answer = isRecord(value) ? value : {};
  const message = typeof answer['message'] === 'string' ? answer['message'] : undefined;
  const fields = isRecord(answer['errors']) ? (answer['errors'] as ApiError['fields']) : {};
  if (status === 401 && message === 'Not signed in') onSignedOut();
  if (message === undefined) return new ApiError(status, 'Server unreachable. Check the connection and try again.');
  return new ApiError(status, message, fields);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
