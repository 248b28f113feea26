import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VoiceFiles } from '../../../src/speech/voice/voice-model.ts';
import { builtinVoices } from '../../../src/voices/builtin.ts';
import { temporaryFolder } from '../../fixtures/server.ts';
import { article, type BenchArticle, excerpt } from '../article.ts';
import { benchVoice, canMakeVoices, neededPackages } from '../bench-voice.ts';
import { type Measured, median, number } from '../figure.ts';
import { preparedData, voiceOf } from '../prepared-data.ts';
import { compareVoice, type Result } from './compare-voice.ts';
import { installedPeers } from './install.ts';
import { likenessOf } from './same-sound.ts';

/** A voice of the comparison. */
interface Subject {
  readonly name: string;
  readonly isBuiltin: boolean;
  readonly modelPath: () => string;
  /** The slower the voice, the shorter. */
  readonly article: BenchArticle;
  readonly roundsMax: number;
}

const subjects: readonly Subject[] = [
  {
    name: 'built-in',
    isBuiltin: true,
    modelPath: () => builtinVoices[0]?.modelPath ?? '',
    article: article(0),
    roundsMax: Infinity,
  },
  ...(['x_low', 'medium', 'high'] as const).map((quality) => ({
    name: quality,
    isBuiltin: false,
    modelPath: () => benchVoice(quality).modelPath,
    article: excerpt(0, quality === 'high' ? [1] : [5]),
    roundsMax: quality === 'high' ? 3 : Infinity,
  })),
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
export async function comparePeers(
  rounds: number,
): Promise<{ blocks: Block[]; measured: Measured[] }> {
  const peers = installedPeers();
  if (peers === undefined) process.stderr.write(' sherpa-onnx-node left out, needs npm …');
  const canMake = canMakeVoices();
  if (!canMake) process.stderr.write(` made voices left out, need ${neededPackages} …`);
  const blocks: Block[] = [];
  const measured: Measured[] = [];
  for (const subject of subjects.filter(({ isBuiltin }) => isBuiltin || canMake)) {
    const folder = join(temporaryFolder(), subject.name);
    mkdirSync(folder);
    const modelPath = subject.modelPath();
    const data = await preparedData(subject.isBuiltin ? undefined : modelPath);
    const voice = voiceOf(data, modelPath);
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

const others = [
  { name: 'bare', as: 'bare onnxruntime-node', min: 1.3 },
  { name: 'sherpa', as: 'sherpa-onnx-node', min: 1.4 },
] as const;
const withTarget: readonly string[] = ['x_low', 'medium'];

/** @returns the engine's speed against each of the others, on one worker */
function ratios(voice: string, results: readonly Result[]): Measured[] {
  const speedsOf = (wanted: Result['name']) =>
    results.find(({ name }) => name === wanted)?.speeds[0]?.perCpuS ?? [];
  const own = speedsOf('lectern');
  return others.flatMap(({ name, as, min }) => {
    const other = speedsOf(name);
    if (other.length === 0) return [];
    return {
      name: `Engine: audio per CPU second against ${as}, ${voice}`,
      unit: '×' as const,
      values: own.map((speed, round) => speed / (other[round] ?? Number.NaN)),
      ...(withTarget.includes(voice) && { min }),
      detail: `${number(median(own))} s against ${number(median(other))} s`,
    };
  });
}

async function likeness(
  { name, article: text }: Subject,
  voice: VoiceFiles,
  folder: string,
): Promise<Measured> {
  const { decibels, lengths } = await likenessOf(voice, text, folder);
  return {
    name: `Engine: sound against that of the exported model, noise off, ${name}`,
    unit: 'dB',
    values: [Math.min(...decibels)],
    min: 100,
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
