import { AppError } from '../errors.ts';
import type { InstalledVoice } from './catalog.ts';

/**
 * @param name an id: that speaker alone; a file name without `.onnx`, or a displayed name, any case: all speakers of it
 * @returns at least one voice, by id
 * @throws AppError `not_found`; `conflict` when several models are called so
 */
export function namedVoices(voices: readonly InstalledVoice[], name: string): InstalledVoice[] {
  const wanted = name.toLowerCase();
  const byId = voices.filter(({ id }) => String(id) === name);
  if (byId.length > 0) return byId;
  const byFile = voices.filter(({ stem }) => stem.toLowerCase() === wanted);
  if (byFile.length > 0) return byFile;
  const byName = voices.filter((voice) => voice.name.toLowerCase() === wanted);
  if (byName.length > 1) {
    const ids = byName.map(({ id, stem }) => `${id} (${stem})`).join(', ');
    throw new AppError('conflict', `Several voices are called ${name}: ${ids}`);
  }
  if (byName.length === 1) return byName;
  const known = [...new Set(voices.map(({ stem }) => stem))].slice(0, shownMax).join(', ');
  throw new AppError('not_found', `There is no voice ${name}; there are: ${known}`);
}

const shownMax = 20;
