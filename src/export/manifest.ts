import { existsSync, readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../errors.ts';

export const manifestName = 'lectern-export.json';

/** Nothing that leads out of the folder. */
const pathPattern = '^([a-z0-9][a-z0-9-]*/)?[a-z0-9][a-z0-9.-]*$';

const Manifest = Type.Object({
  format: Type.Literal(1),
  lectern: Type.String(),
  site: Type.String(),
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: pathPattern, maxLength: 200 }),
      byte_count: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
      sha256: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]),
    }),
  ),
});
/** What an export has written into a folder, and so may replace and delete. Sums are null of what is only about to be written. */
export type Manifest = Static<typeof Manifest>;

/**
 * @returns undefined where nothing was exported yet
 * @throws AppError `operation_failed`
 */
export function readManifest(path: string): Manifest | undefined {
  if (!existsSync(path)) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    manifest = undefined;
  }
  if (Value.Check(Manifest, manifest)) return manifest;
  throw new AppError(
    'operation_failed',
    `${path} is damaged, so that it can't be told which files are the export's own: export into an empty folder`,
  );
}
