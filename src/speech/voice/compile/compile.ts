import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { AppError } from '../../../errors.ts';
import { isSelfContained } from '../onnx-file.ts';
import { openVoiceSession, unreadable } from '../session.ts';
import { withSteadyNoise } from '../steady-noise.ts';
import { parseVoiceConfig, type VoiceConfig } from '../voice-config.ts';
import { readUnchanged, type VoiceFiles } from '../voice-model.ts';
import { isInaudible, speakTestSentences, worstDifference } from './compare-audio.ts';
import { rewriteVoice } from './rewrite.ts';
import { speedRatioMin, speedRatioOf } from './speed.ts';

/** What came of compiling a voice. */
export type CompileOutcome =
  | {
      readonly outcome: 'compiled';
      /** Of the file, hex. */
      readonly sha256: string;
      readonly byteCount: number;
      readonly snrDb: number;
      /** How many times as fast it speaks. */
      readonly speedRatio: number;
    }
  | {
      readonly outcome: 'original';
      readonly reason: OriginalReason;
      readonly snrDb: number | null;
      readonly speedRatio: number | null;
    };

/** Why a voice is used as it came. `failed`: to compile it took too much, or the model that came out doesn't run. */
type OriginalReason = 'unknown_architecture' | 'other_sound' | 'not_faster' | 'failed';

/**
 * Makes a voice faster for this machine: its graph is rewritten, optimized by the runtime for this processor, and written
 * into a file, if the sound is the same and it is faster.
 * @param files the original
 * @param into where the model goes; nothing lies there unless the outcome is `compiled`
 * @throws AppError `bad_voice` when the original itself is no good; `operation_failed` when the model cannot be written
 */
export async function compileVoice(files: VoiceFiles, into: string): Promise<CompileOutcome> {
  const { model, config } = readUnchanged(files);
  if (!isSelfContained(model)) throw unreadable();
  const original = withSteadyNoise(model);
  let rewritten: Uint8Array | undefined;
  try {
    rewritten = rewriteVoice(original);
  } catch {
    // A graph may be made in ways that nobody thought of.
    return staysOriginal('failed');
  }
  if (rewritten === undefined) return staysOriginal('unknown_architecture');
  const voiceConfig = parseVoiceConfig(new TextDecoder().decode(config));
  return acceptIfBetter({ original, rewritten, config: voiceConfig }, into);
}

/** Two models that claim to be the same voice. */
export interface Rewriting {
  readonly original: Uint8Array;
  readonly rewritten: Uint8Array;
  readonly config: VoiceConfig;
}

/**
 * Optimizes what was rewritten and compares it with the original.
 * @param ratioMin how many times as fast it has to be
 */
export async function acceptIfBetter(
  { original, rewritten, config }: Rewriting,
  into: string,
  ratioMin = speedRatioMin,
): Promise<CompileOutcome> {
  let judged: CompileOutcome = staysOriginal('failed');
  try {
    const expected = await speakTestSentences(await openVoiceSession(original, config), config);
    // What is judged is what lies on the disk, loaded as workers load it.
    const optimized = await optimize(rewritten, config, into);
    if (optimized === undefined) return judged;
    judged = await compare(original, expected, optimized, config, ratioMin);
    return judged;
  } finally {
    if (judged.outcome === 'original') rmSync(into, { force: true });
  }
}

/**
 * @returns undefined when the runtime doesn't take the model
 * @throws AppError `operation_failed` when it takes it, and cannot write it
 */
async function optimize(
  rewritten: Uint8Array,
  config: VoiceConfig,
  into: string,
): Promise<Uint8Array | undefined> {
  try {
    const session = await openVoiceSession(rewritten, config, {
      as: 'exported',
      optimizedInto: into,
    });
    await session.close();
    return readFileSync(into);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The runtime's error is the same for both.
    if (!(await isTaken(rewritten, config))) return undefined;
    throw new AppError('operation_failed', 'The compiled model cannot be written');
  }
}

async function isTaken(model: Uint8Array, config: VoiceConfig): Promise<boolean> {
  try {
    const session = await openVoiceSession(model, config);
    await session.close();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function compare(
  original: Uint8Array,
  expected: readonly Float32Array[],
  optimized: Uint8Array,
  config: VoiceConfig,
  ratioMin: number,
): Promise<CompileOutcome> {
  const open = () => openVoiceSession(optimized, config, { as: 'optimized' });
  let sounds: readonly Float32Array[];
  try {
    sounds = await speakTestSentences(await open(), config);
  } catch (error) {
    if (error instanceof AppError) return staysOriginal('failed');
    throw error;
  }
  const difference = worstDifference(expected, sounds, config.sampleRateHz);
  const snrDb = difference?.snrDb;
  if (difference === undefined || !isInaudible(difference)) {
    return staysOriginal('other_sound', snrDb);
  }
  const sessions = { original: await openVoiceSession(original, config), compiled: await open() };
  const speedRatio = await speedRatioOf(sessions, config, ratioMin);
  await Promise.all([sessions.original.close(), sessions.compiled.close()]);
  if (speedRatio < ratioMin) return staysOriginal('not_faster', difference.snrDb, speedRatio);
  const sha256 = createHash('sha256').update(optimized).digest('hex');
  return {
    ...{ outcome: 'compiled', sha256, byteCount: optimized.byteLength },
    ...{ snrDb: difference.snrDb, speedRatio },
  };
}

function staysOriginal(
  reason: OriginalReason,
  snrDb?: number,
  speedRatio?: number,
): CompileOutcome {
  return {
    outcome: 'original',
    reason,
    snrDb: snrDb ?? null,
    speedRatio: speedRatio ?? null,
  };
}
