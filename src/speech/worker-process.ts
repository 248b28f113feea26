import type { Subprocess } from 'bun';
import { countTaskSeconds, readActivity, readResidentBytes } from '../build/processes.ts';
import { buildChildCommand, type Sandbox } from '../build/sandbox/sandbox.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import {
  maxLoadedVoices,
  type TaskName,
  type Tasks,
  textTasks,
  type WorkerRequest,
  type WorkerResponse,
  type WorkerState,
} from './worker-protocol.ts';

/** Memory is released only by ending the process. */
const maxTasksPerWorker = 20_000;
/** A worker does not react during an inference. */
const stopTimeoutMs = 1_500;

const memoryPollIntervalMs = 50;
const activityPollIntervalMs = 250;
/** A task of this length is finished although its caller has left: a new worker would cost more. */
const cancelGraceMs = 500;

/**
 * CPU time limit of a synthesis with a loaded voice: many times what the slowest voices need, in seconds.
 * @param ids number of phoneme ids
 */
const speakCpuLimit = { baseS: 10, perIdS: 0.2 };

/** The worker crashed, was killed, or exceeded a limit. The task may be repeated. */
export class WorkerCrashedError extends Error {
  override readonly name: string = 'WorkerDied';
}

/** The task exceeded a limit of time or memory. */
export class WorkerLimitError extends WorkerCrashedError {
  override readonly name = 'WorkerOverLimit';
  /** Whether a repetition would fail, too. A timeout without use of the CPU is the fault of the worker. */
  readonly isTaskAtFault: boolean;

  constructor(message: string, isTaskAtFault: boolean) {
    super(message);
    this.isTaskAtFault = isTaskAtFault;
  }
}

/** The worker gave no sign of life: stopped, or blocked for ever. */
class WorkerHungError extends WorkerCrashedError {
  override readonly name = 'WorkerHung';
}

/** The caller of the task left. */
export class TaskCancelledError extends WorkerCrashedError {
  override readonly name = 'TaskCancelled';
}

export interface WorkerOptions {
  /** Timeout of a task. */
  readonly deadlineS: number;
  /** CPU time limit of a text task; it is not repeated then. */
  readonly textCpuLimitS: number;
  /** A worker that uses no CPU time for so long during a task is killed (Linux only). */
  readonly silenceS: number;
  /** A larger worker is replaced after its task. */
  readonly memoryMb: number;
  /** A larger worker is killed during its task (Linux only); undefined: no limit. */
  readonly hardMemoryMb?: number;
  readonly nativeFolders: readonly string[];
  /** Undefined: none. */
  readonly sandbox?: Sandbox;
  readonly log: Log;
}

/**
 * Bun collects garbage by the memory of the machine, and each sentence leaves much. Measured over 320 sentences: at most
 * 273 MB instead of 374, for the same CPU time.
 */
const workerEnvironment = {
  BUN_JSC_forceRAMSize: String(128 * 1024 * 1024),
  // The last stages of the compilers wait for a long article. A worker starts with two thirds of the CPU time.
  BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: '500000',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
};

interface PendingCall {
  readonly resolve: (result: Tasks[TaskName]['result']) => void;
  readonly reject: (error: Error) => void;
  readonly limits: readonly Timer[];
}

export class WorkerProcess {
  readonly #child: Subprocess;
  readonly #options: WorkerOptions;
  #pendingCall: (PendingCall & { id: number }) | undefined;
  #killReason: WorkerCrashedError | undefined;
  #lastSignOfLifeMs = -Infinity;
  isAlive = true;
  hasResponded = false;
  state: WorkerState = { rssBytes: 0, voices: [], voiceLoads: 0 };
  taskCount = 0;
  #taskSeconds = 0;
  /** Whether the default voice was loaded. */
  isWarm = false;
  /** Content hash of the voice that it loads in advance. */
  loadingVoice: string | undefined;

