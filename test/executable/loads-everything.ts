// A program in place of main.ts: loads both native libraries and prints what it has loaded from its surroundings.
import { readFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { addNativeFolder, loadOnnxRuntime, resolveSqliteBinding } from '../../src/build/native.ts';

const [folder, model] = process.argv.slice(2);
if (folder !== undefined) addNativeFolder(folder);
const connection = new BetterSqlite(':memory:', { nativeBinding: resolveSqliteBinding() });
const row = connection.prepare('select 1 as one').get();
const onnx = await loadOnnxRuntime();
const session = await onnx.InferenceSession.create(model ?? '');
const { HOSTILE: hostile } = process.env;
/** The libraries, read to be unpacked, have 46 MB. */
const isLight = readResidentMb(process.execPath, 'rw-p') < 20;
process.stdout.write(`${JSON.stringify({ one: row, inputs: session.inputNames, hostile, isLight })}\n`);

/** @returns how much of a file's mappings of a kind is in memory, of which the embedded files are the larger part */
function readResidentMb(path: string, mode: string): number {
  const mappings = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const ofFile = mappings.filter((text) => text.includes(` ${mode} `) && text.includes(path));
  const kilobytes = ofFile.map((text) => Number(/^Rss:\s+(\d+) kB$/m.exec(text)?.[1]));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}
