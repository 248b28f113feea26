import { mp3SampleRate } from './encode/mp3.ts';
import { fileHeader } from './encode/mp3-header.ts';
import type { Alias } from './pronunciation/lexicon.ts';
import type { PlannedSegment } from './segments.ts';
import { batchesOf } from './segments.ts';
import type { VoiceFiles } from './synthesize/voice-model.ts';
import type { Workers } from './worker-pool.ts';
import type { SpeakQuestion, SpokenSegment } from './worker-protocol.ts';

const bitRateKbps = 64;

/** What is needed to speak with a voice. */
export interface SpeakingVoice {
  readonly files: VoiceFiles;
  readonly speaker: number;
  readonly gainDb: number;
  readonly language: string;
  readonly sampleRateHz: number;
}

/** A text to be said at once; nothing of it is kept. */
export interface SaidText {
  /** Plain text or HTML. */
  readonly content: string;
  /** Spoken first. */
  readonly title: string | null;
  /** 1 unless named; 2 is twice as fast. */
  readonly speed?: number;
  /** What is said instead of words. */
  readonly aliases?: readonly Alias[];
}

/**
 * Makes a whole MP3 of a text, without queue and database.
 * @param onProgress told after each sentence how many of those planned so far are done, and the share of the whole
 * @returns undefined when nothing of the text can be spoken
 * @throws WorkerDied; AppError of the worker
 */
export async function sayText(
  workers: Pick<Workers, 'ask'>,
  voice: SpeakingVoice,
  text: SaidText,
  onProgress: (done: number, planned: number, share: number) => void = () => {},
): Promise<{ mp3: Uint8Array<ArrayBuffer>; durationMs: number } | undefined> {
  const sampleRateHz = mp3SampleRate(voice.sampleRateHz, bitRateKbps);
  const spoken = await speakAll(workers, voice, text, sampleRateHz, onProgress);
  if (spoken.length === 0) return undefined;
  const { title } = text;
  const tags = { language: voice.language, ...(title === null ? {} : { title }) };
  const segments = spoken.map(({ frames, frameCount }) => ({
    byteLength: frames.byteLength,
    frameCount,
  }));
  const header = fileHeader({ segments, sampleRateHz, bitRateKbps, tags });
  return {
    mp3: Buffer.concat([header.bytes, ...spoken.map(({ frames }) => frames)]),
    durationMs: (header.durationSamples / sampleRateHz) * 1000,
  };
}

/** How the sound of a text is to come. */
export type Encoding = Pick<SpeakQuestion, 'sampleRateHz' | 'bitRateKbps' | 'isPcm'>;

/**
 * The sound of a text sentence by sentence, each made only when it is asked for.
 * @returns MP3 frames or PCM, without any header; nothing when nothing of the text can be spoken
 * @throws WorkerDied; AppError of the worker
 */
export async function* speakInOrder(
  workers: Pick<Workers, 'ask'>,
  voice: SpeakingVoice,
  text: SaidText,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const { segments } of plannedBatches(workers, voice, text)) {
    for (const segment of segments) {
      const question = speakQuestion(voice, segment, text.speed, encoding);
      yield (await workers.ask('speak', question)).frames;
    }
  }
}

async function speakAll(
  workers: Pick<Workers, 'ask'>,
  voice: SpeakingVoice,
  text: SaidText,
  sampleRateHz: number,
  onProgress: (done: number, planned: number, share: number) => void,
): Promise<SpokenSegment[]> {
  const encoding = { sampleRateHz, bitRateKbps };
  const spoken: Promise<SpokenSegment>[] = [];
  let done = 0;
  for await (const { segments, share } of plannedBatches(workers, voice, text)) {
    for (const planned of segments) {
      const question = speakQuestion(voice, planned, text.speed, encoding);
      const segment = workers.ask('speak', question).finally(() => {
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
async function* plannedBatches(
  workers: Pick<Workers, 'ask'>,
  { files, language }: SpeakingVoice,
  { title, content, aliases = [] }: SaidText,
): AsyncGenerator<{ segments: readonly PlannedSegment[]; share: number }, undefined> {
  const { sentences } = await workers.ask('read', { title, content, language, aliases });
  let planned = 0;
  for (const batch of batchesOf(sentences)) {
    const { segments } = await workers.ask('plan', { voice: files, sentences: batch });
    planned += batch.length;
    yield { segments, share: planned / sentences.length };
  }
}

function speakQuestion(
  { files, speaker, gainDb }: SpeakingVoice,
  { ids, soundingCount, pauseMs }: PlannedSegment,
  speed: number | undefined,
  encoding: Encoding,
): SpeakQuestion {
  return {
    voice: files,
    speaker,
    ids,
    soundingCount,
    pauseMs: Math.round(pauseMs / (speed ?? 1)),
    gainDb,
    ...encoding,
    inferenceCount: 1,
    speed: speed ?? 1,
  };
}
