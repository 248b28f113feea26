import { updateCommand, updateKey } from './command.ts';
import { setUpContents } from './contents.ts';
import { type Credentials, sendRequest } from './send.ts';

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
    button.textContent = 'Copied';
  } catch {
    // Only pages over https may copy.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
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
