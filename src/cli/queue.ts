import type { Command } from 'commander';
import { setQueuePaused } from '../audio/queue-pause.ts';
import type { QueueState } from '../system/queue-schema.ts';
import { getQueueState } from '../system/queue-store.ts';
import { type CommonOptions, createCommand, createGroup, withDatabase } from './commands.ts';
import { printResult } from './output.ts';

/** `lectern queue show|pause|resume` */
export function queueCommand(): Command {
  const queue = createGroup('queue', 'manage the synthesis queue');
  queue.addCommand(createCommand('show', 'show the state of the queue').action(show));
  queue.addCommand(
    createCommand('pause', 'pause synthesis; posts are still accepted').action((options: CommonOptions) =>
      updatePause(options, true),
    ),
  );
  queue.addCommand(
    createCommand('resume', 'resume synthesis').action((options: CommonOptions) => updatePause(options, false)),
  );
  return queue;
}

async function show(options: CommonOptions): Promise<void> {
  const state = await withDatabase(options, ({ read }, { workers }) => getQueueState(read, workers));
  printResult(options.json, state, () => formatState(state));
}

/** A server beside us looks for it twice a second. */
async function updatePause(options: CommonOptions, isPaused: boolean): Promise<void> {
  const state = await withDatabase(options, async (database, { workers }) => {
    await database.write((db) => setQueuePaused(db, null, isPaused));
    return getQueueState(database.read, workers);
  });
  printResult(options.json, state, () => formatState(state));
}

function formatState({ paused, waiting, generating, ...state }: QueueState): string {
  const { high, normal, low, further } = state.waiting_by_priority;
  const since = state.oldest_waiting_at === null ? '' : `, the oldest since ${state.oldest_waiting_at}`;
  return [
    paused === null
      ? 'Queue running.'
      : `Queue paused since ${paused.since} by ${paused.by}. Resume it: lectern queue resume`,
    `generating  ${generating}`,
    `waiting     ${waiting}${since}`,
    `  high ${high}, normal ${normal}, low ${low}, alternate voices ${further}`,
  ].join('\n');
}
