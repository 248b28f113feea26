import type { LiveAudio } from '../../../../audio/live/live-updates.ts';
import type { Need } from '../../../../system/schema.ts';
import { request } from '../../api.ts';
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
import { sumDays, Trend } from '../analytics/trend.tsx';
import { formatLength, Languages, Plays, PostTitle, playableOf } from '../posts/post-cells.tsx';

type Overview = Awaited<ReturnType<typeof fetchOverview>>;

/** Listening is compared with the same number of days before. */
const periodDays = 30;

/** Overview of a site; problems come first. */
export function OverviewPage() {
  const { site, routes, canEdit } = useSite();
  const overview = useQuery(() => fetchOverview(routes), [site.slug]);
  const reload = useBundled(overview.reload);
  useLive(site.slug, (event) => {
    const changed = event.type === 'audio' ? showProgress(overview.value, event.data) : undefined;
    if (changed === undefined) reload();
    else overview.set(changed);
  });
  return (
    <Page
      title={formatWeekday(new Date())}
      about={overview.value && <Health overview={overview.value} />}
      actions={
        canEdit && <LinkButton kind="primary" icon="plus" href={`#${links.newPost(site.slug)}`} label="New post" />
      }
    >
      <SiteProblem />
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

function fetchOverview(routes: SiteRoutes) {
  return request(() => routes.overview.get());
}

function Health({ overview: { counts } }: { readonly overview: Overview }) {
  const parts = [
    ...(counts.generating > 0 ? [`${formatNumber(counts.generating)} being generated`] : []),
    ...(counts.scheduled > 0 ? [`${formatNumber(counts.scheduled)} scheduled`] : []),
  ];
  return (
    <>
      {counts.ready > 0 && <Status tone="good">{`${formatCount(counts.ready, 'article')} can be heard`}</Status>}
      {parts.map((part) => (
        <span key={part}> · {part}</span>
      ))}
    </>
  );
}

/** What stops the whole site. */
function SiteProblem() {
  const { site } = useSite();
  const { label, consequence } = siteStatus(site);
  if (consequence === undefined) return null;
  return (
    <Notice kind="problem">
      <b>{label}.</b> {consequence}
    </Notice>
  );
}

function Content({ overview }: { readonly overview: Overview }) {
  const { latest, counts, needs, player_seen_on, listening } = overview;
  const days = listening.days.slice(-periodDays);
  const daysBefore = listening.days.slice(-2 * periodDays, -periodDays);
  return (
    <div class="stack">
      <Needs of={needs} />
      {player_seen_on === null && <OnYourPage />}
      <div class="columns">
        <Trend
          days={days}
          daysBefore={daysBefore}
          totals={sumDays(days)}
          totalsBefore={sumDays(daysBefore)}
          isUnfinished
        />
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
        <ul class="rows tight">
          {top_today.map(({ post_id, post_title, plays }) => (
            <li key={post_id}>
              <PageLink look="headline cut grow" to={links.post(site.slug, post_id)} text={post_title ?? post_id} />
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
      <ul class="rows tight">
        {generating.map(({ audio_id, post_id, title, status, progress_percent }) => (
          <li key={audio_id} class="column">
            <div class="row wide">
              <PageLink look="headline cut grow" to={links.post(site.slug, post_id)} text={title ?? post_id} />
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
      <ul class="rows">
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

/** Until a page with the player was opened. */
function OnYourPage() {
  return (
    <Card title="On your page" about="This disappears when a reader opens a page with the player.">
      <CopyLine label="Embed code" text={playerSnippet({})} />
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
            <LinkButton kind="primary" href={`#${links.firstListen(site.slug)}`} label="Hear the first article" />
            <LinkButton href={`#${links.ofSite(site.slug, '/developers')}`} label="Connect your content system" />
          </>
        )
      }
    >
      <p>Articles come from you, from a feed, or from your content system with an API key.</p>
    </EmptyState>
  );
}

interface Line {
  readonly icon: IconName;
  readonly text: string;
  readonly about: string;
  /** Path behind the #. */
  readonly to: string;
  readonly action: string;
}

/** Everybody sees these, but only admins have the pages where they are solved. */
const adminKinds: readonly Need['kind'][] = ['webhook_failing', 'queue_paused'];

/** Problems that need attention, each with one button for those who can open it. Empty without problems. */
function Needs({ of }: { readonly of: readonly Need[] }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  if (of.length === 0) return null;
  return (
    <Card title="Needs you" isFlush actions={<span class="sub">{formatCount(of.length, 'thing')}</span>}>
      <ul class="rows">
        {of.map((need) => {
          const { icon, text, about, to, action } = describe(need, site.slug);
          return (
            <li key={`${need.kind} ${need.id}`}>
              <span class={need.kind === 'new_names' ? 'status warn' : 'status bad'}>
                <Icon name={icon} />
              </span>
              <span class="grow">
                <b>{text}</b> <span class="sub">{about}</span>
              </span>
              {(isAdmin || !adminKinds.includes(need.kind)) && (
                <LinkButton isCompact href={`#${to}`} label={action} subject={text} />
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function describe(need: Need, slug: string): Line {
  const { count, name, since, details } = need;
  const reasons = details.filter((detail) => detail !== '').join(' · ');
  const from = since === null ? 'an unknown time' : formatSince(since);
  switch (need.kind) {
    case 'failed_posts':
      return {
        ...{ icon: 'circle-alert', text: `${formatCount(count, 'post')} ${count === 1 ? 'has' : 'have'} no audio.` },
        ...{ about: sentence(reasons), to: `${links.ofSite(slug, '/posts')}?state=failed`, action: 'Review' },
      };
    case 'webhook_failing':
      return {
        ...{ icon: 'webhook', text: `${name} has received no message since ${from}.` },
        about: `${count === 0 ? '' : formatCount(count, 'message waits. ', 'messages wait. ')}${sentence(reasons)}`,
        ...{ to: links.ofSite(slug, '/developers'), action: 'See deliveries' },
      };
    case 'source_failing':
      return {
        ...{ icon: 'rss', text: `The feed ${name} cannot be read.`, about: sentence(reasons) },
        ...{ to: links.ofSite(slug, '/sources'), action: 'See feed' },
      };
    case 'new_names':
      return {
        ...{ icon: 'spell-check', text: `${formatCount(count, 'name')} ${count === 1 ? 'is' : 'are'} new.` },
        about: `${details.join(', ')}${count > details.length ? ' …' : '.'} Listen before readers do.`,
        ...{ to: `${links.ofSite(slug, '/pronunciation')}?tab=new`, action: 'Listen' },
      };
    case 'queue_paused':
      return {
        ...{ icon: 'circle-pause', text: 'The queue is paused.', about: `${reasons}, since ${from}` },
        ...{ to: '/server/queue', action: 'Open queue' },
      };
    case 'domain_pending':
      return {
        ...{ icon: 'globe', text: `${formatCount(count, 'domain')} ${count === 1 ? 'waits' : 'wait'} for approval.` },
        ...{ about: details.join(', '), to: links.ofSite(slug, '/settings'), action: 'Review' },
      };
    case 'disk':
      return {
        ...{ icon: 'server', text: 'The disk is nearly full.', about: sentence(reasons) },
        ...{ to: '/server/system', action: 'Open system' },
      };
    case 'backup':
      return {
        ...{ icon: 'archive', text: 'Backups need attention.', about: sentence(reasons) },
        ...{ to: '/server/backups', action: 'Open backups' },
      };
  }
}

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? capitalize(text) : `${capitalize(text)}.`;
}
