import { AppError } from '../../errors.ts';
import { phonemeIdsMax, type VoiceModel } from './voice-model.ts';

/** So many symbols are named; more would say no more. */
const namedMax = 5;

/**
 * Has a voice speak every id of its phoneme map, with its first and its last speaker: what a model doesn't know ends
 * nobody's article later.
 * @throws AppError `bad_voice` naming the symbols, or the speaker
 */
export async function probeVoice(model: VoiceModel): Promise<void> {
  const { phonemeIds, speakers } = model.config;
  const ids = Object.values(phonemeIds).flat();
  if (!(await speaksAll(model, ids, 0))) {
    const unknown: string[] = [];
    for (const [symbol, own] of Object.entries(phonemeIds)) {
      if (unknown.length >= namedMax) break;
      if (!(await speaksAll(model, own, 0))) unknown.push(JSON.stringify(symbol));
    }
    const named = unknown.length === 0 ? '' : `: ${unknown.join(', ')}`;
    throw new AppError('bad_voice', `the model fails on symbols of its phoneme map${named}`);
  }
  const last = speakers.length - 1;
  if (last > 0 && !(await speaksAll(model, ids.slice(0, phonemeIdsMax), last))) {
    throw new AppError('bad_voice', `the model has no speaker ${last}, which its config names`);
  }
}

async function speaksAll(
  model: VoiceModel,
  ids: readonly number[],
  speaker: number,
): Promise<boolean> {
  try {
    for (let start = 0; start < ids.length; start += phonemeIdsMax) {
      await model.speak(ids.slice(start, start + phonemeIdsMax), speaker);
    }
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
