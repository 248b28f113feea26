import { useState } from 'preact/hooks';
import { api, type DataOf, request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { PageLink } from '../../components/button.tsx';
import { SaveBar } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FieldGroup, type FieldSpecs, Fields } from '../../components/form.tsx';
import { Card, Notice, Page, QueryView, Status } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { navigate } from '../../location.ts';
import { aboutPlans, planNames, siteStatus } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { type SiteDetail, type SiteRoutes, useSite } from '../../site.tsx';
import { browserTimeZone, endOfDay, toDateInputValue } from '../../time-zone.ts';
import { removal } from '../server/sites-page.tsx';
import { inviteDialog } from '../server/users-page.tsx';
import { DomainsCard } from './domains-card.tsx';
import { useSiteDraft } from './site-draft.ts';

/** What the fields of the page contain: settings of the site, and of reading. */
type Settings = SiteDetail['reading'] & SiteDetail;
type SettingsFields = FieldSpecs<Settings>;

/** The settings of a site, in one column with one save bar. */
export function SettingsPage() {
  const { site, canEdit } = useSite();
  const { isAdmin, showsPlans } = useSession();
  const nameFields = listNameFields(site);
  const all = { ...nameFields, ...readingFields, ...planFields, ...retentionFields, ...dangerFields };
  const toBody = (changed: Partial<Settings>) => {
    const { own = [], reading = [] } = Object.groupBy(Object.entries(changed), ([name]) =>
      name in site.reading ? 'reading' : 'own',
    );
    return { ...Object.fromEntries(own), ...(reading.length > 0 && { reading: Object.fromEntries(reading) }) };
  };
  const draft = useSiteDraft<Settings>({ ...site, ...site.reading }, all, toBody);
  const fieldsOf = (label: string, of: SettingsFields) => (
    <FieldGroup label={label} isDisabled={!canEdit}>
      <Fields of={of} {...draft} />
    </FieldGroup>
  );
  const { audio_retention_days: days, audio_retention_mb: size } = draft.values;
  const { label, consequence } = siteStatus(draft.values);
  return (
    <Page title="Settings">
      <div class="stack narrow">
        <Card title="Name and time zone">{fieldsOf('Name and time zone', nameFields)}</Card>
        <DomainsCard />
        <Card title="Reading" about="For audio generated from now on.">
          {fieldsOf('Reading', readingFields)}
        </Card>
        {canEdit && <RegenerateCard />}
        {isAdmin && <UsersCard />}
        {showsPlans && (
          <Card title="Plan">
            {isAdmin && fieldsOf('Plan', planFields)}
            {isAdmin && consequence !== undefined && <p class="wrong">With this choice: {consequence}</p>}
            {!isAdmin && <p>{[planNames[site.plan], '·', label, consequence].join(' ')}</p>}
          </Card>
        )}
        {isAdmin && (
          <Card
            title="Audio retention"
            about="The oldest MP3s are deleted to save space. Their texts and figures stay."
          >
            {fieldsOf('Audio retention', retentionFields)}
            {(days > 0 || size > 0) && (
              <p class="wrong">
                Audio beyond these limits is removed within seconds, then every hour. Its URLs return 410.
              </p>
            )}
          </Card>
        )}
        {isAdmin && (
          <Card title="Danger">
            <div class="stack tight">
              {fieldsOf('Danger', dangerFields)}
              <div class="row wide wrap">
                <span>Delete the site with its posts, audio, keys, figures and settings.</span>
                {/* Undo leads to the list of sites. */}
                <ActionButton kind="danger" {...removal(site)} onDone={() => navigate('/server/sites')} />
              </div>
            </div>
          </Card>
        )}
      </div>
      <SaveBar {...draft.bar} />
    </Page>
  );
}

function listNameFields({ slug, id, time_zone }: SiteDetail): SettingsFields {
  const zones = new Set(['UTC', time_zone, browserTimeZone, ...Intl.supportedValuesOf('timeZone')]);
  return {
    name: {
      label: 'Name',
      hint: (
        <>
          Listeners see it in their podcast app. The address <code>{slug}</code> and the ID {id} stay.
        </>
      ),
    },
    time_zone: {
      label: 'Time zone',
      hint: 'For publication times and the days of analytics. Earlier days keep their plays.',
      options: [...zones].map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    },
  };
}

const bitRatesKbps = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160];

