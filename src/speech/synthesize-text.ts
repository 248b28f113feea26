import { mp3SampleRate } from './encode/mp3.ts';
import { buildFileHeader } from './encode/mp3-header.ts';
import type { Alias } from './pronunciation/replacer.ts';
import type { PlannedSegment } from './segments.ts';
import { batchSentences } from './segments.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { SynthesisParams, SynthesizedSegment } from './worker-protocol.ts';

const bitRateKbps = 64;

/** What is needed to speak with a voice. */
export interface SynthesisVoice {
  readonly files: VoiceFiles;
  readonly speaker: number;
  readonly gainDb: number;
  readonly language: string;
  readonly sampleRateHz: number;
}

/** A text for ad-hoc synthesis; nothing of it is stored. */
export interface SynthesisInput {
  /** Plain text or HTML. */
  readonly content: string;
  /** Spoken first. */
  readonly title: string | null;
  /** 1 unless named; 2 is twice as fast. */
  readonly speed?: number;
  /** Pronunciations of words. */
  readonly aliases?: readonly Alias[];
}

/**
 * Makes a whole MP3 of a text, without queue and database.
 * @param onProgress called after each sentence with the numbers of synthesized and planned ones, and the share of the whole
 * @returns undefined when nothing of the text can be spoken
 * @throws WorkerDied; AppError of the worker
 */
export async function synthesizeText(
  workers: Pick<WorkerPool, 'call'>,
  voice: SynthesisVoice,
  text: SynthesisInput,
  onProgress: (done: number, planned: number, share: number) => void = () => {},
): Promise<{ mp3: Uint8Array<ArrayBuffer>; durationMs: number } | undefined> {
  const sampleRateHz = mp3SampleRate(voice.sampleRateHz, bitRateKbps);
  const spoken = await synthesizeSegments(workers, voice, text, sampleRateHz, onProgress);
  if (spoken.length === 0) return undefined;
  const { title } = text;
  const tags = { language: voice.language, ...(title === null ? {} : { title }) };
  const segments = spoken.map(({ frames, frameCount }) => ({
    byteLength: frames.byteLength,
    frameCount,
  }));
  const header = buildFileHeader({ segments, sampleRateHz, bitRateKbps, tags });
  return {
    mp3: Buffer.concat([header.bytes, ...spoken.map(({ frames }) => frames)]),
    durationMs: (header.durationSamples / sampleRateHz) * 1000,
  };
}

/** How the sound of a text is to come. */
export type Encoding = Pick<SynthesisParams, 'sampleRateHz' | 'bitRateKbps' | 'isPcm'>;

/**
 * Yields the audio of a text sentence by sentence; each is synthesized when it is requested.
 * @returns MP3 frames or PCM, without any header; nothing when nothing of the text can be spoken
 * @throws WorkerDied; AppError of the worker
 */
export async function* streamSegments(
  workers: Pick<WorkerPool, 'call'>,
  voice: SynthesisVoice,
  text: SynthesisInput,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const { segments } of planBatches(workers, voice, text)) {
    for (const segment of segments) {
      const question = buildSynthesisParams(voice, segment, text.speed, encoding);
      yield (await workers.call('speak', question)).frames;
    }
  }
}

async function synthesizeSegments(
  workers: Pick<WorkerPool, 'call'>,
  voice: SynthesisVoice,
  text: SynthesisInput,
  sampleRateHz: number,
  onProgress: (done: number, planned: number, share: number) => void,
): Promise<SynthesizedSegment[]> {
  const encoding = { sampleRateHz, bitRateKbps };
  const spoken: Promise<SynthesizedSegment>[] = [];
  let done = 0;
  for await (const { segments, share } of planBatches(workers, voice, text)) {
    for (const planned of segments) {
      const question = buildSynthesisParams(voice, planned, text.speed, encoding);
      const segment = workers.call('speak', question).finally(() => {
        done += 1;
        onProgress(done, spoken.length, (share * done) / spoken.length);
      });
      // Awaited in order below; until then a failure must not count as nobody's.
      segment.catch(() => {});
      spoken.push(segment);
    }
  }
  return Promise.all(spoken);
}

/** Share: how much of the text is planned with a batch and those before it. */
async function* planBatches(
  workers: Pick<WorkerPool, 'call'>,
  { files, language }: SynthesisVoice,
  { title, content, aliases = [] }: SynthesisInput,
): AsyncGenerator<{ segments: readonly PlannedSegment[]; share: number }, undefined> {
  const { sentences } = await workers.call('read', { title, content, language, aliases });
  let planned = 0;
  for (const batch of batchSentences(sentences)) {
    const { segments } = await workers.call('plan', { voice: files, sentences: batch });
    planned += batch.length;
    yield { segments, share: planned / sentences.length };
  }
}

function buildSynthesisParams(
  { files, speaker, gainDb }: SynthesisVoice,
  { ids, audiblePhonemes, pauseMs, rate = 1 }: PlannedSegment,
  speed = 1,
  encoding: Encoding,
): SynthesisParams {
  return {
    voice: files,
    speaker,
    ids,
    audiblePhonemes,
    pauseMs: Math.round(pauseMs / speed),
    gainDb,
    ...encoding,
    inferenceCount: 1,
    speed: speed * rate,
  };
}
