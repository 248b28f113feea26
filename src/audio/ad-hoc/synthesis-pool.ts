import { AppError } from '../../errors.ts';
import { type SynthesisInput, type SynthesisVoice, synthesizeText } from '../../speech/synthesize-text.ts';
import type { WorkerPool } from '../../speech/worker-pool.ts';
import { WorkerCrashedError } from '../../speech/worker-process.ts';
import { textTasks } from '../../speech/worker-protocol.ts';
import { withCrashRetry } from '../pending-segments.ts';
import type { Task, WorkScheduler, WorkSource } from '../work-scheduler.ts';

const maxCrashes = 3;
const maxConcurrentTexts = 32;
const maxConcurrentTextsPerSite = 16;
/** Texts that a site may have however many others have. */
const reservedTextsPerSite = 2;

/** Runs worker tasks for texts that become no posts; they share the workers with the posts. */
export class SynthesisPool {
  readonly #scheduler: WorkScheduler;
  readonly #slots = new Set<SynthesisSlot>();
  #lastId = 0;

  constructor(scheduler: WorkScheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Reserves a slot for a text. The tasks of a slot run one at a time, alternating with those of other slots of its site.
   * @param siteId null: the installation
   * @param signal when it aborts, waiting tasks are dropped, and a running one loses its worker
   * @throws AppError `busy`
   */
  acquire(siteId: number | null, signal?: AbortSignal): SynthesisSlot {
    const ofSite = [...this.#slots].filter((slot) => slot.siteId === siteId);
    const isFull = this.#slots.size >= maxConcurrentTexts && ofSite.length >= reservedTextsPerSite;
    const isSiteFull = siteId !== null && ofSite.length >= maxConcurrentTextsPerSite;
    if (isFull || isSiteFull) {
      throw new AppError('busy', 'Too many concurrent synthesis requests');
    }
    this.#lastId += 1;
    const slot = new SynthesisSlot(this.#scheduler, this.#lastId, siteId, signal, () => this.#slots.delete(slot));
    this.#slots.add(slot);
    return slot;
  }

  /**
   * Synthesizes a whole text in a slot of its own.
   * @returns the MP3; undefined when the text has nothing to speak
   * @throws AppError `busy`, or an error of the worker
   */
  async synthesize(
    siteId: number | null,
    voice: SynthesisVoice,
    text: SynthesisInput,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const slot = this.acquire(siteId, signal);
    try {
      return (await synthesizeText(slot, voice, text))?.mp3;
    } finally {
      slot.release();
    }
  }
}

interface WaitingTask extends Task {
  readonly isText: boolean;
  readonly voiceHash: string | undefined;
  reject(error: unknown): void;
}

/** The tasks of one text. */
export class SynthesisSlot implements WorkSource {
  readonly id: number;
  readonly siteId: number | null;
  readonly priority = 'interactive';
  readonly virtualTime = 0;
  readonly #scheduler: WorkScheduler;
  readonly #signal: AbortSignal | undefined;
  readonly #onRelease: () => void;
  readonly #waiting: WaitingTask[] = [];
  #isRunning = false;

  constructor(
    scheduler: WorkScheduler,
    id: number,
    siteId: number | null,
    signal: AbortSignal | undefined,
    onRelease: () => void,
  ) {
    this.id = id;
    this.siteId = siteId;
    this.#scheduler = scheduler;
    this.#signal = signal;
    this.#onRelease = onRelease;
    signal?.addEventListener('abort', this.#drop, { once: true });
    scheduler.add(this);
  }

  get hasWork(): boolean {
    return !this.#isRunning && this.#waiting.length > 0;
  }

  get isTextNext(): boolean {
    return this.#waiting[0]?.isText === true;
  }

  get nextVoiceHash(): string | undefined {
    return this.#waiting[0]?.voiceHash;
  }

  nextTask(): Task | undefined {
    const task = this.#waiting.shift();
    if (task === undefined) return undefined;
    this.#isRunning = true;
    this.#scheduler.rotate(this);
    const run = async () => {
      await task.run();
      // The caller adds its next task first: else that waits for a task of others.
      await new Promise(setImmediate);
      this.#isRunning = false;
    };
    return { ...task, run };
  }

  /** @throws AppError `busy` after the signal aborted, `validation_failed` where the text is at fault */
  readonly call: WorkerPool['call'] = (task, params) => {
    const metered = this.#scheduler.createCall(() => this);
    const isCancelled = () => this.#signal?.aborted === true;
    const workers: Pick<WorkerPool, 'call'> = {
      call: (name, values) => metered(name, values, this.#signal === undefined ? {} : { signal: this.#signal }),
    };
    return new Promise((resolve, reject) => {
      const run = () =>
        withCrashRetry(
          workers,
          maxCrashes,
          isCancelled,
        )(task, params).then(resolve, (error: unknown) => reject(this.#toAppError(error)));
      const needsModel = task === 'speak' && 'voice' in params;
      const voiceHash = needsModel ? params.voice.contentHash : undefined;
      this.#waiting.push({ characters: 0, run, reject, isText: textTasks.has(task), voiceHash });
      if (isCancelled()) this.#drop();
      else this.#scheduler.fill();
    });
  };

  /** May be called more than once. */
  release(): void {
    this.#signal?.removeEventListener('abort', this.#drop);
    this.#waiting.length = 0;
    this.#scheduler.remove(this);
    this.#onRelease();
  }

  readonly #drop = (): void => {
    for (const { reject } of this.#waiting.splice(0)) reject(this.#toAppError(undefined));
  };

  #toAppError(error: unknown): unknown {
    // Nobody receives it.
    if (this.#signal?.aborted) return new AppError('busy', 'Client disconnected');
    if (error instanceof WorkerCrashedError) return new AppError('busy', 'Speech worker stopped. Try again later');
    const isTextAtFault = error instanceof AppError && error.code === 'operation_failed';
    return isTextAtFault ? new AppError('validation_failed', error.message) : error;
  }
}
