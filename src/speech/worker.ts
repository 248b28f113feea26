import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { useNativeFolder } from '../build/native.ts';
import { dieWithParent } from '../build/processes.ts';
import { AppError } from '../errors.ts';
import { measureGain, trimEdges } from './encode/loudness.ts';
import { encodeSegment, mp3SampleRate } from './encode/mp3.ts';
import { readDocument } from './extract/document.ts';
import { languageFor } from './normalize/languages.ts';
import type { ForeignLanguages } from './passages.ts';
import { createEspeakPhonemizer } from './phonemize/phonemizer.ts';
import { previewSentences, pronounceWords } from './preview.ts';
import { createLexicon } from './pronunciation/lexicon.ts';
import { unknownWords } from './pronunciation/unknown-words.ts';
import { planInVoices, planSegments } from './segments.ts';
import { readSentences, silentSentence } from './sentences.ts';
import { speakSegment } from './synthesize/synthesize-segment.ts';
import type { VoiceConfig } from './synthesize/voice-config.ts';
import {
  loadVoice,
  phonemeIdsMax,
  probeVoice,
  readVoice,
  readVoiceConfig,
  type VoiceFiles,
  type VoiceModel,
  voiceContentHash,
} from './synthesize/voice-model.ts';
import {
  loadedVoicesMax,
  type Reply,
  type Request,
  type TaskName,
  type Tasks,
} from './worker-protocol.ts';

/** What a voice reads when its loudness is measured: about half a minute of ordinary news. */
const calibrationText = `<p>The council voted on Tuesday evening to keep the old library open through the winter.
Residents had gathered more than two thousand signatures, and many of them came to the meeting.</p>
<p>The mayor thanked everyone who spoke. She said the building needs a new roof, new windows and a lift before the autumn.
Work could begin as early as next month, if the weather stays dry.</p>
<p>Who will pay for it? The region has promised half of the money, and a local company will give the rest.
Until then, the reading room opens at nine in the morning and closes at six.</p>`;

const knownConfigsMax = 100;
/** The server answers requests first. */
const niceness = 10;
const lowestNiceness = 19;

/**
 * The body of a worker process: answers one request at a time until its parent goes away.
 * @param nativeFolders where native libraries may be unpacked, best first
 */
export function runWorker(nativeFolders: readonly string[]): void {
  for (const folder of nativeFolders) useNativeFolder(folder);
  lowerPriority(niceness);
  dieWithParent();
  // Ctrl-C reaches the whole group; the parent decides when its workers go.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  process.on('message', (request: Request) => {
    // Where no reply can be sent, the parent is to see that this worker has ended.
    answer(request)
      .then((reply) => process.send?.(reply))
      .catch(() => process.exit(1));
  });
}

function lowerPriority(to: number): void {
  try {
    setPriority(to);
  } catch {
    // A sandbox may forbid it; the work is the same.
  }
}

interface LoadedVoice {
  readonly model: VoiceModel;
  /** The compiled file it was to be loaded from, whether that could be used or not; undefined: there was none. */
  readonly compiledStamp: string | undefined;
}

const phonemizer = createEspeakPhonemizer();
const voices = new Map<string, LoadedVoice>();
let voiceLoads = 0;
/** By content, like the voices: the file may be another one by now. */
const configs = new Map<string, VoiceConfig>();

const tasks: {
  [Name in TaskName]: (question: Tasks[Name]['question']) => Promise<Tasks[Name]['answer']>;
} = {
  read: async (question) => {
    const { title, content, language, aliases = [], reading, wantsUnknownWords = false } = question;
    const document = readDocument(title === null ? { content } : { title, content }, reading);
    const lexicon = createLexicon(aliases);
    const own = languageFor(language);
    const foreign = foreignLanguages(question.foreign);
    const { sentences, leftOut, coverage } = readSentences(document, own, lexicon, foreign);
    return {
      sentences,
      leftOut: [...document.leftOut, ...leftOut],
      coverage,
      unknownWords: wantsUnknownWords ? unknownWords(sentences, language, lexicon) : [],
    };
  },

  plan: async (question) => {
    const plan = await planInVoices(question.sentences, configsOf(question), phonemizer);
    return {
      segments: plan.segments,
      silent: plan.silent.map((sentence) => question.sentences.indexOf(sentence)),
      leftOut: plan.silent.map(silentSentence),
      unknownSymbols: [...plan.unknownSymbols],
    };
  },

  preview: async (question) => {
    const preview = await previewSentences(question.sentences, configsOf(question), phonemizer);
    return {
      sentences: preview.sentences,
      leftOut: preview.silent.map(silentSentence),
      unknownSymbols: [...preview.unknownSymbols],
    };
  },

  pronounce: async ({ voice, language, words }) => ({
    words: await pronounceWords(words, language, configOf(voice), phonemizer),
  }),

  speak: async (question) => speakSegment(await loaded(question.voice), question),

  load: async ({ voice }) => {
    const model = await loaded(voice);
    await warmUp(model);
    return { sampleRateHz: model.config.sampleRateHz };
  },

  examine: async (files) => {
    const { model, config } = readVoice(files);
    const contentHash = voiceContentHash(model, config);
    const voice = await loaded({ ...files, contentHash });
    // Whether it can be given phonemes shows before somebody's article has none.
    await phonemizer.phonemes(['1'], voice.config);
    return { contentHash, config: voice.config };
  },

  probe: async ({ voice }) => {
    await probeVoice(await loaded(voice));
    return null;
  },

  measure: async ({ voice, speaker }) => {
    const model = await loaded(voice);
    const phrases = await calibrationIds(model);
    const started = performance.now();
    const spoken: Float32Array[] = [];
    for (const ids of phrases) {
      const samples = await model.speak(ids, speaker);
      spoken.push(trimEdges(samples, model.config.sampleRateHz));
    }
    const seconds = (performance.now() - started) / 1000;
    const sampleCount = spoken.reduce((sum, samples) => sum + samples.length, 0);
    return {
      gainDb: measureGain(spoken, model.config.sampleRateHz),
      realTimeFactor: seconds / (sampleCount / model.config.sampleRateHz),
    };
  },

  compile: async ({ voice, into }) => {
    // Whatever is spoken meanwhile goes first.
    lowerPriority(lowestNiceness);
    const { compileVoice } = await import('./optimize/optimize.ts');
    return compileVoice(voice, into);
  },
};

