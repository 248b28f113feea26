import { useState } from 'preact/hooks';
import { ApiError, api, ask } from '../../api.ts';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { links } from '../../links.ts';
import { navigate } from '../../location.ts';
import { aboutPlans, parsePlan, planOptions } from '../../plans.ts';
import { useAction } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { extractHost } from './host.ts';
import { endOfDay } from './trial.ts';

/** Adds a site and opens it. */
export function SiteForm({ onCancel }: { readonly onCancel?: () => void }) {
  const { showsPlans } = useSession();
  const [name, setName] = useState('');
  const [domains, setDomains] = useState('');
  const [plan, setPlan] = useState('enterprise');
  const [trialEnd, setTrialEnd] = useState('');
  const create = useAction(async () => {
    const site = await ask(() =>
      api.sites.post({
        name,
        domains: domains
          .split(/[\s,]+/)
          .filter((word) => word !== '')
          .map(extractHost),
        plan: parsePlan(plan),
        ...(trialEnd === '' ? {} : { trial_ends_at: endOfDay(trialEnd) }),
      }),
    );
    sitesChanged();
    navigate(links.firstListen(site.slug));
  });
  return (
    <Form
      action={create}
      submit="Add site"
      fields={['name', 'domains', 'domain', 'plan', 'trial_ends_at']}
      {...(onCancel === undefined ? {} : { onCancel })}
    >
      <TextField
        label="Name"
        name="name"
        autocomplete="off"
        required
        hint="Shown to listeners as the artist of every audio."
        problem={create.problem}
        value={name}
        onValue={setName}
      />
      <TextArea
        label="Domains"
        name="domains"
        rows={2}
        spellcheck={false}
        autocapitalize="off"
        required
        hint="Host names of your article pages, one per line, for example www.example.org. Only pages on these hosts can show the player; www.example.org and example.org are different hosts. To test on your own machine, add localhost."
        problem={problemOfDomains(create.problem)}
        value={domains}
        onValue={setDomains}
      />
      {showsPlans && (
        <details>
          <summary>Plan and trial</summary>
          <div class="form">
            <SelectField
              label="Plan"
              name="plan"
              hint={aboutPlans}
              problem={create.problem}
              value={plan}
              onValue={setPlan}
              options={planOptions}
            />
            <TextField
              label="Trial ends"
              name="trial_ends_at"
              type="date"
              hint="Last day of the trial, unless an admin sets the subscription to active. Empty: no trial."
              problem={create.problem}
              value={trialEnd}
              onValue={setTrialEnd}
            />
          </div>
        </details>
      )}
    </Form>
  );
}

/** Maps problems of single domains to the field for all domains. */
function problemOfDomains(problem: ApiError | undefined): ApiError | undefined {
  if (problem === undefined) return undefined;
  const wrong = Object.entries(problem.fields)
    .filter(([field]) => /^domains?\b/.test(field))
    .flatMap(([, problems]) => problems);
  return wrong.length === 0 ? problem : new ApiError(problem.status, problem.message, { domains: wrong });
}
