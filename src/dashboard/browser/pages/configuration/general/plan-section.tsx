import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Badge } from '../../../components/badge.tsx';
import { CheckField, SelectField, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { aboutPlans, parsePlan, planNames, planOptions } from '../../../plans.ts';
import { useAction } from '../../../query.ts';
import { useSession } from '../../../session.tsx';
import { type SiteDetail, useSite } from '../../../site.tsx';
import { siteStatus } from '../../../site-status.ts';
import { endOfDay, toDateInputValue } from '../../server/trial.ts';

const subscriptions: readonly { value: SiteDetail['subscription']; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'trialing', label: 'Trial' },
  { value: 'inactive', label: 'Inactive' },
];

/** Plan, subscription and status: editable for admins, read-only for others. */
export function PlanSection() {
  const { isAdmin } = useSession();
  const { site } = useSite();
  const { kind, label, consequence } = siteStatus(site);
  return (
    <Card title="Plan and subscription" about={isAdmin ? undefined : 'An admin of this installation can change these.'}>
      {isAdmin ? (
        <PlanForm />
      ) : (
        <dl class="facts">
          <dt>Plan</dt>
          <dd>{planNames[site.plan]}</dd>
          <dt>Status</dt>
          <dd>
            <Badge kind={kind}>{label}</Badge> {consequence}
          </dd>
        </dl>
      )}
    </Card>
  );
}

function PlanForm() {
  const { site, reload } = useSite();
  const tell = useToast();
  const [plan, setPlan] = useState<string>(site.plan);
  const [subscription, setSubscription] = useState<string>(site.subscription);
  const [trialEnd, setTrialEnd] = useState(site.trial_ends_at === null ? '' : toDateInputValue(site.trial_ends_at));
  const [isActive, setIsActive] = useState(site.active);
  const chosen = subscriptions.find(({ value }) => value === subscription)?.value ?? 'active';
  const changes = {
    plan: parsePlan(plan),
    subscription: chosen,
    trial_ends_at: trialEnd === '' ? null : endOfDay(trialEnd),
    active: isActive,
  };
  const save = useAction(async () => {
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).patch(changes));
    tell('Plan and subscription saved');
    reload();
  });
  const { consequence } = siteStatus(changes);
  return (
    <Form
      action={save}
      submit="Save plan"
      fields={['plan', 'subscription', 'trial_ends_at']}
      kind={consequence !== undefined && siteStatus(site).kind !== 'bad' ? 'danger' : 'primary'}
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
          label="Trial ends"
          name="trial_ends_at"
          type="date"
          hint="Last day of the trial. Empty: no end."
          problem={save.problem}
          value={trialEnd}
          onValue={setTrialEnd}
        />
      )}
      <CheckField
        label="Site enabled"
        hint="When disabled, the site serves no audio and accepts no posts. Its data is kept."
        isChecked={isActive}
        onChecked={setIsActive}
      />
      {consequence !== undefined && <p class="wrong">With this choice: {consequence}</p>}
    </Form>
  );
}
