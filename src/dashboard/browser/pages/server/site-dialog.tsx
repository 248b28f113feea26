import { api, request } from '../../api.ts';
import { formDialog } from '../../components/form.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { links, navigate } from '../../location.ts';
import { aboutPlans, planNames } from '../../plans.ts';
import type { SiteDetail } from '../../site.tsx';
import { browserTimeZone } from '../../time-zone.ts';

const initial = { name: '', domains: [] as string[], plan: 'enterprise' as SiteDetail['plan'], trial_ends_at: '' };

/** Adds a site and opens it. */
export function siteDialog(showsPlans: boolean) {
  return formDialog<typeof initial>({
    title: 'Add site',
    initial,
    submit: 'Add site',
    fields: [
      { name: 'name', label: 'Name', hint: 'Shown to listeners as the artist of every audio.' },
      {
        name: 'domains',
        label: 'Domains',
        input: { rows: 2 },
        hint: 'Host names of your article pages, one per line, for example www.example.org. Only pages on these hosts can show the player; www.example.org and example.org are different hosts. To test on your own machine, add localhost.',
      },
      { name: 'plan', label: 'Plan', hint: aboutPlans, options: planNames, isShown: () => showsPlans },
      {
        name: 'trial_ends_at',
        label: 'Trial ends',
        kind: 'date',
        hint: 'Last day of the trial, unless an admin sets the subscription to active. Empty: no trial.',
        isShown: () => showsPlans,
      },
    ],
    send: async ({ name, domains: given, plan, trial_ends_at: trialEnd }) => {
      const domains = given.flatMap((line) => line.split(/[\s,]+/)).filter((word) => word !== '');
      const trial = trialEnd === '' ? {} : { trial_ends_at: endOfDay(trialEnd) };
      const body = { name, domains: domains.map(extractHost), plan, ...trial, time_zone: browserTimeZone };
      const site = await request(() => api.sites.post(body));
      sitesChanged();
      navigate(links.firstListen(site.slug));
    },
  });
}

/** @returns the host of a URL, as copied from a browser; other text unchanged */
export function extractHost(given: string): string {
  return /^https?:\/\//i.test(given) ? (URL.parse(given)?.hostname ?? given) : given;
}

/** @param day like `2026-11-21`; @returns the end of the day in the local time zone, in ISO 8601 */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59`);
  // The server rejects an invalid day.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** @param iso ISO 8601; @returns value of a `date` field in the local time zone */
export function toDateInputValue(iso: string): string {
  const moment = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
