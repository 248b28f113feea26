import { Counter, Histogram, type Registry } from 'prom-client';
import type { ProductionObserver } from '../audio/production/observer.ts';

const outcomes = ['ready', 'failed', 'replaced', 'retry', 'fault'] as const;
const reasons = ['no_text', 'voice', 'speech', 'internal'] as const;

/** Segments, seconds of sound, and how the making of audios ends. */
export function productionMetrics(registers: Registry[]): ProductionObserver {
  const segments = new Counter({
    name: 'lectern_segments_total',
    help: 'Sentences that got into an audio, spoken by a worker or reused',
    labelNames: ['source'],
    registers,
  });
  const sentences = new Counter({
    name: 'lectern_planned_sentences_total',
    help: 'Sentences that were planned, phonemized by a worker or reused from the version before',
    labelNames: ['source'],
    registers,
  });
  const audioSeconds = new Counter({
    name: 'lectern_spoken_audio_seconds_total',
    help: 'Sound that workers made',
    registers,
  });
  const realTimeFactor = new Histogram({
    name: 'lectern_real_time_factor',
    help: 'Time a segment took in a worker, divided by its sound: below 1 is faster than speech',
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  });
  const generations = new Counter({
    name: 'lectern_generations_total',
    help: 'Makings of an audio that ended, by outcome; replaced: by a newer text or a deletion, retry: tried again later',
    labelNames: ['outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'lectern_generation_failures_total',
    help: 'Audios that failed: no speakable text, an unusable voice, a sentence that cannot be spoken',
    labelNames: ['reason'],
    registers,
  });
  for (const source of ['spoken', 'reused']) segments.inc({ source }, 0);
  for (const source of ['phonemized', 'reused']) sentences.inc({ source }, 0);
  for (const outcome of outcomes) generations.inc({ outcome }, 0);
  for (const reason of reasons) failures.inc({ reason }, 0);
  return {
    spoken: (segment) => {
      segments.inc({ source: 'spoken' });
      audioSeconds.inc(segment.audioSeconds);
      realTimeFactor.observe(segment.workerSeconds / segment.audioSeconds);
    },
    ended: ({ outcome, reason, reusedCount, sentenceCounts }) => {
      segments.inc({ source: 'reused' }, reusedCount);
      sentences.inc({ source: 'phonemized' }, sentenceCounts?.phonemized ?? 0);
      sentences.inc({ source: 'reused' }, sentenceCounts?.reused ?? 0);
      generations.inc({ outcome });
      if (reason !== undefined) failures.inc({ reason });
    },
  };
}
