import type { Voice } from '../database/tables.ts';
import type { VoiceRecord } from './schema.ts';

/** A voice as everyone may see it. */
export function voiceRecord(voice: Voice): VoiceRecord {
  const { id, name, language, gender, plan_required } = voice;
  return { id, name, type: 'neural', language, gender, plan_required };
}
