import { describe, expect, test } from 'bun:test';
import { encodeSegment } from '../../src/speech/encode/mp3.ts';
import { buildFileHeader } from '../../src/speech/encode/mp3-header.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createSpeechLikeNoise } from '../fixtures/noise.ts';

const sampleRateHz = 22_050;
const bitRateKbps = 64;
const frameSamples = 576;

function encode(sampleRate: number): { frames: Uint8Array; frameCount: number } {
  return encodeSegment(createSpeechLikeNoise(sampleRate * 2, sampleRate), {
    ...{ sampleRateHz: sampleRate, bitRateKbps, pauseMs: 200 },
  });
}

const { frames, frameCount } = encode(sampleRateHz);
const { bytes: head } = buildFileHeader({
  ...{ sampleRateHz, bitRateKbps, tags: { title: 'Grüße' } },
  segments: [{ byteLength: frames.length, frameCount }],
});
const mp3 = Buffer.concat([head, frames]);
/** A frame in the middle: its first byte and the first one after it. 64 kbit/s at 22,050 Hz are 208 or 209 bytes. */
const [frameStart, frameEnd] = findFrame(mp3.length >> 1);

function findFrame(offset: number): [number, number] {
  const isStart = (at: number) => mp3[at] === 0xff && ((mp3[at + 1] ?? 0) & 0xfe) === 0xf2;
  let start = offset;
  while (!isStart(start)) start += 1;
  return [start, isStart(start + 208) ? start + 208 : start + 209];
}

function removeBytes(from: number, to: number): Buffer {
  return Buffer.concat([mp3.subarray(0, from), mp3.subarray(to)]);
}

function insertBytes(at: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([mp3.subarray(0, at), bytes, mp3.subarray(at)]);
}

function changeByte(at: number, value: number): Buffer {
  const changed = Buffer.from(mp3);
  changed[at] = value;
  return changed;
}

describe('decodeMp3', () => {
  test('returns no warning for an intact file, with or without header', async () => {
    const whole = await decodeMp3(mp3);
    expect(whole).toMatchObject({ sampleRateHz, warnings: '' });
    expect(whole.samples.length).toBe(frameCount * frameSamples - 1105);
    const bare = await decodeMp3(frames);
    expect(bare.warnings).toBe('');
    expect(bare.samples.length).toBe(frameCount * frameSamples);
  });

  test.each([
    ['a frame is missing', removeBytes(frameStart, frameEnd), 'frames, of'],
    ['a frame is there twice', insertBytes(frameEnd, mp3.subarray(frameStart, frameEnd)), 'of'],
    ['a byte is missing', removeBytes(frameStart + 40, frameStart + 41), 'no frame at byte'],
    ['a few bytes are too many', insertBytes(frameStart, Buffer.alloc(100, 7)), 'no frame at'],
    ['many bytes are too many', insertBytes(frameStart, Buffer.alloc(3000, 7)), 'mpg123: '],
    ['the head of a frame is spoilt', changeByte(frameStart, 0), `no frame at byte ${frameStart}`],
    ['it ends within a frame', mp3.subarray(0, frameStart + 50), `byte ${frameStart} is cut`],
    ['it ends between two frames', mp3.subarray(0, frameStart), 'frames, of'],
    ['something follows', Buffer.concat([mp3, Buffer.alloc(300, 9)]), `no frame at byte`],
    ['the rate changes', insertBytes(frameStart, encode(16_000).frames), '16000 Hz'],
    ['its header tells another length', changeByte(mp3.indexOf('Info') + 11, 1), 'frames, of 1'],
  ])('warns when %s', async (_damage, damaged, warning) => {
    expect((await decodeMp3(damaged)).warnings).toContain(warning);
  });

  test('rejects other files', async () => {
    await expect(decodeMp3(Buffer.from('no sound '.repeat(500)))).rejects.toThrow('no sound');
    await expect(decodeMp3(new Uint8Array())).rejects.toThrow('no sound');
  });
});
