import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { useAction } from '../../../loading.ts';
import { Badge } from '../../../parts/badge.tsx';
import { CheckField, SelectField, TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { aboutPlans, planNames, planOf, planOptions } from '../../../plans.ts';
import { useSession } from '../../../session.tsx';
import { type SiteDetail, useSite } from '../../../site.tsx';
import { standingOf } from '../../../standing.ts';
import { dayOf, endOfDay } from '../../sites/trial.ts';

const subscriptions: readonly { value: SiteDetail['subscription']; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'trialing', label: 'On trial' },
  { value: 'inactive', label: 'Inactive' },
];

/** Plan, subscription and switch: admins change them, others read them. */
export function PlanSection() {
  const { isAdmin } = useSession();
  const { site } = useSite();
  const { kind, word, consequence } = standingOf(site);
  return (
    <Section
      title="Plan and subscription"
      about={isAdmin ? undefined : 'An admin of this installation changes these.'}
    >
      {isAdmin ? (
        <PlanForm />
      ) : (
        <dl class="facts">
          <dt>Plan</dt>
          <dd>{planNames[site.plan]}</dd>
          <dt>State</dt>
          <dd>
            <Badge kind={kind}>{word}</Badge> {consequence}
          </dd>
        </dl>
      )}
    </Section>
  );
}

function PlanForm() {
  const { site, reload } = useSite();
  const tell = useToast();
  const [plan, setPlan] = useState<string>(site.plan);
  const [subscription, setSubscription] = useState<string>(site.subscription);
  const [trialEnd, setTrialEnd] = useState(
    site.trial_ends_at === null ? '' : dayOf(site.trial_ends_at),
  );
  const [isActive, setIsActive] = useState(site.active);
  const chosen = subscriptions.find(({ value }) => value === subscription)?.value ?? 'active';
  const changes = {
    plan: planOf(plan),
    subscription: chosen,
    trial_ends_at: trialEnd === '' ? null : endOfDay(trialEnd),
    active: isActive,
  };
  const save = useAction(async () => {
    await ask(api.sites({ site: part(site.slug) }).patch(changes));
    tell('Plan and subscription saved');
    reload();
  });
  const { consequence } = standingOf(changes);
  return (
    <Form
      action={save}
      submit="Save plan"
      fields={['plan', 'subscription', 'trial_ends_at']}
      kind={consequence !== undefined && standingOf(site).kind !== 'bad' ? 'danger' : 'primary'}
    >
      <SelectField
        label="Plan"
        name="plan"
        hint={aboutPlans}
        problem={save.problem}
        value={plan}
        onValue={setPlan}
        options={planOptions}
      />
      <SelectField
        label="Subscription"
        name="subscription"
        problem={save.problem}
        value={subscription}
        onValue={setSubscription}
        options={subscriptions}
      />
      {subscription === 'trialing' && (
        <TextField
          label="Trial until"
          name="trial_ends_at"
          type="date"
          hint="The last day on which it is served. Empty: until it is changed here."
          problem={save.problem}
          value={trialEnd}
          onValue={setTrialEnd}
        />
      )}
      <CheckField
        label="The site is switched on"
        hint="Off: nothing of it is served and nothing is taken, whatever its subscription. What it has stays."
        isChecked={isActive}
        onChecked={setIsActive}
      />
      {consequence !== undefined && <p class="wrong">As chosen: {consequence}</p>}
    </Form>
  );
}
