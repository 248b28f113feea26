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
export function planOf(value: string): Plan {
  return plans.find((plan) => plan === value) ?? 'starter';
}

export const aboutPlans =
  'A plan sets how many posts a month and which voices. API keys work on Enterprise only; posts by hand work on every plan.';
