import { readdirSync } from 'node:fs';

/** @returns file names of the models in a folder, sorted; none when it doesn't exist */
export function modelNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.onnx'))
      .sort();
  } catch {
    return [];
  }
}
