import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { type EmbeddedFile, embedded } from './embedded.ts';
import { copyToMemory, loadForOthers } from './memory-file.ts';
import { openPrivateFolder, refuseReplaceable } from './private-folder.ts';
import { unpack } from './unpack.ts';

type Files = readonly [EmbeddedFile, ...EmbeddedFile[]];

const givenFolders: string[] = [];
const ready = new Map<Files, string>();

/**
 * Adds a folder of this user's for unpacked native libraries, to be tried before the system's temporary folder. Call it
 * in order of preference, before anything native is loaded.
 */
export function useNativeFolder(folder: string): void {
  givenFolders.push(folder);
}

/**
 * The absolute path of SQLite's native library, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function sqliteBinding(): string {
  if (embedded === undefined) {
    return packageFile('better-sqlite3', `prebuilds/${process.platform}-${process.arch}.node`);
  }
  return makeReady(embedded.sqlite);
}

/**
 * The absolute path of ONNX Runtime's binding, ready to be loaded.
 * Fails with operation_failed where it cannot be unpacked.
 */
export function onnxBinding(): string {
  if (embedded === undefined) {
    return packageFile(
      'onnxruntime-node',
      `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    );
  }
  return makeReady(embedded.onnx);
}

function packageFile(name: string, path: string): string {
  return join(import.meta.dir, '../../node_modules', name, path);
}

/** Makes files ready to be loaded, once per process, in the first place that will do. */
function makeReady(files: Files): string {
  const known = ready.get(files);
  if (known !== undefined) return known;
  const refusals: string[] = [];
  for (const { name, prepare } of places(files)) {
    try {
      const path = prepare();
      ready.set(files, path);
      return path;
    } catch (error) {
      refusals.push(`${name} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  const message = `Found no place to load ${files[0].name} from: ${refusals.join('; ')}.`;
  throw new AppError('operation_failed', message);
}

type Place = { name: string; prepare: () => string };

function places(files: Files): Place[] {
  const temporary = join(tmpdir(), `lectern-${process.geteuid?.()}`);
  return [
    // Whoever may rename things around a given folder, such as the data folder, can exchange the database as well;
    // so only the temporary folder, which everyone shares, is checked for that.
    ...givenFolders.map((folder) => ({
      name: folder,
      prepare: () => unpack(files, openPrivateFolder(folder)),
    })),
    {
      name: temporary,
      prepare: () => unpack(files, refuseReplaceable(openPrivateFolder(temporary))),
    },
    { name: 'memory', prepare: () => copyAllToMemory(files) },
  ];
}

function copyAllToMemory([first, ...others]: Files): string {
  for (const file of others) loadForOthers(copyToMemory(file));
  return copyToMemory(first);
}
