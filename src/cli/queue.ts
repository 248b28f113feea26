import type { Command } from 'commander';
import { setPaused } from '../audio/queue-pause.ts';
import type { QueueState } from '../system/queue-schema.ts';
import { queueState } from '../system/queue-store.ts';
import { type CommonOptions, command, group, withDatabase } from './commands.ts';
import { print } from './output.ts';

/** `lectern queue show|pause|resume` */
export function queueCommand(): Command {
  const queue = group('queue', 'what waits to be spoken');
  queue.addCommand(command('show', 'how much waits and is under way').action(show));
  queue.addCommand(
    command(
      'pause',
      'speak no further sentence until it is resumed; posts are taken as ever',
    ).action((options: CommonOptions) => set(options, true)),
  );
  queue.addCommand(
    command('resume', 'go on where it was paused').action((options: CommonOptions) =>
      set(options, false),
    ),
  );
  return queue;
}

async function show(options: CommonOptions): Promise<void> {
  const state = await withDatabase(options, ({ read }, { workers }) => queueState(read, workers));
  print(options.json, state, () => shownState(state));
}

/** A server beside us looks for it twice a second. */
async function set(options: CommonOptions, isPaused: boolean): Promise<void> {
  const state = await withDatabase(options, async (database, { workers }) => {
    await database.write((db) => setPaused(db, null, isPaused));
    return queueState(database.read, workers);
  });
  print(options.json, state, () => shownState(state));
}

function shownState({ paused, waiting, generating, ...state }: QueueState): string {
  const { high, normal, low, further } = state.waiting_by_priority;
  const since =
    state.oldest_waiting_at === null ? '' : `, the oldest since ${state.oldest_waiting_at}`;
  return [
    paused === null
      ? 'The queue runs.'
      : `The queue is paused since ${paused.since} by ${paused.by}. It goes on with: lectern queue resume`,
    `being made  ${generating}`,
    `waiting     ${waiting}${since}`,
    `  high ${high}, normal ${normal}, low ${low}, further voices ${further}`,
  ].join('\n');
}
