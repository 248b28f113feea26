import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../api.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { links } from '../links.ts';
import { navigate } from '../location.ts';
import { useDebounced, useQuery } from '../query.ts';
import { useSession } from '../session.tsx';
import { serverDestinations, siteDestinations } from './destinations.ts';

interface Entry {
  readonly group: 'Pages' | 'Actions' | 'Posts' | 'Words';
  readonly label: string;
  readonly icon: IconName;
  readonly path: string;
}

const shownMax = 6;

interface CommandPaletteProps {
  readonly site: string | undefined;
  readonly onClose: () => void;
}

/** Finds pages, posts, words and actions. */
export function CommandPalette({ site, onClose }: CommandPaletteProps) {
  const [text, setText] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const entries = useEntries(site, text.trim());
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => setAt(0), [text]);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.path);
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
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <label class="input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={`${listId}-${at}`}
          placeholder="Pages, posts, words, actions"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <div role="listbox" id={listId} aria-label="Results">
        {entries.map((entry, index) => (
          <div key={`${entry.group} ${entry.path} ${entry.label}`} role="presentation">
            {entry.group !== entries[index - 1]?.group && (
              <p class="group" role="presentation">
                {entry.group}
              </p>
            )}
            <button
              type="button"
              role="option"
              tabIndex={-1}
              id={`${listId}-${index}`}
              aria-selected={index === at}
              onClick={() => open(entry)}
            >
              <Icon name={entry.icon} />
              <span class={entry.group === 'Posts' || entry.group === 'Words' ? 'cut serif' : 'cut'}>
                {entry.label}
              </span>
            </button>
          </div>
        ))}
        {entries.length === 0 && <p class="group">Nothing found</p>}
      </div>
    </dialog>
  );
}

function useEntries(site: string | undefined, text: string): readonly Entry[] {
  const { isAdmin } = useSession();
  const searched = useDebounced(text);
  const found = useQuery(() => (site === undefined ? Promise.resolve([]) : find(site, searched)), [site, searched]);
  const { daily, setup } = site === undefined ? { daily: [], setup: [] } : siteDestinations(site);
  const pages = [...daily, ...setup, ...(isAdmin ? serverDestinations : [])].map(
    ({ title, icon, path }): Entry => ({ group: 'Pages', label: title, icon, path }),
  );
  const actions: readonly Entry[] =
    site === undefined ? [] : [{ group: 'Actions', label: 'New post', icon: 'plus', path: links.newPost(site) }];
  const matches = [...actions, ...pages].filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  return [...matches.slice(0, text === '' ? undefined : shownMax), ...(text === '' ? [] : (found.value ?? []))];
}

/** Posts and pronunciations of the site. */
async function find(site: string, text: string): Promise<readonly Entry[]> {
  if (text === '') return [];
  const route = api.sites({ site: encodeSegment(site) });
  const [posts, words] = await Promise.all([
    ask(() => route.posts.get({ query: { q: text, limit: shownMax } })),
    ask(() => route.pronunciations.get({ query: { q: text, limit: shownMax } })),
  ]);
  return [
    ...posts.items.map(
      ({ post_id, title }): Entry => ({
        group: 'Posts',
        label: title ?? post_id,
        icon: 'newspaper',
        path: links.post(site, post_id),
      }),
    ),
    ...words.items.map(
      ({ word, alias }): Entry => ({
        group: 'Words',
        label: `${word} · ${alias}`,
        icon: 'spell-check',
        path: `${links.ofSite(site, '/pronunciation')}?q=${encodeURIComponent(word)}`,
      }),
    ),
  ];
}
