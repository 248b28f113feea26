import { AppError } from '../../errors.ts';
import { sayText } from '../../speech/say.ts';
import type { VoiceConfig } from '../../speech/voice/voice-config.ts';
import type { VoiceFiles } from '../../speech/voice/voice-model.ts';
import { WorkerDied } from '../../speech/worker-process.ts';
import { startWorkers, type Workers, type WorkersOptions } from '../../speech/workers.ts';
import { sampleSentence } from '../sample.ts';

/** What takes longer speaks slower than anybody could listen, even on a busy machine. */
const stepSecondsMax = 75;
/** A voice that needs more of a worker's memory would end every worker that speaks it. */
const memoryShareMax = 2;

/** What a voice was found to be. */
export interface Inspected {
  readonly contentHash: string;
  readonly config: VoiceConfig;
  readonly gainDb: number;
  /** Seconds of work for a second of sound. */
  readonly realTimeFactor: number;
  /** A sentence of its language, as MP3. */
  readonly sample: Uint8Array<ArrayBuffer>;
}

/** Where every voice passes that is to be installed, by whatever way it came. */
export interface Gate {
  /**
   * Reads, probes, measures and hears a voice in a child of its own: a hostile file costs that child, its time and
   * its memory, and nothing else.
   * @param check looks at the config before the model is measured; what it throws ends the inspection
   * @throws AppError `bad_voice` with the reason in one line
   */
  inspect(
    files: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
    check: (config: VoiceConfig) => void,
  ): Promise<Inspected>;
}

export function createGate(options: Omit<WorkersOptions, 'count'>): Gate {
  const child = {
    ...options,
    count: 1,
    deadlineS: Math.min(options.deadlineS, stepSecondsMax),
    hardMemoryMb: options.memoryMb * memoryShareMax,
  };
  return {
    inspect: async (files, check) => {
      const workers = startWorkers(child);
      try {
        return await inspect(workers, files, check);
      } catch (error) {
        throw badVoice(error);
      } finally {
        await workers.stop();
      }
    },
  };
}

async function inspect(
  workers: Workers,
  paths: Pick<VoiceFiles, 'modelPath' | 'configPath'>,
  check: (config: VoiceConfig) => void,
): Promise<Inspected> {
  const { contentHash, config } = await workers.ask('examine', paths);
  check(config);
  const files = { ...paths, contentHash };
  await workers.ask('probe', { voice: files });
  const { gainDb, realTimeFactor } = await workers.ask('measure', { voice: files, speaker: 0 });
  const { language, sampleRateHz } = config;
  const voice = { files, speaker: 0, gainDb, language, sampleRateHz };
  const said = await sayText(workers, voice, { content: sampleSentence(language), title: null });
  if (said === undefined) throw new AppError('bad_voice', 'it can say nothing');
  return { contentHash, config, gainDb, realTimeFactor, sample: said.mp3 };
}

/** The child died of this voice alone: nothing else was asked of it. */
function badVoice(error: unknown): unknown {
  if (error instanceof WorkerDied) {
    return new AppError('bad_voice', `to load it and let it speak fails: ${error.message}`);
  }
  if (error instanceof AppError && error.code === 'operation_failed') {
    return new AppError('bad_voice', error.message);
  }
  return error;
}
