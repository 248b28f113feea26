const keyName = 'lectern-api-key';

start();

function start(): void {
  const reference = document.querySelector<HTMLElement>('.reference');
  const keyInput = document.querySelector<HTMLInputElement>('#key');
  if (reference === null || keyInput === null) return;
  followOldLink();
  for (const element of reference.querySelectorAll<HTMLElement>('[hidden]:not(.nothing)')) element.hidden = false;
  setUpContents(reference);
  const credentials: Credentials = { key: sessionStorage.getItem(keyName) ?? '', csrfToken: null };
  keyInput.value = credentials.key;
  updateKey(credentials.key);
  keyInput.addEventListener('input', () => {
    credentials.key = keyInput.value.trim();
    sessionStorage.setItem(keyName, credentials.key);
    updateKey(credentials.key);
  });
  setUpForms(reference, credentials);
  if (reference.dataset['session'] !== undefined) {
    readSession(reference, credentials).catch(reportError);
  }
}

/** The previous reference had addresses such as `#/Audio/postAudioGenerate`. */
function followOldLink(): void {
  const id = /^#\/[^/]+\/(\w+)$/.exec(location.hash)?.[1];
  if (id !== undefined) location.replace(`#${id}`);
}

function setUpForms(reference: HTMLElement, credentials: Credentials): void {
  const base = reference.dataset['base'] ?? '';
  reference.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    if (form.dataset['path'] !== undefined) sendRequest(form, base, credentials).catch(reportError);
  });
  reference.addEventListener('input', ({ target }) => {
    const form = (target as HTMLElement).closest<HTMLFormElement>('form[data-path]');
    if (form !== null) updateCommand(form);
  });
  reference.addEventListener('click', ({ target }) => {
    const button = (target as HTMLElement).closest<HTMLButtonElement>('.copy');
    if (button !== null) copyCode(button).catch(reportError);
  });
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code')?.querySelector('pre');
  if (code === null || code === undefined) return;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = button.ariaLabel = 'Copied';
  } catch {
    // Only pages over https may copy.
    getSelection()?.selectAllChildren(code);
    button.textContent = button.ariaLabel = 'Selected';
  }
}

interface Session {
  readonly user: { readonly email: string; readonly sites: readonly { readonly slug: string }[] };
  readonly csrf_token: string | null;
}

/** Requests of the page use the session of the dashboard; its first site fills the fields of that name. */
async function readSession(reference: HTMLElement, credentials: Credentials): Promise<void> {
  const answer = await fetch(`${reference.dataset['base']}/v1/me`);
  if (!answer.ok) return;
  const { data } = (await answer.json()) as { data: Session };
  credentials.csrfToken = data.csrf_token;
  const note = reference.querySelector('.session');
  if (note !== null) note.textContent = `Signed in as ${data.user.email}: “Try it” uses this session.`;
  const [site] = data.user.sites;
  if (site === undefined) return;
  for (const input of reference.querySelectorAll<HTMLInputElement>('input[name="site"][data-in="path"]')) {
    input.value = site.slug;
    if (input.form !== null) updateCommand(input.form);
  }
}

/** Search, the current place, and the menu of narrow windows. */
function setUpContents(reference: HTMLElement): void {
  const nav = reference.querySelector<HTMLElement>('#contents');
  const search = nav?.querySelector('input');
  if (nav === null || search === null || search === undefined) return;
  search.addEventListener('input', () => filterLinks(nav, search.value.trim().toLowerCase()));
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') nav.querySelector<HTMLAnchorElement>('li:not([hidden]) a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!search.checkVisibility()) nav.showPopover();
    search.focus();
  });
  nav.addEventListener('click', ({ target }) => {
    if ((target as HTMLElement).closest('a') !== null && nav.matches(':popover-open')) nav.hidePopover();
  });
  markCurrent(nav);
  addEventListener('hashchange', () => openTarget());
  openTarget();
}

function filterLinks(nav: HTMLElement, query: string): void {
  const words = query.split(/\s+/);
  let count = 0;
  for (const group of nav.querySelectorAll('details')) {
    let countInGroup = 0;
    for (const item of group.querySelectorAll('li')) {
      const text = item.querySelector('a')?.dataset['text'] ?? '';
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) countInGroup += 1;
    }
    group.hidden = countInGroup === 0;
    group.open = query !== '' && countInGroup > 0;
    count += countInGroup;
  }
  for (const link of nav.querySelectorAll<HTMLElement>(':scope > a')) link.hidden = query !== '';
  const nothing = nav.querySelector<HTMLElement>('.nothing');
  if (nothing !== null) nothing.hidden = count > 0;
}

/** Marks the link to the operation at the top of the window. */
function markCurrent(nav: HTMLElement): void {
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const mark = (id: string) => {
    const link = links.get(id);
    if (link === undefined) return;
    for (const other of nav.querySelectorAll('[aria-current]')) other.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'location');
    const group = link.closest('details');
    if (group !== null) group.open = true;
    // Of the contents only, not of the page.
    nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting);
      if (entry !== undefined) mark(entry.target.id);
    },
    { rootMargin: '-20% 0px -75% 0px' },
  );
  for (const section of document.querySelectorAll('.operation[id]')) observer.observe(section);
}

/** Opens the schema that a link leads to. */
function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

interface Credentials {
  key: string;
  /** Of the session; null: not signed in. */
  csrfToken: string | null;
}

const maxShownLength = 100_000;
/** The last request of each form; the next one ends it, as events may come forever. */
const lastRequests = new WeakMap<HTMLFormElement, AbortController>();

/** Sends the request of a form and shows the response below it. */
async function sendRequest(form: HTMLFormElement, base: string, credentials: Credentials): Promise<void> {
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

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** @returns the fields of a form for one part of the request */
function listFields(form: HTMLFormElement, part: 'path' | 'query' | 'form' | 'body' | 'type'): Field[] {
  return [...form.querySelectorAll<Field>(`[data-in="${part}"]`)];
}

/** @returns path and query of the request; empty required fields get their examples */
function buildAddress(form: HTMLFormElement): string {
  const values = new Map(listFields(form, 'path').map((field) => [field.name, getValue(field)]));
  const path = (form.dataset['path'] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? name),
  );
  const query = listFields(form, 'query')
    .filter((field) => getValue(field) !== '')
    .map((field) => `${field.name}=${encodeURIComponent(getValue(field))}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function getValue(field: Field): string {
  return field.value.trim() || (field.required && 'placeholder' in field ? field.placeholder : '');
}

/** Shows the values of a form in its command. */
function updateCommand(form: HTMLFormElement): void {
  setPart(form, 'address', buildAddress(form));
  const [type] = listFields(form, 'type');
  if (type !== undefined) setPart(form, 'type', type.value);
  const [body] = listFields(form, 'body');
  if (body !== undefined) setPart(form, 'body', body.value.replaceAll("'", `'\\''`));
}

function updateKey(key: string): void {
  for (const part of document.querySelectorAll('[data-part="key"]')) part.textContent = key || '$KEY';
}

function setPart(form: HTMLFormElement, part: string, text: string): void {
  const element = form.querySelector(`[data-part="${part}"]`);
  if (element !== null) element.textContent = text;
}
