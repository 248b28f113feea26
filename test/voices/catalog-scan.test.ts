import { afterAll, beforeAll, expect, test } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/database/database.ts';
import { createLog } from '../../src/log.ts';
import { startWorkerPool, type WorkerPool } from '../../src/speech/worker-pool.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import { type Catalog, openCatalog } from '../../src/voices/catalog.ts';
import { openTestDatabase } from '../fixtures/database.ts';
import { createTemporaryFolder, linkLibraries } from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';

const data = createTemporaryFolder();
const folder = join(data, 'voices');
const first = await writeVoice(folder, 'en_US-first-low', createToneVoice({ sampleRateHz: 16_000 }));
await writeVoice(folder, 'en_US-second-low', createToneVoice({ sampleRateHz: 22_050 }));
let database: Database;
let workers: WorkerPool;
let catalog: Catalog;

beforeAll(async () => {
  database = await openTestDatabase(data);
  const log = createLog('silent');
  workers = startWorkerPool({
    ...{ count: 1, isLazy: true, deadlineS: 60, textCpuLimitS: 20, silenceS: 60, memoryMb: 1_500, log },
    nativeFolders: [linkLibraries(data)],
  });
  catalog = await openCatalog(database, folder, workers);
  await catalog.waitUntilInspected();
});
afterAll(async () => {
  await workers.stop();
  await database.close();
});

/** A list of the voices waits at most two seconds for inspections. */
async function listStems(): Promise<string[]> {
  await catalog.waitUntilInspected();
  return (await catalog.voices()).filter(({ id }) => id > builtinVoices.length).map(({ stem }) => stem);
}

test('changes by another program in the folder are found at the next scan', async () => {
  expect(await listStems()).toEqual(['en_US-first-low', 'en_US-second-low']);
  for (const end of ['', '.json']) {
    renameSync(`${first.modelPath}${end}`, join(folder, `en_US-renamed-low.onnx${end}`));
  }
  expect(await listStems()).toEqual(['en_US-renamed-low', 'en_US-second-low']);
  for (const end of ['', '.json']) rmSync(join(folder, `en_US-second-low.onnx${end}`));
  expect(await listStems()).toEqual(['en_US-renamed-low']);
});
