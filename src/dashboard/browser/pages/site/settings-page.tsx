import { SelectField, TextArea, TextField, Toggle } from '../../components/field.tsx';
import { Card, Page } from '../../components/page.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { aboutPlans, planNames, planOptions } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { type SiteDetail, useSite } from '../../site.tsx';
import { siteStatus } from '../../site-status.ts';
import { browserTimeZone } from '../../time-zone.ts';
import { endOfDay, toDateInputValue } from '../server/trial.ts';
import { DangerCard } from './danger-card.tsx';
import { DomainsCard } from './domains-card.tsx';
import { MembersCard } from './members-card.tsx';
import { RegenerateCard } from './regenerate-card.tsx';
import { type SiteDraft, useSiteDraft } from './site-draft.ts';

/** What the fields of the page contain. */
type Settings = SiteDetail['reading'] &
  Pick<
    SiteDetail,
    | 'name'
    | 'time_zone'
    | 'bit_rate_kbps'
    | 'timings_text'
    | 'audio_retention_days'
    | 'audio_retention_mb'
    | 'plan'
    | 'subscription'
    | 'trial_ends_at'
    | 'active'
  >;

const labels: Readonly<Record<keyof Settings, string>> = {
  name: 'Name',
  time_zone: 'Time zone',
  speak_title: 'Read the headline first',
  tables: 'Tables',
  leave_out: 'Always leave out',
  keep: 'Always read',
  intro: 'Intro',
  outro: 'Outro',
  disclosure: 'Disclosure',
  speed: 'Speed',
  foreign_passages: 'Other languages in their own voices',
  ssml: 'Follow SSML in articles',
  bit_rate_kbps: 'MP3 bit rate',
  timings_text: 'Text of the sentences for the player',
  audio_retention_days: 'Keep audio for (days)',
  audio_retention_mb: 'Keep at most (MB)',
  plan: 'Plan',
  subscription: 'Subscription',
  trial_ends_at: 'Last day of the trial',
  active: 'Site is on',
};

type Draft = SiteDraft<Settings>;

/** The settings of a site, in one column with one save bar. */
export function SettingsPage() {
  const { canEdit } = useSite();
  const { isAdmin, showsPlans } = useSession();
  const draft: Draft = useSiteDraft<Settings>(
    ({ reading, ...site }) => ({ ...reading, ...pickOwn(site) }),
    labels,
    toBody,
  );
  return (
    <Page title="Settings">
      <div class="stack narrow">
        <Card title="Name and time zone">
          <fieldset class="form" disabled={!canEdit}>
            <NameFields {...draft} />
          </fieldset>
        </Card>
        <DomainsCard />
        <Card title="Reading" about="For audio generated from now on.">
          <fieldset class="form" disabled={!canEdit}>
            <ReadingFields {...draft} />
          </fieldset>
        </Card>
        {canEdit && <RegenerateCard />}
        {isAdmin && <MembersCard />}
        {showsPlans && <PlanCard {...draft} />}
        {isAdmin && <RetentionCard {...draft} />}
        {isAdmin && <DangerCard draft={draft} />}
      </div>
      <SaveBar {...draft.bar} />
    </Page>
  );
}

function pickOwn(site: Omit<SiteDetail, 'reading'>) {
  const { name, time_zone, bit_rate_kbps, timings_text, audio_retention_days, audio_retention_mb } = site;
  const { plan, subscription, trial_ends_at, active } = site;
  return {
    ...{ name, time_zone, bit_rate_kbps, timings_text, audio_retention_days, audio_retention_mb },
    ...{ plan, subscription, trial_ends_at, active },
  };
}

const ofSite = new Set(Object.keys(pickOwn({} as SiteDetail)));

/** Those of the reading are a member of the site. */
function toBody(changed: Partial<Settings>) {
  const entries = Object.entries(changed);
  const reading = entries.filter(([name]) => !ofSite.has(name));
  return {
    ...Object.fromEntries(entries.filter(([name]) => ofSite.has(name))),
    ...(reading.length === 0
      ? {}
      : { reading: Object.fromEntries(reading.map(([name, value]) => [name, trimmed(value)])) }),
  };
}

/** Without the empty lines that one has while typing. */
function trimmed(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((line: string) => line.trim()).filter((line) => line !== '');
}

