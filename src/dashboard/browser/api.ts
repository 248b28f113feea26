import { treaty } from '@elysia/eden';
import type { App } from '../../app.ts';
import { createStore } from './store.ts';

/** Path of the server URL, without a trailing slash. */
export const base = document.querySelector<HTMLElement>('#app')?.dataset['base'] ?? '';

/** The public URL of the server, without a trailing slash. The dashboard may be open at another one. */
export const publicUrl =
  document.querySelector<HTMLElement>('#app')?.dataset['publicUrl'] ?? `${location.origin}${base}`;

let csrfToken = '';
let signInAgain: (() => Promise<void>) | undefined;

const client = treaty<App>(`${location.origin}${base}`, {
  headers: () => ({ 'x-csrf-token': csrfToken }),
  parseDate: false,
});

/** The API with the types of its routes. Path segments with user input need `encodeURIComponent`. */
export const api = client.v1;

/** Why a request failed, for the user. */
export class ApiError extends Error {
  /** HTTP status; 0: the server cannot be reached. */
  readonly status: number;
  /** Problems by field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, message: string, fields: ApiError['fields'] = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.fields = fields;
  }

  /** @returns what is wrong with a field or with an item of its list */
  of(name: string): readonly string[] {
    return Object.entries(this.fields).flatMap(([path, problems]) => (isWithin(path, name) ? problems : []));
  }

  /** The problems of other fields, by their names. */
  without(names: readonly string[]): (readonly [name: string, problems: readonly string[]])[] {
    return Object.entries(this.fields).filter(([path]) => !names.some((name) => isWithin(path, name)));
  }

  /** @returns what is wrong with the first field, or the message */
  get text(): string {
    const [[field, [problem] = []] = []] = Object.entries(this.fields);
    return field === undefined || problem === undefined ? this.message : `${field} ${problem}`;
  }
}

/** The server names members of a group and items of a list: `reading.keep.2`, `domains[0]`, `domain`. */
function isWithin(path: string, name: string): boolean {
  const field = path.replace(/^(reading|feed|player)\./, '').replace(/(\.\d+|\[\d+\])$/, '');
  return field === name || `${field}s` === name;
}

/** @param token for the header of every request that changes something */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** @param handle called when the session has ended; resolves after a new sign-in. Without a handler, requests fail */
export function setSignedOutHandler(handle: (() => Promise<void>) | undefined): void {
  signInAgain = handle;
}

/** @param site slug or ID @returns its routes */
export function siteRoutes(site: string | number) {
  return api.sites({ site: encodeURIComponent(site) });
}

interface ApiCall<B> {
  readonly data: B | null;
  readonly error: { readonly value?: unknown } | null;
  readonly status: number;
}

/** What a route of the API answers. */
export type ApiAnswer<T = unknown> = Promise<ApiCall<{ readonly data: T } | Response>>;

/** The `data` that a route answers. */
export type DataOf<Send extends (...given: never[]) => ApiAnswer> =
  ReturnType<Send> extends ApiAnswer<infer Data> ? Data : never;

/** An item of a list of the API. */
export type ItemOf<List extends { readonly get: (...given: never[]) => ApiAnswer }> =
  DataOf<List['get']> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/**
 * Sends a request and returns the `data` of its response: `await request(() => api.sites.get())`. If the session has ended,
 * the request is sent again after the next sign-in.
 * @param withoutSession `fail`: a missing session is an error as any other
 * @throws ApiError
 */
export async function request<T>(send: () => ApiAnswer<T>, withoutSession: 'sign-in' | 'fail' = 'sign-in'): Promise<T> {
  const { data, error, status } = await send();
  if (error === null && data !== null && 'data' in data) {
    setOffline(false);
    return data.data;
  }
  const failure = toApiError(status, error?.value);
  if (withoutSession === 'fail' || !isSignedOut(failure) || signInAgain === undefined) throw failure;
  await signInAgain();
  return request(send);
}

/** As `request`. @returns undefined if there is no such thing */
export async function requestIfExists<T>(send: () => ApiAnswer<T>): Promise<T | undefined> {
  try {
    return await request(send);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * A request whose body or response has no Eden type: uploads and downloads. Sent again as in `request`.
 * @param path after `/v1`
 * @throws ApiError
 */
export async function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'x-csrf-token': csrfToken };
  const answer = await fetch(buildApiUrl(path), { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    return undefined;
  });
  if (answer === undefined) throw toApiError(503, undefined);
  if (answer.ok) return answer;
  const failure = toApiError(answer.status, await answer.json().catch(() => undefined));
  if (!isSignedOut(failure) || signInAgain === undefined) throw failure;
  await signInAgain();
  return fetchApi(path, init);
}

/** @returns an MP3 of a text in a voice; nothing is stored */
export function fetchVoiceTest(voiceId: number, said: { readonly text: string; readonly alias?: string }) {
  return fetchApi(`/voices/${voiceId}/test`, toJsonRequest('POST', said));
}

/** A request with a JSON body, for `fetchApi`. */
export function toJsonRequest(method: 'POST' | 'PUT', body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
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
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 0 : loaded / total);
    request.upload.onload = () => onSent(1);
    request.onerror = () => reject(toApiError(503, undefined));
    request.onabort = () => reject(new DOMException('Aborted', 'AbortError'));
    request.onload = () => {
      const answer: unknown = request.response;
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

/** Messages of the API are English: this is how it names a missing session. */
function isSignedOut({ status, message }: ApiError): boolean {
  return status === 401 && message === 'Not signed in';
}

/** @param value body of the response; without a message nothing of Lectern has answered */
function toApiError(status: number, value: unknown): ApiError {
  const answer = isRecord(value) ? value : {};
  // A failed fetch is an Error of the browser, whose message is none of the server's.
  const message = typeof answer['message'] === 'string' && !(value instanceof Error) ? answer['message'] : undefined;
  const fields = isRecord(answer['errors']) ? (answer['errors'] as ApiError['fields']) : {};
  if (message === undefined) {
    setOffline(true);
    return new ApiError(0, "Can't reach the server. Trying again…");
  }
  setOffline(false);
  return new ApiError(status, message, fields);
}

/** How often an unreachable server is tried. */
const retryMs = 2_000;
const offline = createStore(false);
let retry: ReturnType<typeof setInterval> | undefined;

/** @returns whether the server cannot be reached at the moment */
export const useOffline = offline.use;

/** Runs when the server can be reached again. @returns removes it */
export function onReconnect(run: () => void): () => void {
  return offline.listen(() => offline.get() || run());
}

/** A server that does not answer is tried until it does. */
function setOffline(isOffline: boolean): void {
  if (offline.get() === isOffline) return;
  offline.set(isOffline);
  clearInterval(retry);
  removeEventListener('online', tryAgain);
  if (!isOffline) return;
  retry = setInterval(tryAgain, retryMs);
  addEventListener('online', tryAgain);
}

function tryAgain(): void {
  fetch(`${base}/healthz`, { cache: 'no-store' }).then(
    ({ ok }) => ok && setOffline(false),
    () => undefined,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
