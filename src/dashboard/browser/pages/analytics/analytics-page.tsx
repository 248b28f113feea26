import { useParams } from 'wouter-preact';
import { request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { CopyLine, LinkButton } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { Card, EmptyState, Facts, Page, QueryView } from '../../components/page.tsx';
import { links, useAddressQuery } from '../../location.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { playerSnippet } from '../../snippets.ts';
import { postOf } from '../posts/posts-api.ts';
import {
  type Analytics,
  type AnalyticsQuery,
  isUnfinished,
  lastDays,
  type Period,
  useAnalytics,
  validatePeriod,
} from './analytics.ts';
import { Breakdown } from './breakdown.tsx';
import { Trend } from './trend.tsx';

const year = 365;
const usualDays = 30;

/** Analytics of a site or of one post. The period is part of the URL. */
export function AnalyticsPage() {
  const { site } = useSite();
  const { post } = useParams();
  const postId = post === undefined ? undefined : decodeURIComponent(post);
  const [period, field] = usePeriod();
  // A deleted post still has its name in its figures.
  const headline = useQuery(
    async () => (postId === undefined ? undefined : (await request(() => postOf(site.slug, postId).get())).title),
    [site.slug, postId],
  );
  const question = { site: site.slug, postId, ...period };
  const loaded = useAnalytics(question, postId === undefined ? 'day' : 'post', true);
  return (
    <Page
      {...(postId === undefined ? {} : { back: { to: links.ofSite(site.slug, '/analytics'), title: 'Analytics' } })}
      title={postId === undefined ? 'Analytics' : (headline.value ?? loaded.value?.found.groups[0]?.name ?? postId)}
      isHeadline={postId !== undefined}
      about={
        <>
          What was really heard. No cookies, no identifiers.{' '}
          <ActionButton kind="link" label="How we count" dialog={howWeCountDialog} />
        </>
      }
      actions={
        <>
          {postId !== undefined && <LinkButton to={links.post(site.slug, postId)} label="Open post" />}
          {field}
        </>
      }
    >
      <QueryView of={loaded}>
        {({ found, before }) =>
          before !== undefined && Object.values(found.events).some((count) => count > 0) ? (
            <div class="stack">
              <Trend days={found.series} daysBefore={before.series} isUnfinished={isUnfinished(found)} />
              <Panels question={question} found={found} />
            </div>
          ) : (
            <NoFigures postId={postId} />
          )
        }
      </QueryView>
    </Page>
  );
}

const periods = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: String(usualDays), label: '30 days' },
  { value: String(year), label: '12 months' },
  { value: 'custom', label: 'Custom' },
] as const;

/** @returns the period of the address, and its field */
function usePeriod() {
  const [address, change] = useAddressQuery();
  const given = { from: address.get('from') ?? '', to: address.get('to') ?? '' };
  const isCustom = given.from !== '' || given.to !== '';
  const days = Number(address.get('days') ?? usualDays);
  const problem = isCustom ? validatePeriod(given) : undefined;
  const usual = lastDays(periods.some(({ value }) => value === String(days)) ? days : usualDays);
  const period: Period = isCustom && problem === undefined ? given : usual;
  const field = (
    <>
      <Choice
        label="Period"
        value={isCustom ? 'custom' : String(days)}
        options={periods}
        onValue={(value) =>
          value === 'custom'
            ? change({ days: '', from: period.from, to: period.to })
            : change({ days: value === String(usualDays) ? '' : value, from: '', to: '' })
        }
      />
      {isCustom &&
        (['from', 'to'] as const).map((end) => (
          <label key={end} class="input row" style={{ width: 'auto' }}>
            <span class="dim small">{end === 'from' ? 'First day' : 'Last day'}</span>
            <input type="date" value={given[end]} onChange={(event) => change({ [end]: event.currentTarget.value })} />
          </label>
        ))}
      {problem !== undefined && <p class="status bad">{problem}</p>}
    </>
  );
  return [period, field] as const;
}

function Panels({ question, found }: { readonly question: AnalyticsQuery; readonly found: Analytics }) {
  const shares = found.retention.map(({ share }) => 100 * (share ?? 0));
  return (
    <div class="columns even">
      {question.postId === undefined && <Breakdown question={question} kinds={['post', 'section', 'day']} />}
      <Card title="Where people stop" about="Plays that heard each part of the audio. A part heard twice counts twice.">
        <Chart
          label="Plays that heard each part"
          labels={found.retention.map(({ percent }) => `${percent}%`)}
          values={shares}
          top={Math.max(100, ...shares)}
          format={(value) => `${Math.round(value)}%`}
          height={220}
        />
      </Card>
      <Breakdown question={question} kinds={['device', 'language', 'voice']} />
      <Breakdown question={question} kinds={['source', 'event']} />
    </div>
  );
}

/** How figures come about. */
function NoFigures({ postId }: { readonly postId: string | undefined }) {
  const { site } = useSite();
  return (
    <EmptyState title={postId === undefined ? 'No plays in this period' : 'No plays of this post in this period'}>
      <p>
        Figures come from the player on your pages, on a domain of the site: {site.domains.join(', ')}. A play appears
        here within a minute.
      </p>
      <CopyLine label="Embed code" text={playerSnippet(postId)} />
      <p>
        Your own apps and servers can send events with an API key: <code>POST /v1/events/track</code>.
      </p>
    </EmptyState>
  );
}

const howWeCount = [
  ['Play', 'The first sound on a page view. Resuming after a pause does not count.'],
  [
    'Time listened',
    'Audio that was really heard. Skipped parts do not count. At double speed, one minute counts as two.',
  ],
  [
    'Heard to the end',
    'The share of plays that reached the last 10 seconds, or the last twentieth of a short audio, without skipping to it.',
  ],
  [
    'Listeners',
    'Sessions that listened, counted once a day. The player identifies a session only if your page sets consent="full". If no page does, the number is 0: use plays. If only some do, it is a lower bound.',
  ],
  [
    'Section',
    'The first folder in the address of an article: “politics” of www.example.org/politics/4711. A number, as in a date, is no section. A play counts in the section that its article had then.',
  ],
  [
    'Privacy',
    'No cookies, no IP address, no browser name: only the kind of device. Playback in the dashboard is not counted.',
  ],
] as const;

function howWeCountDialog({ onClose }: DialogHandlers) {
  return (
    <Dialog title="How we count" onClose={onClose} isDrawer>
      <Facts of={howWeCount} />
    </Dialog>
  );
}
