import type { Queries } from '../database/open.ts';
import type { Voice } from '../database/tables.ts';
import { actorOf, audit } from '../users/audit.ts';
import { licenseProblem, type NamedLicense } from './license.ts';

/** @returns the columns that say who accepts a licence now; empty ones where that isn't needed */
export async function acceptanceOf(
  db: Queries,
  named: NamedLicense,
  userId: number | null,
): Promise<Pick<Voice, 'license_accepted_by' | 'license_accepted_at' | 'license_accepted_text'>> {
  const problem = licenseProblem(named);
  return {
    license_accepted_by: problem === undefined ? null : await actorOf(db, userId),
    license_accepted_at: problem === undefined ? null : new Date().toISOString(),
    license_accepted_text: problem ?? null,
  };
}

/** Once for a model: its speakers have one licence. */
export async function auditAcceptance(
  db: Queries,
  voices: readonly Voice[],
  userId: number | null,
): Promise<void> {
  const [first] = voices;
  if (first === undefined || first.license_accepted_text === null) return;
  const { name, license, license_accepted_text: accepted, content_hash } = first;
  await audit(db, {
    ...{ userId, action: 'voice.license_accepted', subject: name },
    after: { license, accepted, content_hash, voices: voices.map(({ id }) => id) },
  });
}
