import type { Log } from '../../log.ts';
import type { Workers } from '../../speech/workers.ts';
import type { Catalog, InstalledVoice } from '../catalog.ts';
import type { Compilation, CompiledCache } from './cache.ts';
import type { Compiler } from './compiler.ts';

const usualPauses = {
  /** So long nobody has asked for anything before a voice is compiled. */
  lookMs: 5_000,
  /** A server that is never idle for so long gains most: it goes on beside the speech, at the lowest priority. */
  patienceMs: 5 * 60_000,
  /** What could not be written is tried again after it. */
  retryMs: 15 * 60_000,
};

interface CompilingDeps {
  readonly catalog: Catalog;
  readonly cache: CompiledCache;
  readonly compiler: Compiler;
  /** Whose rest is waited for. */
  readonly workers: Pick<Workers, 'history'>;
  readonly log: Log;
  /** Told of a voice that speaks faster from now on. */
  readonly onCompiled: (voice: InstalledVoice) => Promise<void>;
}

/**
 * Has every installed voice compiled for this machine, one at a time, when nothing is spoken. What failed before this server
 * is tried once more: there may be more memory or time for it now.
 * @returns what ends it
 */
export function keepCompiled(deps: CompilingDeps, pauses = usualPauses): () => Promise<void> {
  const { catalog, cache, compiler, workers, log, onCompiled } = deps;
  const setAside = new Map<string, number>();
  /** Content hashes of the voices that this server has compiled, or could not. */
  const judged = new Set<string>();
  let tasksBefore = Number.NaN;
  let waitingSince: number | undefined;
  let isLooking = false;
  let compiling: Promise<void> | undefined;
  let isStopped = false;
  /** Whether what is left of voices that are gone was deleted. */
  let isForgotten = false;

  const compile = async (voice: InstalledVoice): Promise<void> => {
    const { contentHash } = voice.files;
    try {
      const found = await compiler.compile(voice.files);
      if (found === undefined) return;
      judged.add(contentHash);
      const what =
        found.outcome === 'compiled' ? 'a voice was compiled' : 'a voice stays as it came';
      log.info({ voice: voice.stem, ...shown(found) }, what);
      if (found.outcome === 'compiled') await onCompiled(voice);
    } catch (error) {
      setAside.set(contentHash, performance.now() + pauses.retryMs);
      log.warn({ err: error, voice: voice.stem }, 'a voice could not be compiled just now');
    }
  };
  const nextOf = (voices: readonly InstalledVoice[]): InstalledVoice | undefined => {
    const due = voices.filter(
      ({ files }) => (setAside.get(files.contentHash) ?? 0) < performance.now(),
    );
    const found = ({ files }: InstalledVoice) => cache.find(files.contentHash);
    return (
      due.find((voice) => found(voice) === undefined) ??
      due.find((voice) => isFailed(found(voice)) && !judged.has(voice.files.contentHash))
    );
  };
  const look = async (): Promise<void> => {
    const tasks = taskCount(workers);
    const isIdle = tasks === tasksBefore;
    tasksBefore = tasks;
    await catalog.settled();
    if (isStopped) return;
    const voices = await catalog.voices();
    if (!isForgotten) cache.keepOnly(voices.map(({ files }) => files.contentHash));
    isForgotten = true;
    const next = nextOf(voices);
    if (next === undefined) {
      waitingSince = undefined;
      return;
    }
    waitingSince ??= performance.now();
    if (!isIdle && performance.now() - waitingSince <= pauses.patienceMs) return;
    compiling = compile(next);
    await compiling;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'voices could not be looked over'))
      .finally(() => {
        isLooking = false;
      });
  }, pauses.lookMs);

  return async () => {
    clearInterval(timer);
    isStopped = true;
    await compiler.stop();
    // Not the look: new voices are still being examined then, one after another.
    await compiling;
  };
}

function taskCount(workers: Pick<Workers, 'history'>): number {
  const counts = [...workers.history().tasks.values()];
  return counts.reduce((sum, { done, failed, died }) => sum + done + failed + died, 0);
}

function isFailed(found: Compilation | undefined): boolean {
  return found?.outcome === 'original' && found.reason === 'failed';
}

function shown(found: Compilation): object {
  const { outcome, snrDb, speedRatio } = found;
  return {
    outcome,
    ...(found.outcome === 'original' && { reason: found.reason }),
    snrDb,
    speedRatio,
  };
}
