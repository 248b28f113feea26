import { Counter, Gauge, type Registry } from 'prom-client';
import type { Workers } from '../speech/workers.ts';

/** The child processes that speak. */
export function workerMetrics(registers: Registry[], workers: Workers): void {
  new Gauge({
    name: 'lectern_workers',
    help: 'Speech workers that live',
    registers,
    collect() {
      this.set(workers.state().length);
    },
  });
  new Gauge({
    name: 'lectern_worker_memory_bytes',
    help: 'Resident memory of each speech worker after its last task',
    labelNames: ['worker'],
    registers,
    collect() {
      this.reset();
      workers.state().forEach(({ rssBytes }, index) => {
        this.set({ worker: String(index + 1) }, rssBytes);
      });
    },
  });
  new Counter({
    name: 'lectern_worker_restarts_total',
    help: 'Speech workers that were replaced: worn out by tasks or memory, or dead before their time',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      const { wornOut, died } = workers.history().ends;
      this.inc({ reason: 'worn_out' }, wornOut);
      this.inc({ reason: 'died' }, died);
    },
  });
  new Counter({
    name: 'lectern_worker_tasks_total',
    help: 'Tasks that speech workers were given, by kind and by how they ended',
    labelNames: ['task', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [task, counts] of workers.history().tasks) {
        for (const [outcome, count] of Object.entries(counts)) this.inc({ task, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'lectern_worker_voice_loads_total',
    help: 'Voices that speech workers have loaded, each time counted',
    registers,
    collect() {
      this.reset();
      this.inc(workers.history().voiceLoads);
    },
  });
}
