// A program in the place of main.ts: loads both native libraries and says what of its surroundings it has taken in.
import BetterSqlite from 'better-sqlite3';
import { sqliteBinding, useNativeFolder } from '../../src/executable/native.ts';
import { loadOnnxRuntime } from '../../src/executable/onnx-runtime.ts';

const [folder, model] = process.argv.slice(2);
if (folder !== undefined) useNativeFolder(folder);
const connection = new BetterSqlite(':memory:', { nativeBinding: sqliteBinding() });
const one = connection.prepare('select 1 as one').get();
const onnx = await loadOnnxRuntime();
const session = await onnx.InferenceSession.create(model ?? '');
const { HOSTILE: hostile } = process.env;
process.stdout.write(`${JSON.stringify({ one, inputs: session.inputNames, hostile })}\n`);
