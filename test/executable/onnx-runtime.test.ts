import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const projectFolder = join(import.meta.dir, '../..');

test('ONNX Runtime stores neither a device id nor a queue of reports', async () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  try {
    const script = `
      const { loadOnnxRuntime } = await import('./src/build/native.ts');
      const onnx = await loadOnnxRuntime();
      await onnx.InferenceSession.create('voices/lectern-medium.onnx');
      console.log('opened');`;
    // With CI set the library is silent of its own accord, hence this bare environment. Without a network its reports
    // would stay in the folder that is looked at.
    const child = Bun.spawn([process.execPath, '-e', script], {
      cwd: projectFolder,
      env: { HOME: home },
      stdout: 'pipe',
    });
    expect((await new Response(child.stdout).text()).trim()).toBe('opened');
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /microsoft|onnx/i.test(path))).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
