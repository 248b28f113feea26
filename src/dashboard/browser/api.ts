import { treaty } from '@elysia/eden';
import type { App } from '../../app.ts';

/** Path of the server URL, without a trailing slash. */
export const base = document.querySelector<HTMLElement>('#app')?.dataset['base'] ?? '';

/** The public URL of the server, without a trailing slash. The dashboard may be open at another one. */
export const publicUrl =
  document.querySelector<HTMLElement>('#app')?.dataset['publicUrl'] ?? `${location.origin}${base}`;

let csrfToken = '';
let onSignedOut = () => {};

const client = treaty<App>(`${location.origin}${base}`, {
  headers: () => ({ 'x-csrf-token': csrfToken }),
  parseDate: false,
});

/** The API with the types of its routes. Path segments with user input need `encodeSegment`. */
export const api = client.v1;

/** Why a request failed, for the user. */
export class ApiError extends Error {
  readonly status: number;
  /** Problems by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, message: string, fields: ApiError['fields'] = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.fields = fields;
  }
}

/** @param token for the header of every request that changes something */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** @param tell called when the session has ended */
export function setSignedOutHandler(tell: () => void): void {
  onSignedOut = tell;
}

/** Encodes a path segment: post IDs may contain any character. */
export function encodeSegment(value: string | number): string {
  return encodeURIComponent(value);
}

interface ApiCall<B> {
  readonly data: B | null;
  readonly error: { readonly value?: unknown } | null;
  readonly status: number;
}

/**
 * Waits for a response and returns its `data`: `await unwrap(api.sites.get())`.
 * @throws ApiError
 */
export async function unwrap<T>(asking: Promise<ApiCall<{ readonly data: T } | Response>>): Promise<T> {
  const { data, error, status } = await asking;
  if (error === null && data !== null && 'data' in data) return data.data;
  throw toApiError(status, error?.value);
}

/**
 * A request whose body or response has no Eden type: uploads and downloads.
 * @param path after `/v1`
 * @throws ApiError
 */
export async function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'x-csrf-token': csrfToken };
  const answer = await fetch(buildApiUrl(path), { ...init, headers }).catch(() => undefined);
  if (answer === undefined) throw toApiError(503, undefined);
  if (answer.ok) return answer;
  throw toApiError(answer.status, await answer.json().catch(() => undefined));
}

/**
 * Uploads files and reports progress.
 * @param path after `/v1`
 * @param onSent 0…1
 * @returns the `data` of the response
 * @throws ApiError; an `AbortError` if it was aborted
 */
export function upload(
  path: string,
  form: FormData,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // `fetch` reports no upload progress.
    const request = new XMLHttpRequest();
    request.open('POST', buildApiUrl(path));
    request.setRequestHeader('x-csrf-token', csrfToken);
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 0 : loaded / total);
    request.upload.onload = () => onSent(1);
    request.onerror = () => reject(toApiError(503, undefined));
    request.onabort = () => reject(new DOMException('Aborted', 'AbortError'));
    request.onload = () => {
      const answer = parseJson(request.responseText);
      if (request.status >= 300) reject(toApiError(request.status, answer));
      else resolve(isRecord(answer) ? answer['data'] : undefined);
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

/** @param path after `/v1`; @returns the absolute URL */
export function buildApiUrl(path: string): string {
  return `${location.origin}${base}/v1${path}`;
}

/** Responses contain public URLs. The browser may reach only the origin at which the dashboard is open. */
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
