import type { ComponentChildren } from 'preact';
import { request } from '../api.ts';
import { formatNumber, formatShortDay } from '../format.ts';
import { useQuery } from '../query.ts';
import { type SiteRoutes, useSite } from '../site.tsx';
import { playerSnippet } from '../snippets.ts';
import { CopyLine } from './button.tsx';
import { Status } from './page.tsx';

interface PaperProps {
  /** Name of the paper. */
  readonly name: string;
  readonly headline: string;
  /** Of the headline and the text. */
  readonly lang?: string;
  readonly isDark?: boolean;
  /** Between the headline and the text. */
  readonly player: ComponentChildren;
  readonly paragraphs: readonly string[];
}

/** Selector of the text, for a player that marks what it speaks. */
export const paperArticle = '#paper-article';

/** A page as a newspaper prints it: what readers get. */
export function Paper({ name, headline, lang, isDark = false, player, paragraphs }: PaperProps) {
  return (
    <div class={isDark ? 'paper dark' : 'paper'}>
      {/* The player shows the initial of the site's name. */}
      <meta property="og:site_name" content={name} />
      <p class="masthead">{name}</p>
      <p class="title" lang={lang}>
        {headline}
      </p>
      {player}
      <div id="paper-article" lang={lang}>
        {paragraphs.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

/** @returns the paragraphs of a submitted text, plain or HTML, at most so many */
function toParagraphs(content: string, most: number): string[] {
  const { body } = new DOMParser().parseFromString(content, 'text/html');
  const blocks = [...body.querySelectorAll('p')].map(({ textContent }) => textContent);
  const all = blocks.length > 0 ? blocks : (body.textContent ?? '').split(/\n\s*\n/);
  return all
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(0, most);
}

/** The newest post with its text; undefined: none yet. @param most paragraphs */
export async function fetchNewestPost(posts: SiteRoutes['posts'], most: number, state?: 'ready') {
  const [newest] = (await request(() => posts.get({ query: { limit: 1, ...(state && { state }) } }))).items;
  if (newest === undefined) return undefined;
  const { audio } = await request(() => posts({ post_id: encodeURIComponent(newest.post_id) }).get());
  const main = audio.find((record) => record.main);
  return {
    id: newest.post_id,
    title: newest.title ?? newest.post_id,
    /** A page with this canonical address needs no ID in its embed code. */
    hasUrl: newest.url !== null,
    status: main?.status ?? ('pending' as const),
    progress: main?.progress_percent ?? 0,
    error: main?.error ?? null,
    language: main?.language ?? 'en',
    audioUrl: main?.audio_url ?? undefined,
    segmentsUrl: main?.segments_url ?? undefined,
    paragraphs: toParagraphs(main?.content ?? '', most),
  };
}

const waitingMs = 3_000;
const seenMs = 60_000;

/** The embed code; below it, proof of life: it turns green when a page loads the player. @param postId as in `playerSnippet` */
export function EmbedLine({ postId }: { readonly postId?: string | undefined }) {
  const { site, routes } = useSite();
  const overview = useQuery(
    () => request(() => routes.overview.get()),
    [site.slug],
    (value) => (value?.player_seen_on === null ? waitingMs : seenMs),
  );
  const { player_seen_on: seenOn, listening } = overview.value ?? {};
  const today = listening?.days.at(-1)?.loads ?? 0;
  return (
    <div class="stack tight">
      <CopyLine label="Embed code" text={playerSnippet(postId)} />
      {seenOn !== undefined && (
        <p role="status">
          {seenOn === null ? (
            <Status icon="loader-circle">Open your page: this turns green when the player loads.</Status>
          ) : today > 0 ? (
            <Status tone="good">On your pages: loaded {formatNumber(today)} × today</Status>
          ) : (
            <Status tone="warn">Last on a page on {formatShortDay(seenOn)}</Status>
          )}
        </p>
      )}
    </div>
  );
}

/** An article to begin with. */
export const sample = {
  title: 'Harbor town reopens its lighthouse after 12 years',
  paragraphs: [
    'The lighthouse of Port Ellery opened its doors again on Saturday, twelve years after a winter storm tore the roof off its lantern room.',
    'More than 1,800 people climbed the 211 steps on the first day, and by 3:30 p.m. the line reached all the way to the fish market.',
  ],
} as const;
