import { statSync } from 'node:fs';
import { addNativeFolder } from '../build/native.ts';
import { exitWithParent, lowerPriority } from '../build/processes.ts';
import { AppError, operationFailed } from '../errors.ts';
import type { ForeignLanguages } from './block-spans.ts';
import { measureGain, trimEdges } from './encode/loudness.ts';
import { encodeSegment, mp3SampleRate } from './encode/mp3.ts';
import { extractDocument } from './extract/document.ts';
import { getLanguage } from './normalize/languages.ts';
import { createEspeakPhonemizer } from './phonemize/phonemizer.ts';
import { previewSentences, pronounceWords } from './preview.ts';
import { createReplacer } from './pronunciation/replacer.ts';
import { findUnknownWords } from './pronunciation/unknown-words.ts';
import { planSegments, planSegmentsByVoice } from './segments.ts';
import { buildSentences, createSilentLeftOut } from './sentences.ts';
import { synthesizeSegment } from './synthesize/synthesize-segment.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';
import {
  identifyVoice,
  loadVoice,
  readVoiceConfig,
  smokeTestVoice,
  type VoiceFiles,
  type VoiceModel,
} from './synthesize/voice-model.ts';
import {
  maxLoadedVoices,
  type TaskName,
  type Tasks,
  type WorkerRequest,
  type WorkerResponse,
} from './worker-protocol.ts';

/** Text for the measurement of loudness: about half a minute of news. */
const calibrationText = `<p>The council voted on Tuesday evening to keep the old library open through the winter.
Residents had gathered more than two thousand signatures, and many of them came to the meeting.</p>
<p>The mayor thanked everyone who spoke. She said the building needs a new roof, new windows and a lift before the autumn.
Work could begin as early as next month, if the weather stays dry.</p>
<p>Who will pay for it? The region has promised half of the money, and a local company will give the rest.
Until then, the reading room opens at nine in the morning and closes at six.</p>`;

const maxCachedConfigs = 100;
/** The server answers requests first. */
const niceness = 10;
const maxNiceness = 19;

/**
 * The body of a worker process: handles one request at a time until its parent ends.
 * @param nativeFolders for unpacked native libraries, in order of preference
 */
export function runWorker(nativeFolders: readonly string[]): void {
  for (const folder of nativeFolders) addNativeFolder(folder);
  lowerPriority(niceness);
  exitWithParent();
  // Ctrl-C reaches the whole process group; the parent stops its workers.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  process.on('message', (request: WorkerRequest) => {
    // If no reply can be sent, the parent learns of it from the exit.
    handleRequest(request)
      .then((reply) => process.send?.(reply))
      .catch(() => process.exit(1));
  });
}

interface LoadedVoice {
  readonly model: VoiceModel;
  /** Of the optimized file, usable or not; undefined without one. */
  readonly optimizedStamp: string | undefined;
}

const phonemizer = createEspeakPhonemizer();
const voices = new Map<string, LoadedVoice>();
let voiceLoads = 0;
/** By content hash: the file may have changed. */
const configs = new Map<string, VoiceConfig>();

const taskHandlers: {
  [Name in TaskName]: (params: Tasks[Name]['params']) => Promise<Tasks[Name]['result']>;
} = {
  read: async (params) => {
    const { title, content, contentType, language, aliases = [], reading, wantsUnknownWords = false } = params;
    const document = extractDocument({ content, title: title ?? '', contentType: contentType ?? 'text/html' }, reading);
    const rules = getLanguage(language);
    const lexicon = createReplacer(aliases, rules.code);
    const foreign = createForeignLanguages(params.foreign);
    const { sentences, leftOut, coverage } = buildSentences(document, rules, lexicon, foreign);
    return {
      sentences,
      leftOut: [...document.leftOut, ...leftOut],
      coverage,
      unknownWords: wantsUnknownWords ? findUnknownWords(sentences, language, lexicon) : [],
    };
  },

  plan: async (params) => {
    const plan = await planSegmentsByVoice(params.sentences, createConfigLookup(params), phonemizer);
    return {
      segments: plan.segments,
      silent: plan.silent.map((sentence) => params.sentences.indexOf(sentence)),
      leftOut: plan.silent.map(createSilentLeftOut),
      unknownSymbols: [...plan.unknownSymbols],
    };
  },

  preview: async (params) => {
    const preview = await previewSentences(params.sentences, createConfigLookup(params), phonemizer);
    return {
      sentences: preview.sentences,
      leftOut: preview.silent.map(createSilentLeftOut),
      unknownSymbols: [...preview.unknownSymbols],
    };
  },

  pronounce: async ({ voice, language, words }) => ({
    words: await pronounceWords(words, language, getConfig(voice), phonemizer),
  }),

  speak: async (params) => synthesizeSegment(await getLoadedVoice(params.voice), params),

  load: async ({ voice }) => {
    const model = await getLoadedVoice(voice);
    await warmUp(model);
    return { sampleRateHz: model.config.sampleRateHz };
  },

  examine: async (files) => {
    const { contentHash } = identifyVoice(files);
    const voice = await getLoadedVoice({ ...files, contentHash });
    // Fails now for an unknown espeak-ng voice, not at the first article.
    await phonemizer.phonemize(['1'], voice.config);
    return { contentHash, config: voice.config };
  },

  probe: async ({ voice }) => {
    await smokeTestVoice(await getLoadedVoice(voice));
    return null;
  },

  measure: async ({ voice, speaker }) => {
    const model = await getLoadedVoice(voice);
    const phrases = await buildCalibrationIds(model);
    const started = performance.now();
    const spoken: Float32Array[] = [];
    for (const ids of phrases) {
      const { samples } = await model.synthesize(ids, speaker);
      spoken.push(trimEdges(samples, model.config.sampleRateHz));
    }
    const seconds = (performance.now() - started) / 1000;
    const sampleCount = spoken.reduce((sum, samples) => sum + samples.length, 0);
    return {
      gainDb: measureGain(spoken, model.config.sampleRateHz),
      realTimeFactor: seconds / (sampleCount / model.config.sampleRateHz),
    };
  },

  ping: async () => null,

  optimize: async ({ voice, into }) => {
    // Synthesis in other workers goes first.
    lowerPriority(maxNiceness);
    const { optimizeVoice } = await import('./optimize/optimize.ts');
    return optimizeVoice(voice, into);
  },
};

