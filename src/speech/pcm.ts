import type { SegmentEncoding } from './mp3.ts';

const bytesPerSample = 2;
const fullScale = 32_767;
/** What stands for a length that nobody knows yet: the data goes on to the end of the stream. */
const unknownLength = 0xffff_ffff;

/**
 * One sentence and its pause as signed 16-bit samples, the lower byte first.
 * @param samples mono PCM, −1…1; beyond, it clips
 */
export function encodePcm(
  samples: Float32Array,
  { sampleRateHz, pauseMs }: Pick<SegmentEncoding, 'sampleRateHz' | 'pauseMs'>,
): { frames: Uint8Array; frameCount: number } {
  const frameCount = samples.length + Math.round((pauseMs * sampleRateHz) / 1000);
  const frames = new Uint8Array(frameCount * bytesPerSample);
  const view = new DataView(frames.buffer);
  for (let i = 0; i < samples.length; i++) {
    const sample = Math.round((samples[i] ?? 0) * fullScale);
    view.setInt16(i * bytesPerSample, Math.max(-fullScale, Math.min(fullScale, sample)), true);
  }
  return { frames, frameCount };
}

/** The head of a WAV file of mono samples of 16 bits, for a stream: how much of them follows, it doesn't say. */
export function wavStreamHeader(sampleRateHz: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(unknownLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRateHz, 24);
  header.writeUInt32LE(sampleRateHz * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(unknownLength, 40);
  return header;
}
