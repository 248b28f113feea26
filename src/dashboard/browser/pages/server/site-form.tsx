import { ApiError, api, ask } from '../../api.ts';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { links } from '../../links.ts';
import { navigate } from '../../location.ts';
import { aboutPlans, parsePlan, planOptions } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { browserTimeZone } from '../../time-zone.ts';
import { endOfDay } from './trial.ts';

/** Adds a site and opens it. */
export function SiteForm({ onCancel }: { readonly onCancel?: () => void }) {
  const { showsPlans } = useSession();
  const initial = { name: '', domains: '', plan: 'enterprise', trial_ends_at: '' };
  const form = useForm(initial, async ({ name, domains: given, plan, trial_ends_at: trialEnd }) => {
    const hosts = given.split(/[\s,]+/).filter((word) => word !== '');
    const trial = trialEnd === '' ? {} : { trial_ends_at: endOfDay(trialEnd) };
    const body = {
      ...{ name, domains: hosts.map(extractHost), plan: parsePlan(plan), ...trial },
      time_zone: browserTimeZone,
    };
    const site = await ask(() => api.sites.post(body));
    sitesChanged();
    navigate(links.firstListen(site.slug));
  });
  return (
    <Form action={form} submit="Add site" fields={[...form.fields, 'domain']} onCancel={onCancel}>
      <TextField
        {...form.field('name')}
        label="Name"
        autocomplete="off"
        required
        hint="Shown to listeners as the artist of every audio."
      />
      <TextArea
        {...form.field('domains')}
        label="Domains"
        rows={2}
        spellcheck={false}
        autocapitalize="off"
        required
        hint="Host names of your article pages, one per line, for example www.example.org. Only pages on these hosts can show the player; www.example.org and example.org are different hosts. To test on your own machine, add localhost."
        problem={problemOfDomains(form.problem)}
      />
      {showsPlans && (
        <details>
          <summary>Plan and trial</summary>
          <div class="form">
            <SelectField {...form.field('plan')} label="Plan" hint={aboutPlans} options={planOptions} />
            <TextField
              {...form.field('trial_ends_at')}
              label="Trial ends"
              type="date"
              hint="Last day of the trial, unless an admin sets the subscription to active. Empty: no trial."
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

/** @returns the host of a URL, as copied from a browser; other text unchanged */
export function extractHost(given: string): string {
  return /^https?:\/\//i.test(given) ? (URL.parse(given)?.hostname ?? given) : given;
}