function createForeignLanguages(spans: Tasks['read']['params']['foreign'] = []): ForeignLanguages {
  return new Map(
    spans.map(({ language, aliases }) => [
      language,
      { language: getLanguage(language), replacer: createReplacer(aliases, language) },
    ]),
  );
}

async function handleRequest(request: WorkerRequest): Promise<WorkerResponse> {
  const head = () => ({
    id: request.id,
    state: { rssBytes: process.memoryUsage.rss(), voices: [...voices.keys()], voiceLoads },
  });
  try {
    // The types cannot express that handler and params have the same task.
    const task = taskHandlers[request.task] as (params: WorkerRequest['params']) => Promise<Tasks[TaskName]['result']>;
    const result = await task(request.params);
    return { ...head(), result };
  } catch (error) {
    const { code, message } = error instanceof AppError ? error : operationFailed(describeError(error));
    return { ...head(), error: { code, message } };
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function getLoadedVoice(files: VoiceFiles): Promise<VoiceModel> {
  const { contentHash } = files;
  const optimizedStamp = readStamp(files.optimized);
  const loaded = voices.get(contentHash);
  // Both files are the same voice: it is reloaded only for a new optimized file.
  if (loaded && (optimizedStamp === undefined || optimizedStamp === loaded.optimizedStamp)) {
    // Moves it to the end: the first one is the least recently used.
    voices.delete(contentHash);
    voices.set(contentHash, loaded);
    return loaded.model;
  }
  const [oldest] = voices.keys();
  if (loaded !== undefined) await unloadVoice(contentHash);
  else if (oldest !== undefined && voices.size >= maxLoadedVoices) await unloadVoice(oldest);
  const model = await loadVoice(files);
  voices.set(contentHash, { model, optimizedStamp });
  voiceLoads += 1;
  // Loading leaves several buffers of the size of the voice.
  Bun.gc(true);
  return model;
}

async function unloadVoice(contentHash: string): Promise<void> {
  const voice = voices.get(contentHash);
  voices.delete(contentHash);
  await voice?.model.close();
}

/** @returns a value that changes with the file; undefined without a file */
function readStamp(optimized: VoiceFiles['optimized']): string | undefined {
  if (optimized === undefined) return undefined;
  const status = statSync(optimized.path, { throwIfNoEntry: false });
  return status === undefined ? undefined : `${optimized.sha256} ${status.mtimeMs}`;
}

/** @returns a lookup by language of a span; undefined: the main language */
function createConfigLookup({ voice, foreign = [] }: Tasks['plan']['params']) {
  return (language: string | undefined) =>
    getConfig(foreign.find((part) => part.language === language)?.voice ?? voice);
}

/** Planning needs no model. */
function getConfig(files: VoiceFiles): VoiceConfig {
  const cached = voices.get(files.contentHash)?.model.config ?? configs.get(files.contentHash);
  if (cached !== undefined) return cached;
  const config = readVoiceConfig(files);
  if (configs.size >= maxCachedConfigs) configs.clear();
  configs.set(files.contentHash, config);
  return config;
}

/** Phonemizer, voice and encoder are slower at their first use. */
async function warmUp(model: VoiceModel): Promise<void> {
  const [ids] = await buildCalibrationIds(model, 1);
  if (ids === undefined) return;
  const { sampleRateHz } = model.config;
  const { samples } = await model.synthesize(ids, 0);
  encodeSegment(trimEdges(samples, sampleRateHz), {
    sampleRateHz: mp3SampleRate(sampleRateHz, 64),
    bitRateKbps: 64,
    pauseMs: 0,
  });
}

async function buildCalibrationIds(model: VoiceModel, sentenceCount?: number): Promise<number[][]> {
  const document = extractDocument({ content: calibrationText });
  const { sentences } = buildSentences(document, getLanguage('en'));
  const { segments } = await planSegments(sentences.slice(0, sentenceCount), model.config, phonemizer);
  return segments.map(({ ids }) => ids.slice(0, model.config.maxIds));
}
