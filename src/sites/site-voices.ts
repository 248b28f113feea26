import type { Plan, Voice } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { isUnlocked } from '../voices/allowed.ts';

/** What a site is to be told about voices. */
export interface VoiceChoice {
  readonly defaultVoiceId?: number | null | undefined;
  readonly extraVoices?: readonly number[] | undefined;
}

/**
 * Whether a site may use the voices it is given.
 * @param voices those that are installed
 * @throws AppError `validation_failed`: unknown, disabled or named twice; `plan_restriction`: above the site's plan
 */
export function checkVoiceChoice(
  voices: readonly Voice[],
  plan: Plan,
  { defaultVoiceId, extraVoices }: VoiceChoice,
): void {
  if (typeof defaultVoiceId === 'number') {
    checkVoice(voices, plan, 'default_voice_id', defaultVoiceId);
  }
  for (const voiceId of extraVoices ?? []) checkVoice(voices, plan, 'extra_voices', voiceId);
  if (extraVoices !== undefined && new Set(extraVoices).size < extraVoices.length) {
    throw wrong('extra_voices', 'must not name a voice twice');
  }
}

function checkVoice(voices: readonly Voice[], plan: Plan, field: string, voiceId: number): void {
  const voice = voices.find(({ id, enabled }) => id === voiceId && enabled === 1);
  if (voice === undefined) throw wrong(field, `there is no voice ${voiceId}`);
  if (!isUnlocked(voice, { plan })) {
    throw new AppError('plan_restriction', 'Plan restriction', {
      [field]: [`voice ${voiceId} needs the plan ${voice.plan_required}`],
    });
  }
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
