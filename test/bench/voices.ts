import { statSync } from 'node:fs';
import { canMakeVoices, neededPackages, prepareBenchVoice, qualities } from './bench-voice.ts';
import { fetchRealVoice, realVoices } from './real-voices.ts';

/** Downloads and creates the voices of `bun run bench` and `bun run test:long` in advance, and prints their paths. */
for (const name of realVoices) show((await fetchRealVoice(name)).modelPath);
if (canMakeVoices()) for (const quality of qualities) show(prepareBenchVoice(quality).modelPath);
else process.stderr.write(`voices of random weights need ${neededPackages}\n`);

function show(modelPath: string): void {
  process.stdout.write(`${modelPath} ${(statSync(modelPath).size / 1e6).toFixed(1)} MB\n`);
}
