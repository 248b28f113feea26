import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VoiceFiles } from '../../../src/speech/synthesize/voice-model.ts';
import { builtinVoices } from '../../../src/voices/builtin-voices.ts';
import { temporaryFolder } from '../../fixtures/server.ts';
import { article, type BenchArticle, excerpt } from '../article.ts';
import { benchVoice, canMakeVoices, neededPackages } from '../bench-voice.ts';
import { type Measured, median, number } from '../figure.ts';
import { preparedData, voiceOf } from '../prepared-data.ts';
import { realVoice, realVoices } from '../real-voices.ts';
import { compareVoice, type Result } from './compare-voice.ts';
import { installedPeers } from './install.ts';
import { likenessOf } from './same-sound.ts';

type SubjectFiles = Pick<VoiceFiles, 'modelPath' | 'configPath'>;

/** A voice of the comparison. */
interface Subject {
  readonly name: string;
  readonly isBuiltin: boolean;
  /** @throws when it can't be had here */
  readonly files: () => SubjectFiles | undefined | Promise<SubjectFiles>;
  /** The slower the voice, the shorter. */
  readonly article: BenchArticle;
  readonly roundsMax: number;
}

/** Of weights that people trained. */
const real = realVoices.map((voice) => ({
  name: `real voice ${voice}`,
  isBuiltin: false,
  files: () => realVoice(voice),
  article: excerpt(0, [5]),
  roundsMax: Infinity,
}));

/** Of random weights. */
const made = (['x_low', 'medium', 'high'] as const).map((quality) => ({
  name: quality,
  isBuiltin: false,
  files: () => {
    if (!canMakeVoices()) throw new Error(`needs ${neededPackages}`);
    return benchVoice(quality);
  },
  article: excerpt(0, quality === 'high' ? [1] : [5]),
  roundsMax: quality === 'high' ? 3 : Infinity,
}));

const subjects: readonly Subject[] = [
  ...real,
  {
    name: 'built-in',
    isBuiltin: true,
    files: () => builtinVoices[0],
    article: article(0),
    roundsMax: Infinity,
  },
  ...made,
];

/** All that speak with one voice. */
export interface Block {
  readonly voice: string;
  readonly rounds: number;
  readonly results: readonly Result[];
}

/**
 * What a CPU second and a wall second bring, of everything with which a Piper voice can be run from JavaScript: the bare
 * onnxruntime-node on the model as it was exported, sherpa-onnx-node, the engine of Lectern's workers, and Lectern from
 * POST to ready.
 */
export async function comparePeers(rounds: number): Promise<{ blocks: Block[]; measured: Measured[] }> {
  const peers = installedPeers();
  if (peers === undefined) process.stderr.write(' sherpa-onnx-node left out, needs npm …');
  const blocks: Block[] = [];
  const measured: Measured[] = [];
  for (const subject of subjects) {
    const files = await foundFiles(subject);
    if (files === undefined) continue;
    const folder = join(temporaryFolder(), subject.name);
    mkdirSync(folder);
    const data = await preparedData(subject.isBuiltin ? undefined : files.modelPath);
    const voice = voiceOf(data, files);
    const ownRounds = Math.min(rounds, subject.roundsMax);
    const results = await compareVoice({
      ...{ voice, folder, peers, article: subject.article, isBuiltin: subject.isBuiltin },
      rounds: ownRounds,
    });
    blocks.push({ voice: subject.name, rounds: ownRounds, results });
    measured.push(
      ...ratios(subject.name, results),
      await likeness(subject, voice, folder),
      ...memory(subject.name, results),
    );
    process.stderr.write(` ${subject.name} …`);
  }
  return { blocks, measured };
}

/** @returns undefined, and says so, where the voice can't be had on this machine */
async function foundFiles({ name, files }: Subject): Promise<SubjectFiles | undefined> {
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

/** @returns the engine's speed against each of the others, on one worker */
function ratios(voice: string, results: readonly Result[]): Measured[] {
  const speedsOf = (wanted: Result['name']) => results.find(({ name }) => name === wanted)?.speeds[0]?.perCpuS ?? [];
  const own = speedsOf('lectern');
  return others.flatMap(({ name, as }) => {
    const min = ratioMin[voice];
    const other = speedsOf(name);
    if (other.length === 0) return [];
    return {
      name: `Engine: audio per CPU second against ${as}, ${voice}`,
      unit: '×' as const,
      values: own.map((speed, round) => speed / (other[round] ?? Number.NaN)),
      ...(min !== undefined && { min }),
      detail: `${number(median(own))} s against ${number(median(other))} s`,
    };
  });
}

async function likeness({ name, article: text }: Subject, voice: VoiceFiles, folder: string): Promise<Measured> {
  const { decibels, lengths } = await likenessOf(voice, text, folder);
  return {
    name: `Engine: sound against that of the exported model, noise off, ${name}`,
    unit: 'dB',
    values: [Math.min(...decibels)],
    min: 60,
    detail: `least of ${lengths.length} sentences of ${lengths[0]} to ${lengths.at(-1)} phoneme ids`,
  };
}

const workerTargetMb = new Map([['medium', 750]]);

function memory(voice: string, results: readonly Result[]): Measured[] {
  const target = workerTargetMb.get(voice);
  const peaks = results.find(({ name }) => name === 'end to end')?.peaks;
  if (target === undefined || peaks === undefined) return [];
  const name = `Memory: highest of a worker with a voice of the quality ${voice}`;
  return [{ name, unit: 'MB', values: [peaks.workerMb], target }];
}
