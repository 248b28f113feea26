import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cpuFingerprint } from '../../src/speech/optimize/outcome.ts';
import { identifyVoice } from '../../src/speech/synthesize/voice-model.ts';
import { openOptimizerCache } from '../../src/voices/optimizer-cache.ts';
import { decodeMp3 } from '../fixtures/decode.ts';
import { createTemporaryFolder, program, runCommand, runProcess, serverEnvironment } from '../fixtures/server.ts';
import { requireTool } from '../fixtures/tools.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const folder = createTemporaryFolder();
const text = 'The ferry leaves at noon. It returns in the evening.';

/** Paths are relative to the working folder. */
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(before));

/** Tone voices, as the measurement of a built-in voice takes several times the CPU time. */
const voices = join(folder, 'voices');
/** Data folder with their measured loudness. */
const data = join(folder, 'remembered');
const voiceEnv = { LECTERN_WORKERS: '1', LECTERN_DATA: data, LECTERN_VOICES: voices };
beforeAll(async () => {
  mkdirSync(data);
  await writeVoice(voices, 'en_US-chimes-low', createToneVoice({ sampleRateHz: 16_000 }));
  await writeVoice(voices, 'en_US-tones-low', createToneVoice({ sampleRateHz: 22_050 }));
});

/** Runs `lectern say` in this process. */
function say(words: string[], env: Record<string, string> = {}) {
  return runCommand(['say', ...words], { env: { ...voiceEnv, ...env } });
}

