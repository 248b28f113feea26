import { readFileSync, rmSync, statSync } from 'node:fs';
import { AppError, operationFailed, passes } from '../../errors.ts';
import { withFixedNoise } from '../synthesize/fixed-noise.ts';
import {
  createUnreadableModelError,
  isSelfContained,
  type ModelSource,
  openVoiceSession,
  type VoiceSession,
} from '../synthesize/onnx-session.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { hashFile, readVerifiedVoice, type VoiceFiles } from '../synthesize/voice-model.ts';
import { createUsualIds, findWorstDifference, isInaudible, synthesizeTestSentences } from './compare-audio.ts';
import { applyPolyphase, mergeConvolutions } from './convolutions.ts';
import { parseGraph } from './onnx-graph.ts';
import type { OptimizeOutcome, OriginalReason } from './outcome.ts';
import { foldScales, removeNoOps, splitChannels } from './remove-no-ops.ts';
import { applyFastConvolutions, fuseNormalizations } from './snake-activations.ts';
import { convertTo2d } from './two-dimensions.ts';

/**
 * Rewrites a voice for the fast path of ONNX Runtime. It goes by the structure of the graph, never by names, and assumes batches of
 * one text. The caller compares sound and speed. Increase `optimizerVersion` with every change.
 * @returns undefined where no faster form is known
 * @throws for bytes that are no ONNX model
 */
export function rewriteModel(model: Uint8Array): Uint8Array | undefined {
  const graph = parseGraph(model);
  removeNoOps(graph);
  fuseNormalizations(graph);
  splitChannels(graph);
  mergeConvolutions(graph);
  foldScales(graph);
  applyPolyphase(graph);
  applyFastConvolutions(graph);
  return convertTo2d(graph) > 0 ? graph.encode() : undefined;
}

/** Less is within the measurement error. */
const minSpeedRatio = 1.05;

const benchmarkRounds = { least: 5, most: 15 };

/** Some systems count CPU time in hundredths of a second. */
const minBenchmarkSeconds = 0.05;

/**
 * CPU time of the original over that of the optimized model. Both synthesize the same sentence alternately until the quartiles are
 * on one side of `ratioMin`, or to the last round.
 * @returns the median of the rounds
 */
async function measureSpeedRatio(
  { original, optimized }: { readonly original: VoiceSession; readonly optimized: VoiceSession },
  config: VoiceConfig,
  ratioMin: number,
): Promise<number> {
  const ids = createUsualIds(config);
  const [, length] = config.scales;
  /** @returns CPU seconds for one sentence */
  const seconds = async (session: VoiceSession): Promise<number> => {
    const before = process.cpuUsage();
    for (let count = 1; ; count += 1) {
      await session.run(ids, 0, [0, length, 0]);
      const { user, system } = process.cpuUsage(before);
      const spent = (user + system) / 1e6;
      if (spent >= minBenchmarkSeconds) return spent / count;
    }
  };
  // Warm-up: memory grows in the first run.
  await seconds(original);
  await seconds(optimized);
  const ratios: number[] = [];
  while (ratios.length < benchmarkRounds.most) {
    // Each goes first as often as the other.
    const optimizedFirst = ratios.length % 2 === 1 ? await seconds(optimized) : undefined;
    const originalSeconds = await seconds(original);
    ratios.push(originalSeconds / (optimizedFirst ?? (await seconds(optimized))));
    ratios.sort((a, b) => a - b);
    const isClear = quantile(ratios, 0.25) >= ratioMin || quantile(ratios, 0.75) < ratioMin;
    if (ratios.length >= benchmarkRounds.least && isClear) break;
  }
  return quantile(ratios, 0.5);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.round((sorted.length - 1) * share)] ?? 0;
}

/**
 * Rewrites a voice, lets the runtime optimize it for this processor, and stores it if it sounds the same and is faster.
 * @param into path of the new model; no file remains there unless the outcome is `optimized`
 * @throws AppError `bad_voice` for an unusable original; `operation_failed` when the model cannot be written
 */
