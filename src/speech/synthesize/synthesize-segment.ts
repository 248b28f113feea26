import { createHash } from 'node:crypto';
import { operationFailed } from '../../errors.ts';
import { CEILING_DBTP, fadeEdges, limit, rmsDbfs, trimEdges } from '../encode/loudness.ts';
import { encodeSegment } from '../encode/mp3.ts';
import { encodePcm, resample } from '../encode/pcm.ts';
import type { SynthesisParams, SynthesizedSegment } from '../worker-protocol.ts';
import type { VoiceConfig } from './voice-config.ts';
import type { VoiceModel } from './voice-model.ts';

/** Outside of it a phoneme was swallowed, or the voice hung on one; at the speed of the voice itself. */
const msPerPhoneme = { min: 15, max: 400 };
/** A word of one or two phonemes may be drawn out. */
const maxShortWordMs = 300;

/**
 * @param speechMs how long a segment sounds, without its pause
 * @param phonemeCount phonemes that must be heard in it
 * @returns the problem; undefined: plausible
 */
export function checkDuration(speechMs: number, phonemeCount: number, speed: number): 'short' | 'long' | undefined {
  const ms = speechMs * speed;
  if (ms < msPerPhoneme.min * phonemeCount) return 'short';
  return ms > msPerPhoneme.max * phonemeCount + maxShortWordMs ? 'long' : undefined;
}

/** Quieter than this is not speech. */
const minRmsDbfs = -45;

/**
 * One segment, from phoneme ids to MP3 frames or samples.
 * @throws AppError `operation_failed` when what came out can't be the whole segment
 */
export async function synthesizeSegment(model: VoiceModel, question: SynthesisParams): Promise<SynthesizedSegment> {
  const rateHz = model.config.sampleRateHz;
  const { speed } = question;
  const runs: SpokenRun[] = [];
  for (const run of splitIds(question.ids, question.inferenceCount, model.config.phonemeIds)) {
    const { samples, idSamples } = await model.synthesize(run.ids, question.speaker, speed);
    if (!isAudible(samples)) {
      throw operationFailed('Synthesis returned invalid samples for a sentence');
    }
    const trimmed = trimEdges(samples, rateHz);
    const cutSamples = (trimmed.byteOffset - samples.byteOffset) / samples.BYTES_PER_ELEMENT;
    runs.push({ ...run, idSamples, cutSamples, samples: trimmed });
  }
  const speech = joinAudio(
    runs.map(({ samples }) => samples),
    rateHz,
  );
  const speechMs = (speech.length / rateHz) * 1000;
  const idStartsMs = locateIds(runs, question.ids.length, model.config);
  validateSpeech(speech, speechMs, question);
  // The output of the model is not used by anything else.
  const loud = limit(speech, question.gainDb, CEILING_DBTP, rateHz, speech);
  fadeEdges(loud, rateHz, loud);
  const samples = rateHz === question.sampleRateHz ? loud : resample(loud, rateHz, question.sampleRateHz);
  const { frames, frameCount } = question.isPcm ? encodePcm(samples, question) : encodeSegment(samples, question);
  const framesSha256 = createHash('sha256').update(frames).digest('hex');
  return { frames, frameCount, framesSha256, speechMs, idStartsMs };
}

/** The ids of one inference: a part of a segment between start and end signs. */
interface IdRun {
  readonly ids: readonly number[];
  /** Number of start signs. */
  readonly head: number;
  /** Index of the first id behind the start signs in the ids of the segment. */
  readonly from: number;
  /** How many ids of the segment it has. */
  readonly count: number;
}

interface SpokenRun extends IdRun {
  readonly samples: Float32Array;
  /** Silence that was cut off before them. */
  readonly cutSamples: number;
  readonly idSamples: Float64Array | undefined;
}

/** Cuts a run of ids into so many, behind a space where one is near; each gets its start and end signs. */
function splitIds(ids: readonly number[], count: number, map: Readonly<Record<string, readonly number[]>>): IdRun[] {
  if (count <= 1) return [{ ids, head: 0, from: 0, count: ids.length }];
  const start = [...(map['^'] ?? []), ...(map['_'] ?? [])];
  const end = map['$'] ?? [];
  const space = map[' ']?.[0];
  const body = ids.slice(start.length, ids.length - end.length);
  const runs: IdRun[] = [];
  const add = (from: number, to: number): void => {
    runs.push({
      ids: [...start, ...body.slice(from, to), ...end],
      ...{ head: start.length, from: start.length + from, count: to - from },
    });
  };
  let from = 0;
  for (let part = 1; part <= count; part += 1) {
    const ideal = Math.round((body.length * part) / count);
    const splitAt = space === undefined ? -1 : body.indexOf(space, ideal);
    const to = part === count || splitAt < 0 ? ideal : splitAt;
    if (to > from) add(from, to);
    from = Math.max(from, to);
  }
  if (from < body.length) add(from, body.length);
  return runs;
}

const maxUint16 = 0xffff;

/** @returns the start of each id in the joined runs, in ms; undefined if the voice gives no durations */
function locateIds(
  runs: readonly SpokenRun[],
  idCount: number,
  { sampleRateHz, durationsLeadMs }: VoiceConfig,
): Uint16Array | undefined {
  const leadSamples = (durationsLeadMs * sampleRateHz) / 1000;
  const starts = new Uint16Array(idCount);
  let runStart = 0;
  for (const { idSamples, samples, cutSamples, head, from, count } of runs) {
    if (idSamples === undefined) return undefined;
    let reached = runStart - cutSamples - leadSamples;
    for (const [index, length] of idSamples.entries()) {
      const clamped = Math.min(Math.max(reached, runStart), runStart + samples.length);
      const isOwn = index >= head && index < head + count;
      if (isOwn) starts[from + index - head] = Math.min(maxUint16, Math.round((clamped / sampleRateHz) * 1000));
      reached += length;
    }
    runStart += samples.length;
  }
  return starts;
}

/** One sample that is no number, or infinite, makes the whole level so; asking sample by sample takes twenty times as long. */
function isAudible(samples: Float32Array): boolean {
  const level = rmsDbfs(samples);
  return !Number.isNaN(level) && level !== Infinity;
}

/** A sentence spoken in parts is one sound again; faded, so that the joints don't click. */
function joinAudio(runs: readonly Float32Array[], rateHz: number): Float32Array {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return only;
  const whole = new Float32Array(runs.reduce((sum, run) => sum + run.length, 0));
  let place = 0;
  for (const run of runs) {
    whole.set(fadeEdges(run, rateHz), place);
    place += run.length;
  }
  return whole;
}

function validateSpeech(speech: Float32Array, speechMs: number, question: SynthesisParams): void {
  const problem = checkDuration(speechMs, question.audiblePhonemes, question.speed);
  if (problem !== undefined) {
    throw operationFailed(`Synthesis duration check failed: a sentence is too ${problem}`);
  }
  if (rmsDbfs(speech) < minRmsDbfs) {
    throw operationFailed('Synthesis returned silence for a sentence');
  }
}
