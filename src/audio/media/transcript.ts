import type { PodcastTranscript, Timings } from '../schema.ts';

type Segment = Timings['segments'][number];

/** @returns WebVTT, a cue for each sentence, on the timeline that players show */
export function webVtt(sentences: readonly Segment[]): string {
  const cues = withText(sentences).map(
    ({ start_ms, end_ms, text }, index) =>
      `${index + 1}\n${clock(start_ms)} --> ${clock(end_ms)}\n${escaped(text)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** @returns a transcript as the Podcast Index describes it: seconds */
export function podcastTranscript(sentences: readonly Segment[]): PodcastTranscript {
  return {
    version: '1.0.0',
    segments: withText(sentences).map(({ start_ms, end_ms, text }) => ({
      startTime: start_ms / 1000,
      endTime: end_ms / 1000,
      body: text,
    })),
  };
}

function withText(sentences: readonly Segment[]) {
  return sentences.flatMap(({ text = '', ...times }) => {
    // An empty line would end a cue.
    const line = text.replace(/[\s\0]+/g, ' ').trim();
    return line === '' || times.end_ms <= times.start_ms ? [] : [{ ...times, text: line }];
  });
}

function clock(ms: number): string {
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0');
  const hours = padded(Math.floor(ms / 3_600_000), 2);
  const minutes = padded(Math.floor(ms / 60_000) % 60, 2);
  const seconds = padded(Math.floor(ms / 1000) % 60, 2);
  return `${hours}:${minutes}:${seconds}.${padded(ms % 1000, 3)}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
