import { buildAddress, listFields } from './command.ts';

export interface Credentials {
  key: string;
  /** Of the session; null: not signed in. */
  csrfToken: string | null;
}

const maxShownLength = 100_000;
/** The last request of each form; the next one ends it, as events may come forever. */
const lastRequests = new WeakMap<HTMLFormElement, AbortController>();

/** Sends the request of a form and shows the response below it. */
export async function sendRequest(form: HTMLFormElement, base: string, credentials: Credentials): Promise<void> {
  const result = form.querySelector<HTMLElement>('.result');
  const button = form.querySelector<HTMLButtonElement>('.actions button');
  if (result === null || button === null) return;
  lastRequests.get(form)?.abort();
  const controller = new AbortController();
  lastRequests.set(form, controller);
  button.disabled = true;
  try {
    const startedAt = performance.now();
    const method = form.dataset['method'] ?? 'GET';
    const answer = await fetch(base + buildAddress(form), {
      method,
      headers: buildHeaders(form, method, credentials),
      ...buildBody(form),
      signal: controller.signal,
    });
    await showAnswer(result, answer, performance.now() - startedAt);
  } catch {
    result.replaceChildren(createElement('p', 'The server cannot be reached. Check the connection and send again.'));
  } finally {
    button.disabled = false;
  }
}

function buildHeaders(form: HTMLFormElement, method: string, { key, csrfToken }: Credentials): Headers {
  const headers = new Headers();
  const schemes = (form.dataset['access'] ?? '').split(' ');
  if (schemes.includes('apiKey') && key !== '') headers.set('x-api-key', key);
  else if (csrfToken !== null && method !== 'GET') headers.set('x-csrf-token', csrfToken);
  const [body] = listFields(form, 'body');
  const [type] = listFields(form, 'type');
  if (body !== undefined) headers.set('content-type', type?.value ?? body.dataset['type'] ?? 'application/json');
  return headers;
}

function buildBody(form: HTMLFormElement): { body?: string | FormData } {
  const [body] = listFields(form, 'body');
  if (body !== undefined) return { body: body.value };
  const parts = listFields(form, 'form');
  if (parts.length === 0) return {};
  const data = new FormData();
  for (const part of parts) {
    const file = part instanceof HTMLInputElement ? part.files?.[0] : undefined;
    if (file !== undefined) data.set(part.name, file);
    else if (part.value !== '') data.set(part.name, part.value);
  }
  return { body: data };
}

async function showAnswer(result: HTMLElement, answer: Response, ms: number): Promise<void> {
  const status = createElement('b', String(answer.status));
  status.className = `status ${answer.ok ? 'good' : 'bad'}`;
  const line = createElement('p');
  line.append(status, ` ${answer.statusText} · ${Math.round(ms)} ms`);
  result.replaceChildren(line, await renderBody(answer));
}

async function renderBody(answer: Response): Promise<HTMLElement> {
  const type = answer.headers.get('content-type') ?? '';
  if (/^(audio|image)\//.test(type)) {
    const media = document.createElement(type.startsWith('audio/') ? 'audio' : 'img');
    media.src = await toMediaUrl(await answer.blob());
    if (media instanceof HTMLAudioElement) media.controls = true;
    else media.alt = 'The picture of the response';
    return media;
  }
  if (type.startsWith('text/event-stream') && answer.body !== null) return renderEvents(answer.body);
  const text = await answer.text();
  const pre = createElement('pre', formatText(text, type).slice(0, maxShownLength) || 'No body');
  pre.tabIndex = 0;
  return pre;
}

/** Fills itself while events come, until the next request or the longest text that is shown. */
function renderEvents(body: ReadableStream<BufferSource>): HTMLElement {
  const pre = createElement('pre');
  pre.tabIndex = 0;
  const add = async () => {
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      pre.append(text);
      if (pre.textContent.length > maxShownLength) return;
    }
  };
  add().catch(() => pre.append('\nThe connection has ended.'));
  return pre;
}

/** The page may load sounds from blobs, pictures from data URLs. */
function toMediaUrl(blob: Blob): Promise<string> | string {
  if (blob.type.startsWith('audio/')) return URL.createObjectURL(blob);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}

function formatText(text: string, type: string): string {
  if (!type.startsWith('application/json')) return text;
  return JSON.stringify(JSON.parse(text), null, 2);
}

function createElement(name: 'b' | 'p' | 'pre', text = ''): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
