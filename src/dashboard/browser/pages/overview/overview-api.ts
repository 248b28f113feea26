import { api, ask, encodeSegment } from '../../api.ts';
import { isUnfinished } from '../posts/posts-api.ts';

const recentLimit = 6;
const shownDays = 7;
/** As far back as figures are asked for at once. */
const lookBackDays = 365;
const dayMs = 86_400_000;

export type Overview = Awaited<ReturnType<typeof fetchOverview>>;

/** Loads the data of a site's overview. */
export async function fetchOverview(slug: string) {
  const site = api.sites({ site: encodeSegment(slug) });
  const now = Date.now();
  const [{ quota }, recent, ready, failed, keys, figures] = await Promise.all([
    ask(() => site.get()),
    ask(() => site.posts.get({ query: { limit: recentLimit } })),
    ask(() => site.posts.get({ query: { limit: 1, status: 'ready' } })),
    ask(() => site.posts.get({ query: { limit: 20, status: 'failed' } })),
    ask(() => site.keys.get({ query: { limit: 100 } })),
    ask(() => site.analytics.get({ query: { from: dayText(now - lookBackDays * dayMs) } })),
  ]);
  const since = dayText(now - (shownDays - 1) * dayMs);
  const lastDays = figures.series.filter(({ day }) => day >= since);
  const sumOf = (name: 'plays' | 'listeners' | 'heard_seconds') => lastDays.reduce((sum, row) => sum + row[name], 0);
  return {
    quota,
    posts: recent.items,
    newestReady: ready.items[0],
    failedCount: failed.items.length,
    hasMoreFailed: failed.next_cursor !== null,
    activeKeys: keys.items.filter(({ revoked_at }) => revoked_at === null),
    /** A page with the player has been opened. */
    isSeen: figures.totals.loads > 0,
    plays: sumOf('plays'),
    listeners: sumOf('listeners'),
    heardSeconds: sumOf('heard_seconds'),
  };
}

/** Whether any of the shown posts is unfinished. */
export function isInProgress({ posts }: Overview): boolean {
  return posts.some(({ audio }) => audio.some(isUnfinished));
}

function dayText(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
