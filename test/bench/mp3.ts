import { Mp3Encoder } from '@breezystack/lamejs';
import { trimEdges } from '../../src/speech/encode/loudness.ts';
import { encodeSegment, mp3SampleRate } from '../../src/speech/encode/mp3.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { identifyVoice, loadVoice } from '../../src/speech/synthesize/voice-model.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import { buildArticle } from './article.ts';
import { computeMedian, type Figure, formatNumber } from './figure.ts';

const bitRateKbps = 64;
/** Block size of the encoder. */
const lamejsSlab = 9216;

/** CPU time of the MP3 of an article: LAME in WebAssembly compared with its JavaScript port, alternating. */
export const mp3: Figure = {
  name: 'mp3',
  measure: async ({ rounds }) => {
    const { segments, sampleRateHz } = await synthesizeSegments();
    const encodeOwn = (samples: Float32Array) => encodeSegment(samples, { sampleRateHz, bitRateKbps, pauseMs: 0 });
    const encodePort = (samples: Float32Array) => encodeWithLamejs(samples, sampleRateHz);
    const sides = { own: [] as number[], port: [] as number[] };
    // One extra round as a warm-up of the compilers.
    for (let round = 0; round <= rounds; round += 1) {
      const ownCpuS = measureCpuSeconds(() => segments.forEach(encodeOwn));
      const portCpuS = measureCpuSeconds(() => segments.forEach(encodePort));
      if (round === 0) continue;
      sides.own.push(ownCpuS);
      sides.port.push(portCpuS);
    }
    const audioS = segments.reduce((sum, { length }) => sum + length, 0) / sampleRateHz;
    return [
      {
        name: 'MP3: audio encoded per CPU second against lamejs',
        unit: '×',
        values: sides.port.map((cpuS, round) => cpuS / (sides.own[round] ?? Number.NaN)),
        detail: `${formatNumber(audioS / computeMedian(sides.own))} s against ${formatNumber(audioS / computeMedian(sides.port))} s`,
      },
    ];
  },
};

async function synthesizeSegments() {
  const [builtin] = builtinVoices;
  if (builtin === undefined) throw new Error('no built-in voice');
  const voice = await loadVoice({ ...builtin, contentHash: identifyVoice(builtin).contentHash });
  const { sampleRateHz } = voice.config;
  const { sentences } = buildSentences(extractDocument(buildArticle(0)), getLanguage('en'));
  const planned = await planSegments(sentences, voice.config, createEspeakPhonemizer());
  const segments: Float32Array[] = [];
  for (const { ids } of planned.segments) {
    const { samples } = await voice.synthesize(ids, 0);
    segments.push(trimEdges(samples, sampleRateHz));
  }
  await voice.close();
  return { segments, sampleRateHz: mp3SampleRate(sampleRateHz, bitRateKbps) };
}

function encodeWithLamejs(samples: Float32Array, sampleRateHz: number): void {
  const encoder = new Mp3Encoder(1, sampleRateHz, bitRateKbps);
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
  for (let start = 0; start < pcm.length; start += lamejsSlab) {
    encoder.encodeBuffer(pcm.subarray(start, start + lamejsSlab));
  }
}

function measureCpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
