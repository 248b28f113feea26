import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { LinkButton } from '../../components/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { decodePostId, links } from '../../links.ts';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { type Analytics, fetchAnalytics } from './analytics.ts';
import { Breakdown } from './breakdown.tsx';
import { DayCharts } from './day-charts.tsx';
import { NoFigures } from './no-figures.tsx';
import { lastDays, periodBefore } from './period.ts';
import { type ChosenPeriod, PeriodField, toPeriod } from './period-field.tsx';
import { RetentionChart } from './retention-chart.tsx';
import { Totals } from './totals.tsx';
import { EventCounts, KeyRequests, QuotaUse } from './usage.tsx';
import './analytics.css';

const newFiguresMs = 30_000;

/** Stays from the figures of the site to those of a post and back. */
let lastChosen: ChosenPeriod = 30;

/** Analytics of a site or of one post. */
export function AnalyticsPage() {
  const { site } = useSite();
  const { post } = useParams();
  const [chosen, setChosen] = useState<ChosenPeriod>(lastChosen);
  const postId = post === undefined ? undefined : decodePostId(post);
  const period = toPeriod(chosen);
  const question = { site: site.slug, postId, ...period };
  const everyMs = period.to >= lastDays(1).to ? newFiguresMs : undefined;
  // Loaded together, so that both belong to the same selection.
  const loaded = useQuery(
    async () => {
      const [found, before] = await Promise.all([
        fetchAnalytics(question, postId === undefined ? 'day' : 'post'),
        fetchAnalytics({ ...question, ...periodBefore(period) }),
      ]);
      return { found, before };
    },
    [site.slug, postId, period.from, period.to],
    () => everyMs,
  );
  const title = postId === undefined ? undefined : (loaded.value?.found.groups[0]?.name ?? postId);
  return (
    <Page
      {...(postId === undefined
        ? {}
        : { back: { to: links.ofSite(site.slug, '/analytics'), title: 'Analytics of all posts' } })}
      title={title ?? 'Analytics'}
      about={
        postId === undefined
          ? 'Plays and listening time of this site. Days are in UTC.'
          : 'Plays and listening time of this post. Days are in UTC.'
      }
      actions={
        postId === undefined ? undefined : <LinkButton href={`#${links.post(site.slug, postId)}`}>Open post</LinkButton>
      }
    >
      <PeriodField
        value={chosen}
        onValue={(value) => {
          lastChosen = value;
          setChosen(value);
        }}
      />
      <QueryView of={loaded}>
        {({ found, before }) => (
          <>
            {hasFigures(found) ? (
              <>
                <Totals totals={found.totals} before={before.totals} period={found} />
                <DayCharts series={found.series} />
                <Card
                  title="Audience retention"
                  about="How often each twentieth of the audio was heard per play. Repeated parts count again; skipped parts do not count."
                >
                  <RetentionChart retention={found.retention} />
                </Card>
                <Breakdown key={postId} question={question} everyMs={everyMs} />
                <EventCounts events={found.events} />
              </>
            ) : (
              <NoFigures site={site} postId={postId} />
            )}
            {postId === undefined && (
              <>
                <QuotaUse quota={found.quota} />
                <KeyRequests requests={found.requests} />
              </>
            )}
          </>
        )}
      </QueryView>
      <WhatCounts />
    </Page>
  );
}

function hasFigures({ events }: Analytics): boolean {
  return Object.values(events).some((count) => count > 0);
}

function WhatCounts() {
  return (
    <Card title="What is counted">
      <ul class="what-counts">
        <li>
          A <strong>play</strong> is the first sound on a page view. Resuming after a pause does not count.
        </li>
        <li>
          <strong>Listening time</strong> is the audio that was actually heard. Skipped parts do not count. At double
          speed, one minute counts as two.
        </li>
        <li>
          <strong>Completion</strong> is the share of plays that reached the last 10 seconds, or the last twentieth of a
          short audio, without skipping to it.
        </li>
        <li>
          <strong>Listeners</strong> are sessions that listened, counted once a day. The player identifies a session
          only if your page sets <code>consent="full"</code>. If no page does, the number is 0: use plays instead. If
          only some pages do, it is a lower bound.
        </li>
        <li>
          The player sets no cookies. Lectern stores no IP address and no browser name, only the device type: phone,
          tablet, computer or other.
        </li>
        <li>Playback in the dashboard is not counted.</li>
      </ul>
    </Card>
  );
}
