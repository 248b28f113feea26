import type { SiteDetail } from './site.tsx';

type Plan = SiteDetail['plan'];

export const planNames: Readonly<Record<Plan, string>> = {
  starter: 'Starter',
  growth: 'Growth',
  enterprise: 'Enterprise',
};

/** In ascending order: each plan includes the voices of the plans before it. */
const plans: readonly Plan[] = ['starter', 'growth', 'enterprise'];

export const planOptions = plans.map((value) => ({ value, label: planNames[value] }));

/** @param value of `planOptions` */
export function parsePlan(value: string): Plan {
  return plans.find((plan) => plan === value) ?? 'starter';
}

export const aboutPlans =
  'Each plan includes a number of new English posts a month, and voices; posts in other languages do not count. API keys require Enterprise; posts created in the dashboard work on every plan.';