const readingFields: SettingsFields = {
  speak_title: { label: 'Read the headline first' },
  tables: { label: 'Tables', options: { rows: 'Read row by row', none: 'Left out' } },
  leave_out: {
    label: 'Always leave out',
    placeholder: '.newsletter-box\naside.related',
    hint: 'CSS selectors, one a line. Matching elements are not read.',
  },
  keep: {
    label: 'Always read',
    placeholder: 'figcaption',
    hint: 'CSS selectors, one a line. Matching elements are read even if a rule excludes them, such as captions.',
  },
  intro: { label: 'Intro', hint: 'For example “You are listening to Harbor News.”' },
  outro: { label: 'Outro' },
  disclosure: {
    label: 'Disclosure',
    hint: 'At the end. For example “This article was read by a synthetic voice.”',
  },
  speed: {
    label: 'Speed',
    input: { min: 0.5, max: 2, step: 0.05 },
    hint: "0.5 to 2; 1 is the voice's own. Listeners can change it too.",
  },
  foreign_passages: {
    label: 'Other languages in their own voices',
    hint: 'Passages with a lang attribute, if a voice of that language is installed.',
  },
  ssml: { label: 'Follow SSML in articles', hint: 'The elements break, phoneme, say-as, sub and prosody rate.' },
  bit_rate_kbps: {
    label: 'MP3 bit rate',
    hint: '64 kbit/s suits speech.',
    options: bitRatesKbps.map((rate) => ({ value: String(rate), label: `${rate} kbit/s` })),
  },
  timings_text: {
    label: 'Text of the sentences for the player',
    hint: 'The player needs it for transcripts and highlights. Off: the timings do not reveal the text.',
  },
};

const planFields: SettingsFields = {
  plan: { label: 'Plan', hint: aboutPlans, options: planNames },
  subscription: { label: 'Subscription', options: { active: 'Active', trialing: 'Trial', inactive: 'Inactive' } },
  trial_ends_at: {
    label: 'Last day of the trial',
    isShown: ({ subscription }) => subscription === 'trialing',
    render: ({ value, onValue, problem }) => (
      <Field
        {...{ label: 'Last day of the trial', name: 'trial_ends_at', type: 'date', problem }}
        hint="Empty: it does not end."
        value={typeof value === 'string' ? toDateInputValue(value) : ''}
        onValue={(day) => onValue(day === '' ? null : endOfDay(day))}
      />
    ),
  },
};

const retentionFields: SettingsFields = {
  audio_retention_days: {
    label: 'Keep audio for (days)',
    input: { min: 0 },
    hint: 'From its generation. Empty: no limit.',
  },
  audio_retention_mb: {
    label: 'Keep at most (MB)',
    input: { min: 0 },
    hint: 'A minute has about 0.5 MB. Empty: no limit.',
  },
};

const dangerFields: SettingsFields = {
  active: { label: 'Site is on', hint: 'Off: it serves no audio and accepts no posts. Its data stays.' },
};

function RegenerateCard() {
  const { site, routes } = useSite();
  const [remade, setRemade] = useState<DataOf<SiteRoutes['posts']['remake']['post']>>();
  const isPartial = remade?.complete === false;
  const label = isPartial ? 'Continue' : 'Regenerate all';
  return (
    <Card
      title="Existing audio"
      actions={
        <ActionButton
          icon="refresh-cw"
          label={label}
          confirm={{
            title: 'Regenerate all audio?',
            text: (
              <p>
                All audio of {site.name} is generated with the current settings and pronunciations, new posts first.
                Only changed sentences are synthesized again. Listeners hear the current audio until then.
              </p>
            ),
          }}
          // Continues where a full queue stopped the last request; nothing is generated twice.
          run={async () => {
            const from = isPartial ? { made_before: remade.made_before } : {};
            setRemade(await request(() => routes.posts.remake.post(from)));
          }}
        />
      }
    >
      {remade === undefined ? (
        <p class="sub">It keeps the settings that it was generated with.</p>
      ) : (
        <Notice kind={remade.complete ? 'success' : 'warning'}>
          {formatCount(remade.audios, 'audio file')} of {formatCount(remade.posts, 'post')}{' '}
          {remade.audios === 1 ? 'is' : 'are'} queued.
          {!remade.complete && ' The queue is full: continue later.'}
          {remade.voiceless > 0 && ` ${formatCount(remade.voiceless, 'audio file')} skipped: the voice is not there.`}
        </Notice>
      )}
    </Card>
  );
}

const usersMax = 100;

/** Who can open the site, besides the admins. */
function UsersCard() {
  const { site } = useSite();
  const users = useQuery(() => request(() => api.users.get({ query: { limit: usersMax } })), [site.slug]);
  const members = users.value?.items.flatMap(({ sites, ...user }) => {
    const role = sites.find(({ id }) => id === site.id)?.role;
    return role === undefined ? [] : [{ ...user, role }];
  });
  return (
    <Card
      title="Users"
      about="Editors change everything here except admin settings; viewers can only read."
      actions={<ActionButton label="Invite" icon="user-plus" dialog={inviteDialog(site.id)} onDone={users.reload} />}
    >
      <QueryView of={users}>
        {() => (
          <ul role="list" class="rows tight">
            {members?.map(({ id, email, role, invited }) => (
              <li key={id}>
                <span class="grow cut">{email}</span>
                {invited && <Status icon="mail">Invited</Status>}
                <span class="sub">{role === 'editor' ? 'Editor' : 'Viewer'}</span>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {members?.length === 0 && <p class="sub">Only admins so far.</p>}
      <p class="hint">
        Roles and reset links are under <PageLink to="/server/users" text="Users" />.
      </p>
    </Card>
  );
}
