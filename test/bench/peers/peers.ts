import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VoiceFiles } from '../../../src/speech/synthesize/voice-model.ts';
import { builtinVoices } from '../../../src/voices/builtin-voices.ts';
import { createTemporaryFolder } from '../../fixtures/server.ts';
import { type BenchArticle, buildArticle, buildExcerpt } from '../article.ts';
import { canMakeVoices, neededPackages, prepareBenchVoice } from '../bench-voice.ts';
import { computeMedian, formatNumber, type Measured } from '../figure.ts';
import { getPreparedData, getVoice } from '../prepared-data.ts';
import { fetchRealVoice, realVoices } from '../real-voices.ts';
import { compareVoice, type Result } from './compare-voice.ts';
import { installPeers } from './install.ts';
import { compareSound } from './similarity.ts';

type SubjectFiles = Pick<VoiceFiles, 'modelPath' | 'configPath'>;

/** A voice of the comparison. */
interface Subject {
  readonly name: string;
  readonly isBuiltin: boolean;
  /** @throws if it is not available */
  readonly files: () => SubjectFiles | undefined | Promise<SubjectFiles>;
  /** Shorter for slower voices. */
  readonly article: BenchArticle;
  readonly maxRounds: number;
}

/** With trained weights. */
const real = realVoices.map((voice) => ({
  name: `real voice ${voice}`,
  isBuiltin: false,
  files: () => fetchRealVoice(voice),
  article: buildExcerpt(0, [5]),
  maxRounds: Infinity,
}));

/** With random weights. */
const generatedVoices = (['x_low', 'medium', 'high'] as const).map((quality) => ({
  name: quality,
  isBuiltin: false,
  files: () => {
    if (!canMakeVoices()) throw new Error(`needs ${neededPackages}`);
    return prepareBenchVoice(quality);
  },
  article: buildExcerpt(0, quality === 'high' ? [1] : [5]),
  maxRounds: quality === 'high' ? 3 : Infinity,
}));

const subjects: readonly Subject[] = [
  ...real,
  {
    name: 'built-in',
    isBuiltin: true,
    files: () => builtinVoices[0],
    article: buildArticle(0),
    maxRounds: Infinity,
  },
  ...generatedVoices,
];

/** Compares all contenders with one voice. */
export interface Block {
  readonly voice: string;
  readonly rounds: number;
  readonly results: readonly Result[];
}

/**
 * Speed per CPU second and per second of every way to run a Piper voice from JavaScript: plain onnxruntime-node with the
 * exported model, sherpa-onnx-node, the engine of Lectern's workers, and Lectern from POST to ready.
 */
export async function comparePeers(rounds: number): Promise<{ blocks: Block[]; measured: Measured[] }> {
  const peers = installPeers();
  if (peers === undefined) process.stderr.write(' sherpa-onnx-node left out, needs npm …');
  const blocks: Block[] = [];
  const measured: Measured[] = [];
  for (const subject of subjects) {
    const files = await findFiles(subject);
    if (files === undefined) continue;
    const folder = join(createTemporaryFolder(), subject.name);
    mkdirSync(folder);
    const data = await getPreparedData(subject.isBuiltin ? undefined : files.modelPath);
    const voice = getVoice(data, files);
    const ownRounds = Math.min(rounds, subject.maxRounds);
    const results = await compareVoice({
      ...{ voice, folder, peers, article: subject.article, isBuiltin: subject.isBuiltin },
      rounds: ownRounds,
    });
    blocks.push({ voice: subject.name, rounds: ownRounds, results });
    measured.push(
      ...compareSpeeds(subject.name, results),
      await measureLikeness(subject, voice, folder),
      ...compareMemory(subject.name, results),
    );
    process.stderr.write(` ${subject.name} …`);
  }
  return { blocks, measured };
}

/** @returns undefined, with a message, if the voice is not available */
async function findFiles({ name, files }: Subject): Promise<SubjectFiles | undefined> {
  try {
    return await files();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(` ${name} left out: ${reason} …`);
    return undefined;
  }
}

const others = [
  { name: 'bare', as: 'bare onnxruntime-node' },
  { name: 'sherpa', as: 'sherpa-onnx-node' },
] as const;
const ratioMin: Readonly<Record<string, number>> = {
  ...Object.fromEntries(real.map(({ name }) => [name, 1.4])),
  ...{ x_low: 1.4, medium: 1.4 },
};

/** @returns the speed of the engine relative to the others, with one worker */
function compareSpeeds(voice: string, results: readonly Result[]): Measured[] {
  const getSpeeds = (wanted: Result['name']) => results.find(({ name }) => name === wanted)?.speeds[0]?.perCpuS ?? [];
  const lecternSpeeds = getSpeeds('lectern');
  return others.flatMap(({ name, as }) => {
    const min = ratioMin[voice];
    const other = getSpeeds(name);
    if (other.length === 0) return [];
    return {
      name: `Engine: audio per CPU second against ${as}, ${voice}`,
      unit: '×' as const,
      values: lecternSpeeds.map((speed, round) => speed / (other[round] ?? Number.NaN)),
      ...(min !== undefined && { min }),
      detail: `${formatNumber(computeMedian(lecternSpeeds))} s against ${formatNumber(computeMedian(other))} s`,
    };
  });
}

async function measureLikeness({ name, article: text }: Subject, voice: VoiceFiles, folder: string): Promise<Measured> {
  const { decibels, lengths } = await compareSound(voice, text, folder);
  return {
    name: `Engine: sound against that of the exported model, noise off, ${name}`,
    unit: 'dB',
    values: [Math.min(...decibels)],
    min: 60,
    detail: `least of ${lengths.length} sentences of ${lengths[0]} to ${lengths.at(-1)} phoneme ids`,
  };
}

const workerTargetMb = new Map([['medium', 750]]);

function compareMemory(voice: string, results: readonly Result[]): Measured[] {
  const target = workerTargetMb.get(voice);
  const peaks = results.find(({ name }) => name === 'end to end')?.peaks;
  if (target === undefined || peaks === undefined) return [];
  const name = `Memory: highest of a worker with a voice of the quality ${voice}`;
  return [{ name, unit: 'MB', values: [peaks.workerMb], target }];
}