function foreignLanguages(asked: Tasks['read']['question']['foreign'] = []): ForeignLanguages {
  return new Map(
    asked.map(({ language, aliases }) => [
      language,
      { language: languageFor(language), lexicon: createLexicon(aliases) },
    ]),
  );
}

async function answer(request: Request): Promise<Reply> {
  const head = () => ({
    id: request.id,
    state: { rssBytes: process.memoryUsage.rss(), voices: [...voices.keys()], voiceLoads },
  });
  try {
    // The table's entry and the question belong together by their name; the type system can't follow that.
    const task = tasks[request.task] as (
      question: Request['question'],
    ) => Promise<Tasks[TaskName]['answer']>;
    const result = await task(request.question);
    return { ...head(), answer: result };
  } catch (error) {
    const { code, message } =
      error instanceof AppError ? error : new AppError('operation_failed', describe(error));
    return { ...head(), error: { code, message } };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function loaded(files: VoiceFiles): Promise<VoiceModel> {
  const { contentHash } = files;
  const compiledStamp = stampOf(files.compiled);
  const known = voices.get(contentHash);
  // Whichever of the two is loaded, it is the same voice: only for a newly compiled one it is loaded again.
  if (known && (compiledStamp === undefined || compiledStamp === known.compiledStamp)) {
    // Put to the end: the first one is the one that waits longest.
    voices.delete(contentHash);
    voices.set(contentHash, known);
    return known.model;
  }
  const [oldest] = voices.keys();
  if (known !== undefined) await unload(contentHash);
  else if (oldest !== undefined && voices.size >= loadedVoicesMax) await unload(oldest);
  const model = await loadVoice(files);
  voices.set(contentHash, { model, compiledStamp });
  voiceLoads += 1;
  // What it was read into is as large as the voice, and several times so.
  Bun.gc(true);
  return model;
}

async function unload(contentHash: string): Promise<void> {
  const voice = voices.get(contentHash);
  voices.delete(contentHash);
  await voice?.model.close();
}

/** @returns what is another one when a file was compiled anew; undefined where there is no file */
function stampOf(compiled: VoiceFiles['compiled']): string | undefined {
  if (compiled === undefined) return undefined;
  const status = statSync(compiled.path, { throwIfNoEntry: false });
  return status === undefined ? undefined : `${compiled.sha256} ${status.mtimeMs}`;
}

/** @returns the voice that speaks a language in what is planned; undefined: the article's own */
function configsOf({ voice, foreign = [] }: Tasks['plan']['question']) {
  return (language: string | undefined) =>
    configOf(foreign.find((one) => one.language === language)?.voice ?? voice);
}

/** What planning needs of a voice; no model is loaded for it. */
function configOf(files: VoiceFiles): VoiceConfig {
  const known = voices.get(files.contentHash)?.model.config ?? configs.get(files.contentHash);
  if (known !== undefined) return known;
  const config = readVoiceConfig(files);
  if (configs.size >= knownConfigsMax) configs.clear();
  configs.set(files.contentHash, config);
  return config;
}

/** Phonemizer, voice and encoder are slower the first time: better now than in somebody's first sentence. */
async function warmUp(model: VoiceModel): Promise<void> {
  const [ids] = await calibrationIds(model);
  if (ids === undefined) return;
  const { sampleRateHz } = model.config;
  const samples = trimEdges(await model.speak(ids, 0), sampleRateHz);
  encodeSegment(samples, {
    sampleRateHz: mp3SampleRate(sampleRateHz, 64),
    bitRateKbps: 64,
    pauseMs: 0,
  });
}

async function calibrationIds(model: VoiceModel): Promise<number[][]> {
  const document = readDocument({ content: calibrationText });
  const { sentences } = readSentences(document, languageFor('en'));
  const { segments } = await planSegments(sentences, model.config, phonemizer);
  return segments.map(({ ids }) => ids.slice(0, phonemeIdsMax));
}
