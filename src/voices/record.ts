import type { Voice } from '../database/tables.ts';
import type { VoiceRecord } from './schema.ts';

/** A voice as everyone may see it. */
export function voiceRecord(voice: Voice): VoiceRecord {
  const { id, name, language, gender, plan_required } = voice;
  return { id, name, type: 'neural', language, gender, plan_required };
}

/** A voice as the audit log keeps it. */
export function auditedVoice(voice: Voice): object {
  const { content_hash, speaker, license, source } = voice;
  const { enabled } = voice;
  return { ...voiceRecord(voice), enabled: enabled === 1, license, source, content_hash, speaker };
}
