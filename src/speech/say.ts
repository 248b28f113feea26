import type { Alias } from './lexicon.ts';
import { fileHeader } from './mp3/file-header.ts';
import { mp3SampleRate } from './mp3.ts';
import type { SpokenSegment } from './tasks.ts';
import type { VoiceFiles } from './voice-model.ts';
import type { Workers } from './workers.ts';

const bitRateKbps = 64;
const sentencesPerPlan = 50;

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

async function speakAll(
  workers: Pick<Workers, 'ask'>,
  voice: SpeakingVoice,
  { title, content, speed = 1, aliases = [] }: SaidText,
  sampleRateHz: number,
  onProgress: (done: number, planned: number, share: number) => void,
): Promise<SpokenSegment[]> {
  const { files, speaker, gainDb, language } = voice;
  const { sentences } = await workers.ask('read', { title, content, language, aliases });
  const spoken: Promise<SpokenSegment>[] = [];
  let done = 0;
  for (let start = 0; start < sentences.length; start += sentencesPerPlan) {
    const batch = sentences.slice(start, start + sentencesPerPlan);
    const { segments } = await workers.ask('plan', { voice: files, sentences: batch });
    const share = (start + batch.length) / sentences.length;
    for (const { ids, soundingCount, pauseMs } of segments) {
      const segment = workers
        .ask('speak', {
          voice: files,
          speaker,
          ids,
          soundingCount,
          pauseMs: Math.round(pauseMs / speed),
          gainDb,
          sampleRateHz,
          bitRateKbps,
          inferenceCount: 1,
          speed,
        })
        .finally(() => {
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
