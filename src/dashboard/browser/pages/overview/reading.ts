import { api, ask, part } from '../../api.ts';
import { isUnfinished } from '../posts/posts-api.ts';

const recentMost = 6;
const shownDays = 7;
/** As far back as figures are asked for at once. */
const lookBackDays = 365;
const dayMs = 86_400_000;

export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** What the overview of a site is made of. */
export async function readOverview(slug: string) {
  const site = api.sites({ site: part(slug) });
  const now = Date.now();
  const [{ quota }, recent, ready, failed, keys, figures] = await Promise.all([
    ask(site.get()),
    ask(site.posts.get({ query: { limit: recentMost } })),
    ask(site.posts.get({ query: { limit: 1, status: 'ready' } })),
    ask(site.posts.get({ query: { limit: 20, status: 'failed' } })),
    ask(site.keys.get({ query: { limit: 100 } })),
    ask(site.analytics.get({ query: { from: dayText(now - lookBackDays * dayMs) } })),
  ]);
  const since = dayText(now - (shownDays - 1) * dayMs);
  const lastDays = figures.series.filter(({ day }) => day >= since);
  const sumOf = (name: 'plays' | 'listeners' | 'heard_seconds') =>
    lastDays.reduce((sum, row) => sum + row[name], 0);
  return {
    quota,
    posts: recent.items,
    newestReady: ready.items[0],
    failedCount: failed.items.length,
    hasMoreFailed: failed.next_cursor !== null,
    activeKeys: keys.items.filter(({ revoked_at }) => revoked_at === null),
    /** Somebody has opened a page that has the player. */
    isSeen: figures.totals.loads > 0,
    plays: sumOf('plays'),
    listeners: sumOf('listeners'),
    heardSeconds: sumOf('heard_seconds'),
  };
}

/** Whether something of what is shown is under way. */
export function isUnderWay({ posts }: Overview): boolean {
  return posts.some(({ audio }) => audio.some(isUnfinished));
}

function dayText(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
