import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../errors.ts';
import { type EmbeddedFile, embedded } from './embedded.ts';
import { copyToMemory, loadForOthers } from './memory-file.ts';
import { openPrivateFolder, refuseReplaceable } from './private-folder.ts';
import { unpack } from './unpack.ts';

type Files = readonly [EmbeddedFile, ...EmbeddedFile[]];

let givenFolder: string | undefined;
const ready = new Map<Files, string>();

/** Names the first place for unpacked native libraries; call it before anything native is loaded. */
export function useNativeFolder(folder: string): void {
  givenFolder = folder;
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
  // Whoever may rename things in the given folder's parents, the data folder, can exchange the database as well;
  // so only the other folders are checked for that.
  const given = givenFolder === undefined ? [] : [givenFolder];
  return [
    ...given.map((folder) => ({
      name: folder,
      prepare: () => unpack(files, openPrivateFolder(folder)),
    })),
    ...usualFolders().map((folder) => ({
      name: folder,
      prepare: () => unpack(files, refuseReplaceable(openPrivateFolder(folder))),
    })),
    { name: 'memory', prepare: () => copyAllToMemory(files) },
  ];
}

function usualFolders(): string[] {
  const temporary = join(tmpdir(), `lectern-${process.geteuid?.()}`);
  const cache = userCacheFolder();
  return cache === undefined ? [temporary] : [join(cache, 'lectern'), temporary];
}

function userCacheFolder(): string | undefined {
  const { XDG_CACHE_HOME: folder } = process.env;
  // The specification of this variable asks to ignore a relative path.
  if (folder !== undefined && isAbsolute(folder)) return folder;
  try {
    return join(homedir(), '.cache');
  } catch {
    // A user id without an entry in the list of users has no home.
    return undefined;
  }
}

function copyAllToMemory([first, ...others]: Files): string {
  for (const file of others) loadForOthers(copyToMemory(file));
  return copyToMemory(first);
}
