import { parseArgs } from 'node:util';
import { correction } from './correction.ts';
import { formatFigures, type Row, writeFigures } from './document.ts';
import { events } from './events.ts';
import { executableSize } from './executable-size.ts';
import type { Figure } from './figure.ts';
import { firstSound } from './first-sound.ts';
import { articleGrowth, postGrowth } from './growth.ts';
import { kokoro } from './kokoro.ts';
import { describeMachine } from './machine.ts';
import { media } from './media.ts';
import { memory } from './memory.ts';
import { mp3 } from './mp3.ts';
import { formatComparison, writeComparison } from './peers/comparison-document.ts';
import { type Block, comparePeers } from './peers/peers.ts';
import { playerSize } from './player-size.ts';
import { sizing } from './sizing.ts';
import { speakers } from './speakers.ts';
import { start } from './start.ts';
import { busyPolls, statusPolls } from './status-polls.ts';
import { twoCores } from './two-cores.ts';
import { wholePath } from './whole-path.ts';

const blocks: Block[] = [];
const peers: Figure = {
  name: 'peers',
  measure: async ({ rounds }) => {
    const compared = await comparePeers(rounds);
    blocks.push(...compared.blocks);
    return compared.measured;
  },
};
const figures: readonly Figure[] = [
  wholePath,
  twoCores,
  correction,
  firstSound,
  start,
  memory,
  executableSize,
  playerSize,
  statusPolls,
  busyPolls,
  events,
  media,
  articleGrowth,
  postGrowth,
  mp3,
  peers,
  speakers,
  sizing,
  kokoro,
];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    articles: { type: 'string', default: '50' },
    write: { type: 'boolean', default: false },
  },
});
const options = { rounds: Number(values.rounds), articles: Number(values.articles) };
const unknown = values.only.filter((name) => !figures.some((figure) => figure.name === name));
if (unknown.length > 0 || !isCount(options.rounds) || !isCount(options.articles)) {
  const names = figures.map(({ name }) => name).join(', ');
  process.stderr.write(`bun run bench [--only NAME]… [--rounds 5] [--articles 50] [--write]\nfigures: ${names}\n`);
  process.exit(2);
}

const rows: Row[] = [];
for (const { name, isOnRequest, measure } of figures) {
  if (values.only.length === 0 ? isOnRequest : !values.only.includes(name)) continue;
  process.stderr.write(`${name} …`);
  const started = performance.now();
  const measured = await measure(options);
  process.stderr.write(` ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  const command = name === 'memory' ? `${name} --articles ${options.articles}` : name;
  rows.push(...measured.map((figure) => ({ measured: figure, command })));
}
process.stdout.write(`${describeMachine()}\n\n${formatFigures(rows)}\n`);
if (blocks.length > 0) process.stdout.write(`\n${formatComparison(blocks)}\n`);
if (values.write) {
  writeFigures(rows, describeMachine());
  if (blocks.length > 0) writeComparison(blocks, describeMachine());
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}
