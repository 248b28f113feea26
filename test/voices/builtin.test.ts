import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createLog } from '../../src/log.ts';
import { startWorkerPool } from '../../src/speech/worker-pool.ts';
import { builtinVoices } from '../../src/voices/catalog.ts';

setDefaultTimeout(180_000);

describe('builtinVoices', () => {
  test('carry the gain that a worker measures', async () => {
    const workers = startWorkerPool({
      count: 1,
      deadlineS: 60,
      textCpuLimitS: 20,
      memoryMb: 1_500,
      nativeFolders: [],
      log: createLog('silent'),
    });
    try {
      for (const { modelPath, configPath, speaker, gainDb } of builtinVoices) {
        const { contentHash } = await workers.call('examine', { modelPath, configPath });
        const voice = { modelPath, configPath, contentHash };
        const measured = await workers.call('measure', { voice, speaker });
        expect(Math.abs(measured.gainDb - gainDb)).toBeLessThanOrEqual(0.05);
      }
    } finally {
      await workers.stop();
    }
  });
});
