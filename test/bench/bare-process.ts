import { setPriority } from 'node:os';
import { CEILING_DBTP, fadeEdges, limit, trimEdges } from '../../src/speech/encode/loudness.ts';
import { encodeSegment, mp3SampleRate } from '../../src/speech/encode/mp3.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { type PlannedSegment, planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { loadVoice, type VoiceFiles } from '../../src/speech/synthesize/voice-model.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import type { BenchArticle } from './article.ts';

/** Cost of the bare work of an article. */
export interface BareCost {
  readonly inferenceCpuS: number;
  readonly encodingCpuS: number;
  readonly segments: readonly {
    /** Wall time of its inference and encoding. */
    readonly ms: number;
    readonly mp3Bytes: number;
  }[];
}

/** Every `parts`-th segment of an article, starting at `part`. */
export interface BareRequest {
  readonly article: BenchArticle;
  readonly part: number;
  readonly parts: number;
}

const bitRateKbps = 64;
/** Priority of speech workers, so that both sides are scheduled equally. */
const niceness = 10;

/**
 * The unavoidable work only: for each segment of an article the inference of its phoneme ids and the encoding of its
 * samples. Extraction, planning and loudness run, too, but are not counted.
 * Argument: the built-in voice as passed to a worker, as JSON.
 */
setPriority(niceness);
const [builtin] = builtinVoices;
if (builtin === undefined) throw new Error('no built-in voice');
const model = await loadVoice(JSON.parse(process.argv[2] ?? '') as VoiceFiles);
const { sampleRateHz } = model.config;
const mp3RateHz = mp3SampleRate(sampleRateHz, bitRateKbps);
const { gainDb } = builtin;
const phonemizer = createEspeakPhonemizer();

process.on('disconnect', () => process.exit(0));
const respond = async ({ article, part, parts }: BareRequest): Promise<void> => {
  const { sentences } = buildSentences(extractDocument(article), getLanguage('en'));
  const { segments } = await planSegments(sentences, model.config, phonemizer);
  process.send?.(await measureCost(segments.filter((_, index) => index % parts === part)));
};
process.on('message', (request: BareRequest) => {
  respond(request).catch(() => process.exit(1));
});
process.send?.('ready');

async function measureCost(planned: readonly PlannedSegment[]): Promise<BareCost> {
  let inferenceCpuS = 0;
  let encodingCpuS = 0;
  const segments: { ms: number; mp3Bytes: number }[] = [];
  for (const { ids, pauseMs } of planned) {
    const inference = await measureTime(() => model.synthesize(ids, 0));
    const trimmed = trimEdges(inference.result.samples, sampleRateHz);
    const samples = fadeEdges(limit(trimmed, gainDb, CEILING_DBTP, sampleRateHz), sampleRateHz);
    const encoding = await measureTime(() => encodeSegment(samples, { sampleRateHz: mp3RateHz, bitRateKbps, pauseMs }));
    inferenceCpuS += inference.cpuS;
    encodingCpuS += encoding.cpuS;
    segments.push({
      ms: inference.ms + encoding.ms,
      mp3Bytes: encoding.result.frames.byteLength,
    });
  }
  return { inferenceCpuS, encodingCpuS, segments };
}

async function measureTime<T>(work: () => T | Promise<T>) {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const result = await work();
  const ms = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { result, ms, cpuS: (user + system) / 1e6 };
}