export async function optimizeVoice(files: VoiceFiles, into: string): Promise<OptimizeOutcome> {
  const { model: source, config } = readVerifiedVoice(files);
  const model = typeof source === 'string' ? readFileSync(source) : source;
  if (!isSelfContained(model)) throw createUnreadableModelError();
  const steady = withFixedNoise(model);
  const original = steady === model ? source : steady;
  let rewritten: Uint8Array | undefined;
  try {
    rewritten = rewriteModel(steady);
  } catch {
    // The structure of a graph can be unexpected in many ways.
    return createOriginalOutcome('failed');
  }
  if (rewritten === undefined) return createOriginalOutcome('unknown_architecture');
  return acceptIfBetter({ original, rewritten, config }, into);
}

export interface RewrittenModel {
  readonly original: ModelSource;
  readonly rewritten: Uint8Array;
  readonly config: VoiceConfig;
}

/**
 * Optimizes the rewritten model and compares it with the original.
 * @param ratioMin minimum speed ratio
 */
export async function acceptIfBetter(
  { original, rewritten, config }: RewrittenModel,
  into: string,
  ratioMin = minSpeedRatio,
): Promise<OptimizeOutcome> {
  let judged: OptimizeOutcome = createOriginalOutcome('failed');
  try {
    const expected = await synthesizeTestSentences(await openVoiceSession(original, config), config);
    // The file on the disk is judged, loaded as workers load it.
    if (!(await optimize(rewritten, config, into))) return judged;
    judged = await compare(original, expected, into, config, ratioMin);
    return judged;
  } finally {
    if (judged.outcome === 'original') rmSync(into, { force: true });
  }
}

/**
 * @returns false when the runtime rejects the model
 * @throws AppError `operation_failed` when it cannot write the model
 */
async function optimize(rewritten: Uint8Array, config: VoiceConfig, into: string): Promise<boolean> {
  const canLoad = (options?: Parameters<typeof openVoiceSession>[2]) =>
    passes(async () => (await openVoiceSession(rewritten, config, options)).close());
  if (await canLoad({ as: 'exported', optimizedInto: into })) return true;
  // The runtime's error is the same for both.
  if (!(await canLoad())) return false;
  throw operationFailed('Writing the optimized model failed. Check the free disk space.');
}

async function compare(
  original: ModelSource,
  expected: readonly Float32Array[],
  optimized: string,
  config: VoiceConfig,
  ratioMin: number,
): Promise<OptimizeOutcome> {
  const open = () => openVoiceSession(optimized, config, { as: 'optimized' });
  let sounds: readonly Float32Array[];
  try {
    sounds = await synthesizeTestSentences(await open(), config);
  } catch (error) {
    if (error instanceof AppError) return createOriginalOutcome('failed');
    throw error;
  }
  const difference = findWorstDifference(expected, sounds, config.sampleRateHz);
  const snrDb = difference?.snrDb;
  if (difference === undefined || !isInaudible(difference)) {
    return createOriginalOutcome('other_sound', snrDb);
  }
  const sessions = { original: await openVoiceSession(original, config), optimized: await open() };
  const speedRatio = await measureSpeedRatio(sessions, config, ratioMin);
  await Promise.all([sessions.original.close(), sessions.optimized.close()]);
  if (speedRatio < ratioMin) return createOriginalOutcome('not_faster', difference.snrDb, speedRatio);
  return {
    ...{ outcome: 'optimized', sha256: hashFile(optimized), byte_count: statSync(optimized).size },
    ...{ snr_db: difference.snrDb, speed_ratio: speedRatio },
  };
}

function createOriginalOutcome(reason: OriginalReason, snrDb?: number, speedRatio?: number): OptimizeOutcome {
  return { outcome: 'original', reason, snr_db: snrDb ?? null, speed_ratio: speedRatio ?? null };
}
