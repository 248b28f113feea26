import type { Subprocess } from 'bun';
import { buildProgramCommand, readCpuSeconds, readResidentBytes } from '../build/processes.ts';
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
const cpuPollIntervalMs = 250;

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

export interface WorkerOptions {
  /** Timeout of a task. */
  readonly deadlineS: number;
  /** CPU time limit of a text task; it is not repeated then. */
  readonly textCpuLimitS: number;
  /** A larger worker is replaced after its task. */
  readonly memoryMb: number;
  /** A larger worker is killed during its task (Linux only); undefined: no limit. */
  readonly hardMemoryMb?: number;
  readonly nativeFolders: readonly string[];
  readonly log: Log;
}

/**
 * Bun collects garbage by the memory of the machine, and each sentence leaves much. Measured over 320 sentences: at most
 * 273 MB instead of 374, for the same CPU time.
 */
const workerEnvironment = { BUN_JSC_forceRAMSize: String(128 * 1024 * 1024) };

interface PendingCall {
  readonly resolve: (result: Tasks[TaskName]['result']) => void;
  readonly reject: (error: Error) => void;
  readonly limits: readonly Timer[];
}

export class WorkerProcess {
  readonly #child: Subprocess;
  readonly #options: WorkerOptions;
  #pendingCall: (PendingCall & { id: number }) | undefined;
  #killReason: WorkerLimitError | undefined;
  isAlive = true;
  hasResponded = false;
  state: WorkerState = { rssBytes: 0, voices: [], voiceLoads: 0 };
  taskCount = 0;
  /** Whether the default voice was loaded. */
  isWarm = false;
  /** Content hash of the voice that it loads in advance. */
  loadingVoice: string | undefined;

  constructor(options: WorkerOptions, onEnd: () => void) {
    this.#options = options;
    this.#child = Bun.spawn([...buildProgramCommand(), 'worker', ...options.nativeFolders], {
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

  call<Name extends TaskName>(task: Name, params: Tasks[Name]['params']): Promise<Tasks[Name]['result']> {
    this.taskCount += 1;
    const id = this.taskCount;
    return new Promise((resolve, reject) => {
      const { deadlineS } = this.#options;
      const deadline = setTimeout(() => {
        this.#timeOut(task, `time limit of ${deadlineS} s exceeded`, false);
      }, deadlineS * 1000);
      const limits = [deadline, ...this.#watchMemory(), ...this.#watchCpu(task)];
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

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.disconnect();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#child.exited;
    clearTimeout(late);
  }

  #receive(reply: WorkerResponse): void {
    this.hasResponded = true;
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

  #kill(reason: WorkerLimitError): void {
    this.#killReason = reason;
    this.#child.kill('SIGKILL');
  }

  #timeOut(task: TaskName, reason: string, isTaskAtFault: boolean): void {
    this.#options.log.warn({ task, pid: this.pid, reason }, 'worker timed out');
    this.#kill(new WorkerLimitError(reason, isTaskAtFault));
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

  /** CPU time, as a busy machine may slow down a worker; wall time if the system does not report it. */
  #watchCpu(task: TaskName): Timer[] {
    const { textCpuLimitS } = this.#options;
    if (!textTasks.has(task)) return [];
    const used = (): number => readCpuSeconds(this.pid) ?? performance.now() / 1000;
    const before = used();
    const watch = setInterval(() => {
      if (used() - before < textCpuLimitS) return;
      this.#timeOut(task, `CPU time limit of ${textCpuLimitS} s exceeded`, true);
    }, cpuPollIntervalMs);
    return [watch];
  }
}

function stopWatching({ limits }: PendingCall): void {
  for (const timer of limits) clearTimeout(timer);
}
