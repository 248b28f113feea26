import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @returns names of the model files in a folder, sorted; none when it doesn't exist */
export function modelNames(folder: string): string[] {
  try {
    return (
      readdirSync(folder)
        .filter((name) => name.endsWith('.onnx'))
        // To open a pipe would wait for somebody to write into it.
        .filter(
          (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true,
        )
        .sort()
    );
  } catch {
    return [];
  }
}