function NameFields({ field }: Draft) {
  const { site } = useSite();
  const zones = [...new Set(['UTC', site.time_zone, browserTimeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <>
      <TextField
        {...field('name')}
        autocomplete="off"
        hint={
          <>
            Listeners see it in their podcast app. The address <code>{site.slug}</code> and the ID {site.id} stay.
          </>
        }
      />
      <SelectField
        {...field('time_zone')}
        hint="For publication times and the days of analytics. Earlier days keep the plays that they have."
        options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
    </>
  );
}

const bitRatesKbps = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160] as const;

function ReadingFields({ values, set, problem, field, toggle }: Draft) {
  const selectors = (name: 'leave_out' | 'keep') => ({
    label: labels[name],
    name,
    rows: 3,
    spellcheck: false,
    problem,
    value: values[name].join('\n'),
    onValue: (value: string) => set({ [name]: value === '' ? [] : value.split('\n') }),
  });
  return (
    <>
      <Toggle {...toggle('speak_title')} />
      <SelectField
        {...field('tables')}
        options={[
          { value: 'rows', label: 'Read row by row' },
          { value: 'none', label: 'Left out' },
        ]}
      />
      <TextArea
        {...selectors('leave_out')}
        placeholder={'.newsletter-box\naside.related'}
        hint="CSS selectors, one a line. What matches is not read."
      />
      <TextArea
        {...selectors('keep')}
        placeholder="figcaption"
        hint="CSS selectors, one a line. What matches is read even if a rule leaves it out, such as captions."
      />
      <TextField {...field('intro')} hint="For example “You are listening to Harbor News.”" />
      <TextField {...field('outro')} />
      <TextField
        {...field('disclosure')}
        hint="At the end. For example “This article was read by a synthetic voice.”"
      />
      <TextField
        label={labels.speed}
        name="speed"
        type="number"
        min="0.5"
        max="2"
        step="0.05"
        hint="0.5 to 2; 1 is the voice's own. Listeners can change it too."
        problem={problem}
        value={String(values.speed)}
        onValue={(speed) => set({ speed: Number(speed) })}
      />
      <Toggle
        {...toggle('foreign_passages')}
        hint="Passages with a lang attribute, if a voice of that language is there."
      />
      <Toggle {...toggle('ssml')} hint="The elements break, phoneme, say-as, sub and prosody rate." />
      <SelectField
        label={labels.bit_rate_kbps}
        name="bit_rate_kbps"
        value={String(values.bit_rate_kbps)}
        onValue={(chosen) => set({ bit_rate_kbps: bitRatesKbps.find((rate) => String(rate) === chosen) ?? 64 })}
        hint="64 kbit/s suits speech."
        options={bitRatesKbps.map((rate) => ({ value: String(rate), label: `${rate} kbit/s` }))}
      />
      <Toggle
        {...toggle('timings_text')}
        hint="The player needs it for transcripts and highlights. Off: the timings do not reveal the text."
      />
    </>
  );
}

const subscriptions = [
  { value: 'active', label: 'Active' },
  { value: 'trialing', label: 'Trial' },
  { value: 'inactive', label: 'Inactive' },
] as const;

function PlanCard({ values, set, problem, field }: Draft) {
  const { isAdmin } = useSession();
  const { label, consequence } = siteStatus(values);
  if (!isAdmin) {
    return (
      <Card title="Plan">
        <p>
          {planNames[values.plan]} · {label} {consequence}
        </p>
      </Card>
    );
  }
  return (
    <Card title="Plan">
      <div class="form">
        <SelectField {...field('plan')} hint={aboutPlans} options={planOptions} />
        <SelectField {...field('subscription')} options={subscriptions} />
        {values.subscription === 'trialing' && (
          <TextField
            label={labels.trial_ends_at}
            name="trial_ends_at"
            type="date"
            hint="Empty: it does not end."
            problem={problem}
            value={values.trial_ends_at === null ? '' : toDateInputValue(values.trial_ends_at)}
            onValue={(day) => set({ trial_ends_at: day === '' ? null : endOfDay(day) })}
          />
        )}
        {consequence !== undefined && <p class="wrong">With this choice: {consequence}</p>}
      </div>
    </Card>
  );
}

function RetentionCard({ values, set, problem }: Draft) {
  const limit = (name: 'audio_retention_days' | 'audio_retention_mb') => ({
    label: labels[name],
    name,
    type: 'number',
    min: 0,
    problem,
    value: values[name] === 0 ? '' : String(values[name]),
    onValue: (value: string) => set({ [name]: Number(value) }),
  });
  const isLimited = values.audio_retention_days > 0 || values.audio_retention_mb > 0;
  return (
    <Card title="Audio retention" about="The oldest MP3s go to save space. Their texts and figures stay.">
      <div class="form">
        <TextField {...limit('audio_retention_days')} hint="From its generation. Empty: no limit." />
        <TextField {...limit('audio_retention_mb')} hint="A minute has about 0.5 MB. Empty: no limit." />
        {isLimited && (
          <p class="wrong">
            Audio beyond these limits is removed within seconds, then every hour. Its URLs return 410.
          </p>
        )}
      </div>
    </Card>
  );
}
