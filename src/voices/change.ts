import type { Queries } from '../database/open.ts';
import type { Voice } from '../database/tables.ts';
import { audit } from '../users/audit.ts';
import { acceptanceOf, auditAcceptance } from './acceptance.ts';
import { licenseStatus } from './license.ts';
import { findVoice, updateSpeakers, updateVoice } from './store.ts';

/** What is to become of a voice; what is not named stays. */
export interface VoiceChanges {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly planRequired?: Voice['plan_required'] | undefined;
  /** Its licence is accepted, with all speakers of the model. */
  readonly acceptLicense?: boolean | undefined;
}

/** Changes a voice and writes that down. @param userId null: by command line */
export async function changeVoice(
  db: Queries,
  voiceId: number,
  changes: VoiceChanges,
  userId: number | null,
): Promise<Voice> {
  const before = await findVoice(db, voiceId);
  const after = await updateVoice(db, voiceId, {
    enabled: changes.enabled === undefined ? before.enabled : Number(changes.enabled),
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.planRequired !== undefined && { plan_required: changes.planRequired }),
  });
  if (!Bun.deepEquals(settingsOf(before), settingsOf(after))) {
    await audit(db, {
      ...{ userId, action: 'voice.updated', subject: before.name },
      ...{ before: settingsOf(before), after: settingsOf(after) },
    });
  }
  if (changes.acceptLicense !== true || after.license_accepted_text !== null) return after;
  const named = { license: after.license, status: licenseStatus(after.license) };
  const accepted = await acceptanceOf(db, named, userId);
  await auditAcceptance(db, await updateSpeakers(db, after.content_hash, accepted), userId);
  return findVoice(db, voiceId);
}

function settingsOf({ name, enabled, plan_required }: Voice): object {
  return { name, plan_required, enabled: enabled === 1 };
}
