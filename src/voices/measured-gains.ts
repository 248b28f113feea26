import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { writeFileAtomicallySync } from '../files.ts';

const MeasuredGainsFile = Type.Object({
  format: Type.Literal(1),
  /** By content hash of the voice, in dB. */
  gains: Type.Record(Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Number()),
});

/** The gains of voices that were inspected and measured without a database, so that it is done once for each. */
export interface MeasuredGains {
  /** @returns dB; undefined for a voice that was not measured yet */
  find(contentHash: string): number | undefined;
  /** Does nothing where there is no data folder, or nobody may write there: the voice is measured again next time. */
  keep(contentHash: string, gainDb: number): void;
}

/** @param dataFolder need not exist; `loudness.json` in it may be deleted at any time */
export function openMeasuredGains(dataFolder: string): MeasuredGains {
  const path = join(dataFolder, 'loudness.json');
  const read = (): Record<string, number> => {
    try {
      const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return Value.Check(MeasuredGainsFile, file) ? file.gains : {};
    } catch {
      return {};
    }
  };
  return {
    find: (contentHash) => read()[contentHash],
    keep: (contentHash, gainDb) => {
      if (!existsSync(dataFolder)) return;
      const file = { format: 1, gains: { ...read(), [contentHash]: gainDb } };
      try {
        writeFileAtomicallySync(path, Buffer.from(JSON.stringify(file)), { mode: 0o600 });
      } catch {
        // A disk that is full or read-only costs the next command a measurement, nothing else.
      }
    },
  };
}
