import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EventType } from '../../../../analytics/schema.ts';
import { LinkButton, PageLink } from '../../components/button.tsx';
import { QueryView, Tabs } from '../../components/page.tsx';
import {
  formatChange,
  formatCount,
  formatDay,
  formatLanguage,
  formatNumber,
  formatPercent,
  formatPoints,
} from '../../format.ts';
import { links } from '../../location.ts';
import { type Analytics, type AnalyticsQuery, buildCsvUrl, type Kind, useAnalytics } from './analytics.ts';

const titles: Readonly<Record<Kind, string>> = {
  post: 'Articles',
  section: 'Sections',
  day: 'Days',
  language: 'Languages',
  voice: 'Voices',
  device: 'Devices',
  source: 'Sources',
  event: 'Events',
};

const valueTexts: Readonly<Record<string, string>> = {
  phone: 'Phone',
  tablet: 'Tablet',
  desktop: 'Computer',
  other: 'Other',
  public: 'Players on pages',
  key: 'Servers, with an API key',
};

const eventTexts: Readonly<Record<EventType, string>> = {
  load: 'Player shown',
  play: 'First sound on a page view',
  pause: 'Paused',
  seek: 'Jumped to another position',
  progress: 'Listening progress',
  complete: 'Reached the end without skipping to it',
  speed: 'Speed changed',
  voice: 'Voice or language changed',
  download: 'MP3 downloaded',
  click: 'Sentence clicked',
  share: 'Shared',
  error: 'Playback failed',
};

const shownCount = 8;

interface BreakdownProps {
  readonly question: AnalyticsQuery;
  readonly kinds: readonly [Kind, ...Kind[]];
}

/** Plays by one of some kinds; sections compared with the time before. */
export function Breakdown({ question, kinds }: BreakdownProps) {
  const [kind, setKind] = useState<Kind>(kinds[0]);
  const loaded = useAnalytics(question, kind, kind === 'section');
  return (
    <section class="card" aria-label={titles[kind]}>
      <h2 class="unseen">{titles[kind]}</h2>
      <div class="body stack tight">
        <div class="row wide">
          <Tabs
            label={`${titles[kinds[0]]} and others`}
            options={kinds.map((value) => ({ value, label: titles[value] }))}
            value={kind}
            onValue={(value) => setKind(kinds.find((one) => one === value) ?? kinds[0])}
          />
          {kind !== 'event' && (
            <LinkButton
              kind="quiet"
              icon="download"
              isCompact
              href={buildCsvUrl(question, kind)}
              download
              aria-label={`Download CSV: ${titles[kind]}`}
            />
          )}
        </div>
        <QueryView of={loaded}>{(value) => <Bars {...value} site={question.site} />}</QueryView>
      </div>
    </section>
  );
}

interface BarsProps {
  readonly kind: Kind;
  readonly found: Analytics;
  /** The same time before, of sections. */
  readonly before: Analytics | undefined;
  readonly site: string;
}

/** Words with bars behind them, the longest first. */
function Bars({ kind, found, before, site }: BarsProps) {
  const items = before === undefined ? listItems(kind, found, site) : listSections(found.groups, before.groups);
  const heard = items.filter(({ value }) => value > 0);
  if (heard.length === 0) return <p class="sub">No data for this period.</p>;
  const shown = heard.slice(0, shownCount);
  const left = heard.length - shown.length;
  const most = Math.max(...shown.map(({ value }) => value));
  return (
    <>
      <ol role="list" class="bar-list">
        {shown.map(({ label, value, about }, index) => (
          <li key={index}>
            <i style={{ width: `${(100 * value) / most}%` }} />
            <span class="cut">
              {label}
              {about !== undefined && <span class="line">{about}</span>}
            </span>
            <b>{formatNumber(value)}</b>
          </li>
        ))}
      </ol>
      {left > 0 && (
        <p class="hint">
          {formatNumber(left)} more in the CSV file
          {kind === 'post' && (
            <>
              {' '}
              and in <PageLink to={links.ofSite(site, '/posts?sort=plays')} text="Posts" />
            </>
          )}
          .
        </p>
      )}
    </>
  );
}

interface BarItem {
  readonly label: ComponentChildren;
  readonly value: number;
  /** In a second line. */
  readonly about?: string;
}

/** Sections with all figures of editors, compared with the time before. */
function listSections(groups: Analytics['groups'], groupsBefore: Analytics['groups']): BarItem[] {
  return groups.map(({ value, name, plays, listeners, completion }) => {
    const before = groupsBefore.find((group) => group.value === value);
    const compare = (text: string, change: string | undefined) => (change === undefined ? text : `${text} (${change})`);
    const points = formatPoints(completion, before?.completion);
    const playsChange = formatChange(plays, before?.plays ?? 0);
    const parts = [
      playsChange !== undefined && `${playsChange} plays`,
      listeners > 0 && compare(formatCount(listeners, 'listener'), formatChange(listeners, before?.listeners ?? 0)),
      completion !== null && compare(`${formatPercent(completion)} heard to the end`, points),
    ];
    return {
      label: name ?? <span class="dim">No section in the address</span>,
      value: plays,
      about: parts.filter((part) => part !== false).join(' · '),
    };
  });
}

function listItems(kind: Kind, { groups, series, events }: Analytics, site: string): BarItem[] {
  if (kind === 'event') {
    return Object.entries(events)
      .map(([type, value]) => ({ label: eventTexts[type as EventType] ?? type, value }))
      .toSorted((a, b) => b.value - a.value);
  }
  if (kind === 'day') return series.toReversed().map(({ day, plays }) => ({ label: formatDay(day), value: plays }));
  return groups.map((group) => ({ label: nameOf(kind, group, site), value: group.plays }));
}

function nameOf(kind: Kind, { value, name, name_language }: Analytics['groups'][number], site: string) {
  if (value === null) return <span class="dim">{kind === 'post' ? 'Unknown posts' : 'Unknown'}</span>;
  switch (kind) {
    case 'post':
      return (
        <PageLink
          look="headline"
          to={links.postAnalytics(site, value)}
          text={name ?? value}
          lang={name_language ?? undefined}
        />
      );
    case 'language':
      return formatLanguage(value);
    case 'voice':
      return name ?? `Voice ${value}`;
    default:
      return valueTexts[value] ?? value;
  }
}
