/// <reference path="./piper-wasm.d.ts" />

import { basename } from 'node:path';
import phonemizerData from '@diffusionstudio/piper-wasm/build/piper_phonemize.data' with { type: 'file' };
import createPhonemizer, { type PiperPhonemizer } from '@diffusionstudio/piper-wasm/build/piper_phonemize.js';
import phonemizerWasm from '@diffusionstudio/piper-wasm/build/piper_phonemize.wasm' with { type: 'file' };
import { releaseEmbeddedPages } from '../../build/release-pages.ts';
import { AppError } from '../../errors.ts';
import type { VoiceConfig } from '../synthesize/voice-config.ts';
import { mapSymbols } from '../synthesize/voice-config.ts';

/** The module's stack is small; a longer input runs over it, and what comes out then is wrong without a word. */
const maxInputBytesPerCall = 8_000;
/** Each byte of input uses up about twenty of the module's 16 MB for good, so it is renewed in time. */
const maxInputBytesPerModule = 250_000;
/** What the build of the module calls the function that moves its stack pointer. */
const stackAllocExport = 'B';

/** Turns spoken words into the phonemes a voice was trained on. */
export interface Phonemizer {
  /**
   * @param texts spoken words, a sentence each
   * @returns for each text its phonemes, one symbol each; empty where nothing sounds
   */
  phonemize(texts: readonly string[], voice: VoiceConfig): Promise<string[][]>;
}

/** Piper's own phonemizer (espeak-ng) in WebAssembly. One call costs about 1 ms, so batches pay. */
export function createEspeakPhonemizer(): Phonemizer {
  let module: PhonemizerModule | undefined;

  const call = async (texts: readonly string[], espeakVoice: string): Promise<string[][]> => {
    const input = JSON.stringify(texts.map((text) => ({ text })));
    const byteCount = Buffer.byteLength(input);
    if (module === undefined || module.inputBytes + byteCount > maxInputBytesPerModule) {
      module = await loadModule();
    }
    module.inputBytes += byteCount;
    return module.run(espeakVoice, input).map((line) => (JSON.parse(line) as { phonemes: string[] }).phonemes);
  };

  const callSafely = async (texts: readonly string[], espeakVoice: string): Promise<string[][]> => {
    const wasUsed = module !== undefined;
    try {
      const phonemes = await call(texts, espeakVoice);
      if (phonemes.length === texts.length) return phonemes;
      // The program ended early: see `missingPhonemePattern`.
      if (phonemes.length > 0) return [...phonemes, ...(await callSafely(texts.slice(phonemes.length), espeakVoice))];
    } catch {
      // The module aborts as a whole; the text that did it is found below.
    }
    module = undefined;
    // Earlier calls leave too little memory for the Russian dictionary, of 8.5 MB.
    if (wasUsed) return callSafely(texts, espeakVoice);
    if (texts.length <= 1) return texts.map(() => []);
    const half = Math.ceil(texts.length / 2);
    return [
      ...(await callSafely(texts.slice(0, half), espeakVoice)),
      ...(await callSafely(texts.slice(half), espeakVoice)),
    ];
  };

  const names = new Map(usualVoices.map((name) => [name, name]));
  /** Some configs name a region that espeak-ng has no voice of its own for: its `en-gb` is `en`. */
  const knownName = async (espeakVoice: string): Promise<string> => {
    const cached = names.get(espeakVoice);
    if (cached !== undefined) return cached;
    for (const name of [espeakVoice, espeakVoice.split('-')[0] ?? '']) {
      const [phonemes = []] = await callSafely([voiceTestText], name);
      if (phonemes.length === 0) continue;
      names.set(espeakVoice, name);
      return name;
    }
    throw new AppError('bad_voice', `espeak-ng has no voice ${JSON.stringify(espeakVoice)}`);
  };

  const espeakPhonemes = (texts: readonly string[], name: string): Promise<string[][]> =>
    runInBatches(texts, (batch) => callSafely(batch, name));

  return {
    phonemize: async (texts, voice) => {
      const raw =
        voice.phonemeType === 'text'
          ? texts.map((text) => [...text.toLowerCase().normalize('NFD')])
          : await espeakPhonemes(texts, await knownName(voice.espeakVoice));
      return raw.map((phonemes) => mapSymbols(phonemes, voice.phonemeMap));
    },
  };
}

/** Voices of espeak-ng for the supported languages: they need no test, which takes the CPU time of a short article. */
const usualVoices = ['en-us', 'de', 'fr', 'es', 'it', 'pt-br', 'nl', 'pl'];
/** Digits have a name in every language. */
const voiceTestText = '1';

const espeakData = '/espeak-ng-data';
/** The program ends after a text with a phoneme that Piper's default voices lack, and prints its output here instead, for each such phoneme. */
const missingPhonemePattern = /^Missing phoneme: \S+ for: (\{.*\})$/;
/** espeak-ng loads it at the start of each call. */
const initialVoice = 'en';
/** Path of each voice by its name in lower case; it is the same in each module. */
let voicePaths: ReadonlyMap<string, string> | undefined;
let compiledModule: Promise<WebAssembly.Module> | undefined;

