import type { SiteDetail } from './site.tsx';

type Plan = SiteDetail['plan'];

export const planNames: Readonly<Record<Plan, string>> = {
  starter: 'Starter',
  growth: 'Growth',
  enterprise: 'Enterprise',
};

/** From the smallest to the greatest: each has the voices of those before it. */
const plans: readonly Plan[] = ['starter', 'growth', 'enterprise'];

export const planOptions = plans.map((value) => ({ value, label: planNames[value] }));

/** @param value out of `planOptions` */
export function parsePlan(value: string): Plan {
  return plans.find((plan) => plan === value) ?? 'starter';
}

export const aboutPlans =
  'The plan sets the monthly post quota and the available voices. API keys require Enterprise; posts created in the dashboard work on every plan.';
