import { useEffect, useRef } from 'preact/hooks';
import type { LiveAudio } from '../../audio/live-updates.ts';
import type { PostCounts } from '../../audio/posts/schema.ts';
import { buildApiUrl, onReconnect } from './api.ts';

/** Events of a site while a page is open. `resync`: events may be missing; load everything again. */
type LiveEvent =
  | { readonly type: 'audio'; readonly data: LiveAudio }
  | { readonly type: 'counts'; readonly data: PostCounts }
  | { readonly type: 'resync' };

type Listener = (event: LiveEvent) => void;

/** Where there is no connection, as with too many listeners. */
const pollMs = 10_000;

/** One connection for each site: browsers allow few connections to a server. */
const feeds = new Map<string | number, { readonly listeners: Set<Listener>; readonly close: () => void }>();

/** Listens to a site while the component is shown. @param site undefined: not */
export function useLive(site: string | number | undefined, listen: Listener): void {
  const latest = useRef(listen);
  latest.current = listen;
  useEffect(() => (site === undefined ? undefined : subscribe(site, (event) => latest.current(event))), [site]);
}

function subscribe(site: string | number, listener: Listener): () => void {
  const feed = feeds.getOrInsertComputed(site, () => openFeed(site));
  feed.listeners.add(listener);
  return () => {
    feed.listeners.delete(listener);
    if (feed.listeners.size > 0) return;
    feed.close();
    feeds.delete(site);
  };
}

function openFeed(site: string | number) {
  const listeners = new Set<Listener>();
  const tell = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };
  let poll: ReturnType<typeof setInterval> | undefined;
  const source = new EventSource(buildApiUrl(`/sites/${encodeURIComponent(site)}/live`));
  let wasOpen = false;
  source.onopen = () => {
    if (wasOpen) tell({ type: 'resync' });
    wasOpen = true;
  };
  source.onerror = () => {
    // Closed: the server answered with an error. Otherwise the browser connects again by itself.
    if (source.readyState !== EventSource.CLOSED || poll !== undefined) return;
    poll = setInterval(() => {
      if (!document.hidden) tell({ type: 'resync' });
    }, pollMs);
  };
  for (const type of ['audio', 'counts'] as const) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => tell({ type, data: JSON.parse(data) }));
  }
  source.addEventListener('resync', () => tell({ type: 'resync' }));
  const stopWaiting = onReconnect(() => tell({ type: 'resync' }));
  return {
    listeners,
    close: () => {
      stopWaiting();
      source.close();
      clearInterval(poll);
    },
  };
}
