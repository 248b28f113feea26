import type { LiveAudio } from '../../../../audio/live-updates.ts';
import type { Need } from '../../../../system/schema.ts';
import { type DataOf, request } from '../../api.ts';
import { CopyLine, LinkButton, PageLink } from '../../components/button.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Card, EmptyState, Notice, Page, QueryView, RelativeTime, Status } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { capitalize, formatCount, formatNumber, formatSince, formatWeekday } from '../../format.ts';
import { useLive } from '../../live.ts';
import { links } from '../../location.ts';
import { siteStatus } from '../../plans.ts';
import { useBundled, useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';
import { Trend } from '../analytics/trend.tsx';
import { formatLength, Languages, Plays, PostTitle, playableOf } from '../posts/post-cells.tsx';

type Overview = DataOf<SiteRoutes['overview']['get']>;

/** Listening is compared with the same number of days before. */
const periodDays = 30;

/** Overview of a site; problems come first. */
export function OverviewPage() {
  const { site, routes, canEdit } = useSite();
  const { label, consequence } = siteStatus(site);
  const overview = useQuery(() => request(() => routes.overview.get()), [site.slug]);
  const reload = useBundled(overview.reload);
  useLive(site.slug, (event) => {
    const changed = event.type === 'audio' ? showProgress(overview.value, event.data) : undefined;
    if (changed === undefined) reload();
    else overview.set(changed);
  });
  return (
    <Page
      title={formatWeekday(new Date())}
      about={overview.value && <Health of={overview.value.counts} />}
      actions={canEdit && <LinkButton kind="primary" icon="plus" to={links.newPost(site.slug)} label="New post" />}
    >
      {consequence !== undefined && (
        <Notice kind="problem">
          <b>{label}.</b> {consequence}
        </Notice>
      )}
      <QueryView of={overview}>
        {(value) => (value.counts.all === 0 ? <Beginning /> : <Content overview={value} />)}
      </QueryView>
    </Page>
  );
}

/** @returns the overview with the progress of an audio that it lists; undefined: something else has changed */
function showProgress(overview: Overview | undefined, audio: LiveAudio): Overview | undefined {
  const isListed = ({ post_id, language, voice }: Overview['generating'][number]) =>
    post_id === audio.post_id && language === audio.language && voice.id === audio.voice_id;
  const listed = overview?.generating.find(isListed);
  if (overview === undefined || listed?.status !== audio.status) return undefined;
  const progress_percent = Math.floor(100 * (audio.progress ?? 0));
  return {
    ...overview,
    generating: overview.generating.map((item) => (item === listed ? { ...item, progress_percent } : item)),
  };
}

function Health({ of: { ready, generating, scheduled } }: { readonly of: Overview['counts'] }) {
  return (
    <>
      {ready > 0 && <Status tone="good">{`${formatCount(ready, 'article')} can be heard`}</Status>}
      {generating > 0 && <span> · {formatNumber(generating)} being generated</span>}
      {scheduled > 0 && <span> · {formatNumber(scheduled)} scheduled</span>}
    </>
  );
}

function Content({ overview }: { readonly overview: Overview }) {
  const { latest, counts, needs, player_seen_on, listening } = overview;
  const days = listening.days.slice(-periodDays);
  const daysBefore = listening.days.slice(-2 * periodDays, -periodDays);
  return (
    <div class="stack">
      <Needs of={needs} />
      {player_seen_on === null && (
        <Card title="On your page" about="This disappears when a reader opens a page with the player.">
          <CopyLine label="Embed code" text={playerSnippet()} />
        </Card>
      )}
      <div class="columns">
        <Trend days={days} daysBefore={daysBefore} isUnfinished />
        <div class="stack">
          <HeardToday overview={overview} />
          <BeingGenerated overview={overview} />
        </div>
      </div>
      <Latest posts={latest} count={counts.all} />
    </div>
  );
}

function HeardToday({ overview: { top_today } }: { readonly overview: Overview }) {
  const { site } = useSite();
  return (
    <Card
      title="Heard most today"
      isFlush
      actions={<PageLink to={links.ofSite(site.slug, '/analytics')} text="Analytics" />}
    >
      {top_today.length === 0 ? (
        <p class="body sub">Nobody has listened yet today.</p>
      ) : (
        <ul role="list" class="rows tight">
          {top_today.map(({ post_id, post_title, language, plays }) => (
            <li key={post_id}>
              <PageLink
                look="headline cut grow"
                to={links.post(site.slug, post_id)}
                text={post_title ?? post_id}
                lang={language ?? undefined}
              />
              <span class="sub">{formatCount(plays, 'play')}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function BeingGenerated({ overview: { generating } }: { readonly overview: Overview }) {
  const { site } = useSite();
  if (generating.length === 0) return null;
  return (
    <Card title="Being generated" isFlush actions={<span class="sub">{formatNumber(generating.length)}</span>}>
      <ul role="list" class="rows tight">
        {generating.map(({ audio_id, post_id, title, language, status, progress_percent }) => (
          <li key={audio_id} class="column">
            <div class="row wide">
              <PageLink
                look="headline cut grow"
                to={links.post(site.slug, post_id)}
                text={title ?? post_id}
                lang={language}
              />
              <span class="sub">{status === 'pending' ? 'waiting' : `${progress_percent}%`}</span>
            </div>
            {status === 'generating' && (
              <progress aria-label={`Progress of ${title ?? post_id}`} max={100} value={progress_percent} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Latest({ posts, count }: { readonly posts: Overview['latest']; readonly count: number }) {
  const { site } = useSite();
  return (
    <Card
      title="Latest"
      isFlush
      actions={
        <PageLink
          to={links.ofSite(site.slug, '/posts')}
          text={count === 1 ? 'All posts' : `All ${formatNumber(count)} posts`}
        />
      }
    >
      <ul role="list" class="rows">
        {posts.map((post) => {
          const audio = playableOf(post, '');
          const name = post.title ?? post.post_id;
          return (
            <li key={post.post_id}>
              <PlayButton id={post.post_id} label={name} source={audio?.audio_url ?? undefined} />
              <div class="grow">
                <PostTitle slug={site.slug} post={post} about={<RelativeTime at={post.created_at} />} />
              </div>
              <span class="wide-only">
                <Languages post={post} />
              </span>
              <span class="sub number" style={{ minWidth: '3rem' }}>
                {formatLength(audio)}
              </span>
              <span class="wide-only number" style={{ minWidth: '5rem' }}>
                <Plays of={post.plays} />
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Beginning() {
  const { site, canEdit } = useSite();
  return (
    <EmptyState
      title={`Nothing to hear on ${site.name} yet`}
      action={
        canEdit && (
          <>
            <LinkButton kind="primary" to={links.firstListen(site.slug)} label="Hear the first article" />
            <LinkButton to={links.ofSite(site.slug, '/developers')} label="Connect your content system" />
          </>
        )
      }
    >
      <p>Articles come from you, from a feed, or from your content system with an API key.</p>
    </EmptyState>
  );
}

interface NeedLine {
  readonly icon: IconName;
  /** Of the button. */
  readonly label: string;
  /** A page of the site or of the server. */
  readonly page: `/${string}`;
  /** Everybody sees it, but only admins have its page. */
  readonly isForAdmins?: boolean;
}

const needLines: Readonly<Record<Need['kind'], NeedLine>> = {
  failed_posts: { icon: 'circle-alert', label: 'Review', page: '/posts?state=failed' },
  webhook_failing: { icon: 'webhook', label: 'See deliveries', page: '/developers', isForAdmins: true },
  source_failing: { icon: 'rss', label: 'See feed', page: '/sources' },
  new_names: { icon: 'spell-check', label: 'Listen', page: '/pronunciation?tab=new' },
  domain_pending: { icon: 'globe', label: 'Review', page: '/settings' },
  queue_paused: { icon: 'circle-pause', label: 'Open queue', page: '/server/queue', isForAdmins: true },
  disk: { icon: 'server', label: 'Open system', page: '/server/system' },
  backup: { icon: 'archive', label: 'Open backups', page: '/server/backups' },
};

/** Problems that need attention, each with one button for those who can open it. Empty without problems. */
function Needs({ of }: { readonly of: readonly Need[] }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  if (of.length === 0) return null;
  return (
    <Card title="Needs you" isFlush actions={<span class="sub">{formatCount(of.length, 'thing')}</span>}>
      <ul role="list" class="rows">
        {of.map((need) => {
          const { icon, label, page, isForAdmins = false } = needLines[need.kind];
          const [text, about] = describe(need);
          const path = page.startsWith('/server/') ? page : links.ofSite(site.slug, page);
          return (
            <li key={`${need.kind} ${need.id}`}>
              <span class={need.kind === 'new_names' ? 'status warn' : 'status bad'}>
                <Icon name={icon} />
              </span>
              <span class="grow">
                <b>{text}</b> <span class="sub">{about}</span>
              </span>
              {(isAdmin || !isForAdmins) && <LinkButton isCompact to={path} label={label} subject={text} />}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function describe({ kind, count, name, since, details }: Need): readonly [text: string, about: string] {
  const reasons = details.filter((detail) => detail !== '').join(' · ');
  const from = since === null ? 'an unknown time' : formatSince(since);
  switch (kind) {
    case 'failed_posts':
      return [`${formatCount(count, 'post has', 'posts have')} no audio.`, sentence(reasons)];
    case 'webhook_failing': {
      const waiting = count === 0 ? '' : formatCount(count, 'message waits. ', 'messages wait. ');
      return [`${name} has received no message since ${from}.`, `${waiting}${sentence(reasons)}`];
    }
    case 'source_failing':
      return [`The feed ${name} cannot be read.`, sentence(reasons)];
    case 'new_names': {
      const names = `${details.join(', ')}${count > details.length ? ' …' : '.'}`;
      return [`${formatCount(count, 'name is', 'names are')} new.`, `${names} Listen before readers do.`];
    }
    case 'queue_paused':
      return ['The queue is paused.', `${reasons}, since ${from}`];
    case 'domain_pending':
      return [`${formatCount(count, 'domain waits', 'domains wait')} for approval.`, details.join(', ')];
    case 'disk':
      return ['The disk is nearly full.', sentence(reasons)];
    case 'backup':
      return ['Backups need attention.', sentence(reasons)];
  }
}

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? capitalize(text) : `${capitalize(text)}.`;
}
