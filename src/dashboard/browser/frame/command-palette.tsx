import { useEffect, useId, useState } from 'preact/hooks';
import { request, siteRoutes } from '../api.ts';
import { useModal } from '../components/dialog.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { formatCount, formatLanguage } from '../format.ts';
import { links, navigate } from '../location.ts';
import { runInBackground, useDebounced, useQuery } from '../query.ts';
import { useSession } from '../session.tsx';
import { fetchSiteVoices } from '../site.tsx';
import { accountDestination, helpUrl, serverDestinations, siteDestinations } from './destinations.tsx';
import { useSites } from './sites.ts';

interface Entry {
  readonly group: 'Actions' | 'Pages' | 'Sites' | 'Posts' | 'Words' | 'Voices';
  readonly label: string;
  /** Found as the label is, and shown behind it. */
  readonly detail?: string | undefined;
  readonly icon: IconName;
  /** A path behind the #, or what else it does. */
  readonly to: string | (() => void);
}

/** @returns creates entries of a group */
function entriesIn(group: Entry['group'], icon: IconName) {
  return (label: string, to: Entry['to'], detail?: string): Entry => ({ group, icon, label, to, detail });
}

const shownMax = 6;

/** Finds pages, sites, posts, words, voices and actions. */
export function CommandPalette({ site, onClose }: { readonly site: string | undefined; readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const dialog = useModal();
  const listId = useId();
  const entries = useEntries(site, text.trim());
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [text]);
  useEffect(() => document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if (typeof entry.to === 'string') navigate(entry.to);
    else entry.to();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') open(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <label class="input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={entries.length === 0 ? undefined : `${listId}-${at}`}
          placeholder="Pages, sites, posts, words, voices, actions"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <p class={entries.length === 0 ? 'group' : 'unseen'} role="status">
        {entries.length === 0 ? 'Nothing found' : formatCount(entries.length, 'result')}
      </p>
      <div role="listbox" id={listId} aria-label="Results">
        {Object.entries(Object.groupBy(entries, ({ group }) => group)).map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a part of a list box
          <div key={group} role="group" aria-label={group}>
            <p class="group" aria-hidden="true">
              {group}
            </p>
            {members.map((entry) => (
              <button
                key={`${entry.label} ${entry.detail}`}
                type="button"
                role="option"
                tabIndex={-1}
                id={`${listId}-${entries.indexOf(entry)}`}
                aria-selected={entry === entries[at]}
                onClick={() => open(entry)}
              >
                <Icon name={entry.icon} />
                <span class={group === 'Posts' || group === 'Words' ? 'cut serif' : 'cut'}>{entry.label}</span>
                {entry.detail !== undefined && <span class="dim small cut">{entry.detail}</span>}
              </button>
            ))}
          </div>
        ))}
      </div>
    </dialog>
  );
}

/** Whatever has all the words of the text; only actions and pages without a text. */
function useEntries(site: string | undefined, text: string): readonly Entry[] {
  const searched = useDebounced(text);
  const found = useQuery(() => (site === undefined ? Promise.resolve([]) : find(site, searched)), [site, searched]);
  const voices = useQuery(() => (site === undefined ? Promise.resolve([]) : listVoices(site)), [site]);
  const sites = useSites() ?? [];
  const words = text.toLowerCase().split(/\s+/);
  const matching = (entries: readonly Entry[]) =>
    entries
      .filter(({ label, detail = '' }) => words.every((word) => `${label} ${detail}`.toLowerCase().includes(word)))
      .slice(0, text === '' ? undefined : shownMax);
  const own = [...matching(useActions(site)), ...matching(usePages(site))];
  if (text === '') return own;
  const toSite = entriesIn('Sites', 'globe');
  const others = sites.map(({ slug, name, domains }) => toSite(name, links.site(slug), domains[0]));
  return [...own, ...matching(others), ...(found.value ?? []), ...matching(voices.value ?? [])];
}

function usePages(site: string | undefined): readonly Entry[] {
  const { isAdmin } = useSession();
  const { daily, setup } = site === undefined ? { daily: [], setup: [] } : siteDestinations(site);
  const pages = [...daily, ...setup, ...(isAdmin ? serverDestinations : []), accountDestination];
  return pages.map(({ title, icon, path }) => entriesIn('Pages', icon)(title, path));
}

function useActions(site: string | undefined): readonly Entry[] {
  const { user, isAdmin, signOut } = useSession();
  const canEdit = isAdmin || user.sites.some(({ slug, role }) => slug === site && role === 'editor');
  const action = (label: string, icon: IconName, to: Entry['to']) => entriesIn('Actions', icon)(label, to);
  return [
    ...(site !== undefined && canEdit
      ? [
          action('New post', 'plus', links.newPost(site)),
          action('Create API key', 'key-round', links.ofSite(site, '/developers?open=key')),
          action('Embed in WordPress and others', 'code', links.ofSite(site, '/player?open=embed')),
          action('Add feed', 'rss', links.ofSite(site, '/sources?open=add')),
        ]
      : []),
    ...(isAdmin
      ? [
          ...(site === undefined
            ? []
            : [action('Add webhook', 'webhook', links.ofSite(site, '/developers?open=webhook'))]),
          action('Invite user', 'user-plus', '/server/users?open=invite'),
          action('Add site', 'globe', '/server/sites?open=add'),
        ]
      : []),
    action('Help', 'circle-question-mark', () => location.assign(helpUrl)),
    action('Sign out', 'log-out', () => runInBackground(signOut())),
  ];
}

async function listVoices(site: string): Promise<readonly Entry[]> {
  const { voices } = await fetchSiteVoices(site);
  const toEntry = entriesIn('Voices', 'mic-vocal');
  return voices.map(({ name, language }) => toEntry(name, links.ofSite(site, '/voices'), formatLanguage(language)));
}

/** Posts and pronunciations of the site. */
async function find(site: string, text: string): Promise<readonly Entry[]> {
  if (text === '') return [];
  const route = siteRoutes(site);
  const [posts, words] = await Promise.all([
    request(() => route.posts.get({ query: { q: text, limit: shownMax } })),
    request(() => route.pronunciations.get({ query: { q: text, limit: shownMax } })),
  ]);
  const [toPost, toWord] = [entriesIn('Posts', 'newspaper'), entriesIn('Words', 'spell-check')];
  const list = `${links.ofSite(site, '/pronunciation')}?q=`;
  return [
    ...posts.items.map(({ post_id, title }) => toPost(title ?? post_id, links.post(site, post_id), post_id)),
    ...words.items.map(({ word, alias }) => toWord(word, list + encodeURIComponent(word), alias)),
  ];
}
