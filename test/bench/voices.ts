import { statSync } from 'node:fs';
import { benchVoice, qualities } from './bench-voice.ts';

/** Makes the voices of `bun run bench` beforehand, and tells where they are. */
for (const quality of qualities) {
  const { modelPath } = benchVoice(quality);
  process.stdout.write(`${modelPath} ${(statSync(modelPath).size / 1e6).toFixed(1)} MB\n`);
}
