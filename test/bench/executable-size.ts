import { statSync } from 'node:fs';
import { buildIfOutdated } from './executable.ts';
import type { Figure } from './figure.ts';

/** The executable contains runtime, native libraries, and six voices of one model. */
export const executableSize: Figure = {
  name: 'executable-size',
  measure: async () => {
    const { size } = statSync(await buildIfOutdated());
    return [{ name: 'Executable: size', unit: 'MB', values: [size / 1e6], target: 250 }];
  },
};
