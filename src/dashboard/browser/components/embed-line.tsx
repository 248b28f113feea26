import { ask } from '../api.ts';
import { formatNumber, formatShortDay } from '../format.ts';
import { useQuery } from '../query.ts';
import { useSite } from '../site.tsx';
import { playerSnippet } from '../snippets.ts';
import { CopyLine } from './copy.tsx';
import { Status } from './status.tsx';

const waitingMs = 3_000;
const seenMs = 60_000;

/** The embed code, and whether a page has it. @param postId for a page that does not tell its post by its address */
export function EmbedLine({ postId }: { readonly postId?: string | undefined }) {
  return (
    <div class="stack tight">
      <CopyLine label="Embed code" text={playerSnippet(postId === undefined ? {} : { 'post-id': postId })} />
      <PlayerSeen />
    </div>
  );
}

/** Proof of life: turns green when a page loads the player. */
function PlayerSeen() {
  const { site, routes } = useSite();
  const overview = useQuery(
    () => ask(() => routes.overview.get()),
    [site.slug],
    (value) => (value?.player_seen_on === null ? waitingMs : seenMs),
  );
  if (overview.value === undefined) return null;
  const { player_seen_on, listening } = overview.value;
  const today = listening.days.at(-1)?.loads ?? 0;
  return (
    <p role="status">
      {player_seen_on === null && (
        <Status tone="plain" icon="loader-circle">
          Open your page: this turns green when the player loads.
        </Status>
      )}
      {player_seen_on !== null && today > 0 && (
        <Status tone="good">On your pages: loaded {formatNumber(today)} × today</Status>
      )}
      {player_seen_on !== null && today === 0 && (
        <Status tone="warn">Last on a page on {formatShortDay(player_seen_on)}</Status>
      )}
    </p>
  );
}