describe('lectern say', () => {
  test('writes an MP3 of a text, without a server and without a data folder', async () => {
    const { code, stdout, stderr } = await runProcess(['say', text, '-o', 'text.mp3'], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^text\.mp3: \d+\.\d s of speech in \d+\.\d s\n$/);
    const path = join(folder, 'text.mp3');
    const { samples, warnings } = await decodeMp3(path);
    expect(warnings).toBe('');
    expect(samples.length).toBeGreaterThan(24_000 * 2);
    expect(readdirSync(folder)).not.toContain('data');
  });

  test('speaks the title and then the text of a file', async () => {
    await Bun.write(join(folder, 'article.html'), `<p>${text}</p><script>alert(1)</script>`);
    const words = ['article.html', '--voice', 'tones', '--json'];
    const plain = await say([...words, '-o', 'file.mp3']);
    const titled = await say([...words, '-o', 'titled.mp3', '--title', 'A ferry']);
    const [without, withTitle] = [plain, titled].map(({ code, stdout, stderr }) => {
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as { file: string; duration_seconds: number; took_seconds: number };
    });
    expect(without).toEqual({
      ...{ file: 'file.mp3', duration_seconds: expect.any(Number) },
      took_seconds: expect.any(Number),
    });
    expect(withTitle?.duration_seconds).toBeGreaterThan((without?.duration_seconds ?? 0) + 0.5);
    const mp3 = await Bun.file(join(folder, 'titled.mp3')).bytes();
    const { samples, sampleRateHz } = await decodeMp3(mp3);
    expect(samples.length / sampleRateHz).toBeCloseTo(withTitle?.duration_seconds ?? 0, 3);
    expect(Buffer.from(mp3.subarray(0, 500)).toString()).toContain('A ferry');
  });

  test('finds a voice by a part of its name or by its number, also in the voices folder', async () => {
    const sounds = await Promise.all(
      ['Tones', 'en_US-CHIMES', '2'].map(async (voice, index) => {
        const { code, stderr } = await say([text, '-o', `${index}.mp3`, '--voice', voice]);
        expect([code, stderr]).toEqual([0, '']);
        return decodeMp3(join(folder, `${index}.mp3`));
      }),
    );
    expect(sounds.map(({ sampleRateHz }) => sampleRateHz)).toEqual([22_050, 16_000, 24_000]);
    // With the first voice.
    const { samples } = await decodeMp3(join(folder, 'text.mp3'));
    expect(sounds[2]?.samples.length).not.toBe(samples.length);
  });

  test('measures a voice once, and stores the result in the data folder if there is one', async () => {
    const data = createTemporaryFolder();
    await writeVoice(join(data, 'voices'), 'en_US-tones-low', createToneVoice({ sampleRateHz: 16_000 }));
    const measureLevel = async () => {
      const { code, stderr } = await say([text, '-o', 'level.mp3', '--voice', 'tones'], {
        ...{ LECTERN_DATA: data, LECTERN_VOICES: join(data, 'voices') },
      });
      expect([code, stderr]).toEqual([0, '']);
      const { samples } = await decodeMp3(join(folder, 'level.mp3'));
      return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
    };
    const measured = await measureLevel();
    const remembered = Bun.file(join(data, 'loudness.json'));
    const { format, gains } = await remembered.json();
    const [[contentHash, gainDb] = ['', Number.NaN]] = Object.entries<number>(gains);
    // The stored measurement is used: a gain 20 dB lower makes the voice quieter by that.
    await Bun.write(remembered, JSON.stringify({ format, gains: { [contentHash]: gainDb - 20 } }));
    expect(measured / (await measureLevel())).toBeWithin(9, 11);
    await Bun.write(remembered, '{"format":');
    expect(measured / (await measureLevel())).toBeCloseTo(1, 2);
    expect(await remembered.json()).toEqual({ format, gains });
  });

  test('uses the optimized model in the data folder, whatever the name of the voice', async () => {
    const data = createTemporaryFolder();
    const tones = createToneVoice({ sampleRateHz: 16_000 });
    const files = await writeVoice(join(data, 'voices'), 'en_US-tones-low', tones);
    const measureDuration = async () => {
      const words = [text, '-o', 'optimized.mp3', '--voice', 'tones', '--data', data, '--json'];
      const { code, stdout, stderr } = await say(words, {
        ...{ LECTERN_OPTIMIZE_VOICES: 'on', LECTERN_VOICES: join(data, 'voices') },
      });
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout).duration_seconds as number;
    };
    const original = await measureDuration();
    const { contentHash } = identifyVoice(files);
    const cache = openOptimizerCache(join(data, 'optimized'), cpuFingerprint());
    // Twice the sample rate, so that the duration shows which model was used.
    const slow = createToneVoice({ sampleRateHz: 32_000 }).model ?? new Uint8Array();
    await Bun.write(cache.claim(contentHash) ?? '', slow);
    const sha256 = new Bun.CryptoHasher('sha256').update(slow).digest('hex');
    await cache.save(contentHash, {
      ...{ outcome: 'optimized', snr_db: 120, speed_ratio: 1.4 },
      ...{ sha256, byte_count: slow.byteLength },
    });
    expect((await measureDuration()) / original).toBeGreaterThan(1.5);
  });

  test.each([
    [
      'an unknown voice',
      [text, '-o', 'no.mp3', '--voice', 'bob'],
      'Voice bob not found. Available: en_US-aspen-medium, en_US-cedar-medium, fr_FR-saule-medium, es_ES-encina-medium, es_ES-roble-medium, de_DE-buche-medium, en_US-chimes-low, en_US-tones-low',
    ],
    ['nothing to speak', ['', '-o', 'no.mp3'], 'The content has no speakable text'],
    ['only signs', ['🦊 🦊', '-o', 'no.mp3'], 'The content has no speakable text'],
    ['a folder for a text', ['.', '-o', 'no.mp3'], '. is not a file'],
    ['a missing file', ['no.html', '-o', 'no.mp3'], 'File no.html not found'],
    [
      'a folder that is not there',
      [text, '-o', 'none/no.mp3', '--voice', 'tones'],
      'Cannot write none/no.mp3: its folder does not exist',
    ],
    ['a folder for the MP3', [text, '-o', '.git', '--voice', 'tones'], 'Cannot write .git: it is a folder'],
  ])('fails with one line and leaves no file: %s', async (_, words, line) => {
    await Bun.write(join(folder, '.git', 'keep'), '');
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await say(words);
    expect([code, stdout, stderr]).toEqual([1, '', `lectern: ${line}\n`]);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('shows a progress bar on a terminal', async () => {
    const line = `${program.map((word) => `'${word}'`).join(' ')} say '${text}' -o bar.mp3 --voice tones`;
    const child = Bun.spawn([requireTool('script'), '-qec', line, '/dev/null'], {
      ...{ cwd: folder, env: { ...serverEnvironment, ...voiceEnv }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    });
    const output = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(output).toContain('[##############################] 100 %  sentence 2 of 2');
    expect(output).toContain('bar.mp3: ');
  });
});