interface PhonemizerModule {
  inputBytes: number;
  /** @returns the lines it printed */
  run(espeakVoice: string, input: string): string[];
}

async function loadModule(): Promise<PhonemizerModule> {
  compiledModule ??= Bun.file(phonemizerWasm).bytes().then(WebAssembly.compile);
  const wasm = await compiledModule;
  let lines: string[] = [];
  let stackAlloc: ((byteCount: number) => number) | undefined;
  const module = await createPhonemizer({
    print: (line) => lines.push(line),
    printErr: (line) => {
      const output = missingPhonemePattern.exec(line)?.[1];
      if (output !== undefined && output !== lines.at(-1)) lines.push(output);
    },
    // Else it sets the exit code of this whole program.
    quit: (_status, reason) => {
      throw reason;
    },
    locateFile: (name) => (name.endsWith('.data') ? phonemizerData : phonemizerWasm),
    instantiateWasm: (imports, receive) => {
      const instance = new WebAssembly.Instance(wasm, imports);
      stackAlloc = instance.exports[stackAllocExport] as typeof stackAlloc;
      return receive(instance);
    },
  });
  releaseEmbeddedPages();
  const moveStack = stackAlloc;
  if (moveStack === undefined)
    throw new Error('Loading the phonemizer failed: unexpected build of the WebAssembly module');
  const provideVoice = createVoiceProvider(module.FS);
  provideVoice(initialVoice);
  return {
    inputBytes: 0,
    run: (espeakVoice, input) => {
      lines = [];
      provideVoice(espeakVoice);
      // The module puts its arguments on the stack and leaves them there.
      const top = moveStack(0);
      module.callMain(['-l', espeakVoice, '--input', input, '--espeak_data', espeakData]);
      moveStack(moveStack(0) - top);
      return lines;
    },
  };
}

/**
 * espeak-ng opens the file of a voice by its name only in one folder. For a voice elsewhere it reads the files of all
 * voices, at each call, which takes 10 ms.
 * @returns a function that copies a voice to that folder
 */
function createVoiceProvider(files: PiperPhonemizer['FS']): (espeakVoice: string) => void {
  const provided = new Set<string>();
  voicePaths ??= new Map(listFiles(files, `${espeakData}/lang`).map((path) => [basename(path).toLowerCase(), path]));
  const paths = voicePaths;
  return (espeakVoice) => {
    const name = espeakVoice.toLowerCase();
    const path = paths.get(name);
    if (path === undefined || provided.has(name)) return;
    files.writeFile(`${espeakData}/voices/${name}`, files.readFile(path));
    provided.add(name);
  };
}

function listFiles(files: PiperPhonemizer['FS'], folder: string): string[] {
  const names = files.readdir(folder).filter((name) => !name.startsWith('.'));
  return names
    .map((name) => `${folder}/${name}`)
    .flatMap((path) => (files.isDir(files.stat(path).mode) ? listFiles(files, path) : path));
}

/** Calls with a few texts at a time, so that none gets too much input. */
async function runInBatches(
  texts: readonly string[],
  phonemize: (batch: readonly string[]) => Promise<string[][]>,
): Promise<string[][]> {
  const all: string[][] = [];
  let batch: string[] = [];
  let byteCount = 0;
  for (const text of texts) {
    const textBytes = Buffer.byteLength(JSON.stringify({ text })) + 1;
    if (batch.length > 0 && byteCount + textBytes > maxInputBytesPerCall) {
      all.push(...(await phonemize(batch)));
      batch = [];
      byteCount = 0;
    }
    batch.push(text);
    byteCount += textBytes;
  }
  if (batch.length > 0) all.push(...(await phonemize(batch)));
  return all;
}

/**
 * Piper's encoding: start, a pad after every id, end.
 * @returns the ids, the symbols this voice never learned, and the index of the first id of each phoneme and of the end
 */
export function encodePhonemeIds(
  phonemes: readonly string[],
  voice: VoiceConfig,
): { ids: number[]; unknown: string[]; positions: number[] } {
  const map = voice.phonemeIds;
  const pad = map['_'] ?? [];
  const ids = [...(map['^'] ?? []), ...pad];
  const unknown: string[] = [];
  const positions: number[] = [];
  for (const phoneme of phonemes) {
    positions.push(ids.length);
    const phonemeIds = map[phoneme];
    if (phonemeIds === undefined) unknown.push(phoneme);
    else ids.push(...phonemeIds, ...pad);
  }
  positions.push(ids.length);
  ids.push(...(map['$'] ?? []));
  return { ids, unknown, positions };
}

/** Whether a phoneme takes time: no stress mark, no punctuation, no space. */
export function isAudiblePhoneme(phoneme: string): boolean {
  return /\p{L}/u.test(phoneme) && !/^\p{Lm}/u.test(phoneme);
}

export function countAudiblePhonemes(phonemes: readonly string[]): number {
  return phonemes.filter(isAudiblePhoneme).length;
}