  constructor(options: WorkerOptions, onEnd: () => void) {
    this.#options = options;
    const { nativeFolders, sandbox = { mode: 'off' } } = options;
    this.#child = Bun.spawn(buildChildCommand(['worker', ...nativeFolders], { ...sandbox, nativeFolders }), {
      stdio: ['ignore', 'ignore', 'inherit'],
      // The environment may contain secrets; workers parse hostile text.
      env: workerEnvironment,
      serialization: 'advanced',
      ipc: (reply: WorkerResponse) => this.#receive(reply),
      onExit: (_child, exitCode, signal) => {
        this.isAlive = false;
        onEnd();
        const crash = new WorkerCrashedError(`worker crashed (${signal ?? exitCode})`);
        this.#fail(this.#killReason ?? crash);
      },
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  get shouldRecycle(): boolean {
    return this.taskCount >= maxTasksPerWorker || this.state.rssBytes > this.#options.memoryMb * 1024 * 1024;
  }

  get hasRoom(): boolean {
    return this.state.voices.length < maxLoadedVoices;
  }

  hasVoice(contentHash: string): boolean {
    return this.state.voices.includes(contentHash);
  }

  /** Why the process ended, if not by a crash or a limit of its task. */
  get endReason(): 'recycled' | 'hung' | 'cancelled' | 'died' {
    if (this.#killReason instanceof WorkerHungError) return 'hung';
    if (this.#killReason instanceof TaskCancelledError) return 'cancelled';
    return this.shouldRecycle ? 'recycled' : 'died';
  }

  /** Of the process so far; undefined if the system does not report it, or it has ended. */
  get cpuSeconds(): number | undefined {
    return readActivity(this.pid)?.cpuSeconds;
  }

  /** Seconds of the running or last task that count toward its time limit, rounded up to the next poll. */
  get taskSeconds(): number {
    return this.#taskSeconds + activityPollIntervalMs / 1000;
  }

  /** Whether it answered or used CPU time within the time after which it counts as hung. */
  get isResponsive(): boolean {
    return this.isAlive && performance.now() - this.#lastSignOfLifeMs < this.#options.silenceS * 1000;
  }

  call<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): Promise<Tasks[Name]['result']> {
    this.taskCount += 1;
    const id = this.taskCount;
    return new Promise((resolve, reject) => {
      const limits = [...this.#watchMemory(), this.#watchActivity(task, this.#getCpuLimitS(task, params))];
      this.#pendingCall = { id, resolve, reject, limits };
      const request: WorkerRequest = { id, task, params };
      try {
        this.#child.send(request);
      } catch {
        this.#child.kill('SIGKILL');
        // Its exit is reported later; it must get no task until then.
        this.isAlive = false;
        this.#fail(new WorkerCrashedError('worker not reachable'));
      }
    });
  }

  /** Ends the running task; kills the process if that takes too long. */
  cancelTask(): void {
    const cancelled = this.#pendingCall;
    setTimeout(() => {
      const isRunning = cancelled !== undefined && this.#pendingCall === cancelled;
      if (isRunning) this.#kill(new TaskCancelledError('task cancelled by its caller'));
    }, cancelGraceMs);
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.disconnect();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#child.exited;
    clearTimeout(late);
  }

  #receive(reply: WorkerResponse): void {
    this.hasResponded = true;
    this.#lastSignOfLifeMs = performance.now();
    this.state = reply.state;
    const pending = this.#pendingCall;
    if (pending?.id !== reply.id) return;
    this.#pendingCall = undefined;
    stopWatching(pending);
    if ('result' in reply) pending.resolve(reply.result);
    else pending.reject(new AppError(reply.error.code, reply.error.message));
  }

  #fail(error: Error): void {
    const pending = this.#pendingCall;
    this.#pendingCall = undefined;
    if (pending === undefined) return;
    stopWatching(pending);
    pending.reject(error);
  }

  #kill(reason: WorkerCrashedError): void {
    this.#killReason ??= reason;
    this.#child.kill('SIGKILL');
  }

  #timeOut(task: TaskName, reason: string, isTaskAtFault: boolean): void {
    if (this.#killReason !== undefined) return;
    this.#options.log.warn({ task, pid: this.pid, reason }, 'worker timed out');
    this.#kill(new WorkerLimitError(reason, isTaskAtFault));
  }

  #hang(task: TaskName): void {
    const { log, silenceS } = this.#options;
    log.warn({ task, pid: this.pid, silenceSeconds: silenceS }, 'worker hung');
    this.#kill(new WorkerHungError(`worker gave no sign of life for ${silenceS} s`));
  }

  #watchMemory(): Timer[] {
    const { hardMemoryMb } = this.#options;
    if (hardMemoryMb === undefined) return [];
    const watch = setInterval(() => {
      const rssBytes = readResidentBytes(this.pid);
      if (rssBytes === undefined || rssBytes <= hardMemoryMb * 1024 * 1024) return;
      this.#kill(new WorkerLimitError(`memory limit of ${hardMemoryMb} MB exceeded`, true));
    }, memoryPollIntervalMs);
    return [watch];
  }

  /** @returns undefined: limited by the deadline alone */
  #getCpuLimitS<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): number | undefined {
    if (textTasks.has(task)) return this.#options.textCpuLimitS;
    if (task !== 'speak' || !('ids' in params) || !this.hasVoice(params.voice.contentHash)) return undefined;
    return speakCpuLimit.baseS + (speakCpuLimit.perIdS * params.ids.length) / Math.min(1, params.speed);
  }

  /**
   * Limits the time of a task and its CPU time. CPU time is also the sign of life: a worker does not react during an inference,
   * but it computes. If the system does not report it, wall time takes its place.
   */
  #watchActivity(task: TaskName, cpuLimitS = Infinity): Timer {
    const { deadlineS, silenceS } = this.#options;
    const initial = this.cpuSeconds;
    const before = initial ?? performance.now() / 1000;
    const maxSilentPolls = Math.ceil((silenceS * 1000) / activityPollIntervalMs);
    let silentPolls = 0;
    this.#taskSeconds = 0;
    let last = { atS: performance.now() / 1000, cpuSeconds: before };
    return setInterval(() => {
      const activity = readActivity(this.pid);
      // The process has ended; its exit handler follows.
      if (initial !== undefined && activity === undefined) return;
      const atS = performance.now() / 1000;
      const now = { atS, cpuSeconds: activity?.cpuSeconds ?? atS };
      this.#taskSeconds += countTaskSeconds(now.atS - last.atS, now.cpuSeconds - last.cpuSeconds, activity?.isRunnable);
      const isActive = now.cpuSeconds > last.cpuSeconds || activity?.isDelayed === true;
      last = now;
      silentPolls = isActive ? 0 : silentPolls + 1;
      if (isActive) this.#lastSignOfLifeMs = performance.now();
      if (now.cpuSeconds - before >= cpuLimitS) this.#timeOut(task, `CPU time limit of ${cpuLimitS} s exceeded`, true);
      else if (this.#taskSeconds >= deadlineS) this.#timeOut(task, `time limit of ${deadlineS} s exceeded`, false);
      else if (silentPolls === maxSilentPolls) this.#hang(task);
    }, activityPollIntervalMs);
  }
}

function stopWatching({ limits }: PendingCall): void {
  for (const timer of limits) clearTimeout(timer);
}
