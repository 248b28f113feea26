import type { Site, Voice } from '../database/tables.ts';

const planRank = { starter: 0, growth: 1, enterprise: 2 };

/** @returns whether a site's plan unlocks a voice */
export function isUnlocked(voice: Voice, site: Pick<Site, 'plan'>): boolean {
  return planRank[voice.plan_required] <= planRank[site.plan];
}

/** @returns the voices that a site may use, in the order given */
export function allowedVoices<V extends Voice>(
  voices: readonly V[],
  site: Pick<Site, 'plan'>,
): V[] {
  return voices.filter((voice) => voice.enabled === 1 && isUnlocked(voice, site));
}

/** @returns the voice for whoever asks for none: the site's own, else the first; undefined when there is none */
export function defaultVoice<V extends Voice>(
  allowed: readonly V[],
  site: Pick<Site, 'default_voice_id'>,
): V | undefined {
  return allowed.find(({ id }) => id === site.default_voice_id) ?? allowed[0];
}
