import { insertAuditEntry, resolveActor } from '../auth/audit-log.ts';
import { timestamp } from '../clock.ts';
import type { Queries } from '../database/database.ts';
import type { Voice } from '../database/schema.ts';

/** @returns the columns of an acceptance now; nulls for a free license */
export async function buildLicenseAcceptance(
  db: Queries,
  named: NamedLicense,
  userId: number | null,
): Promise<Pick<Voice, 'license_accepted_by' | 'license_accepted_at' | 'license_accepted_text'>> {
  const problem = describeLicenseProblem(named);
  return {
    license_accepted_by: problem === undefined ? null : await resolveActor(db, userId),
    license_accepted_at: problem === undefined ? null : timestamp(),
    license_accepted_text: problem ?? null,
  };
}

/** One entry per model: its speakers share the license. */
export async function auditLicenseAcceptance(
  db: Queries,
  voices: readonly Voice[],
  userId: number | null,
): Promise<void> {
  const [first] = voices;
  if (first === undefined || first.license_accepted_text === null) return;
  const { name, license, license_accepted_text: accepted, content_hash } = first;
  await insertAuditEntry(db, {
    ...{ userId, action: 'voice.license_accepted', subject: name },
    after: { license, accepted, content_hash, voices: voices.map(({ id }) => id) },
  });
}

export type LicenseStatus = 'free' | 'non_commercial' | 'unknown' | 'missing';

export interface NamedLicense {
  readonly license: string | null;
  readonly status: LicenseStatus;
}

/** SPDX ids of licenses that allow any use, and their spellings in model cards. */
const freeLicenses: readonly RegExp[] = [
  /^(the )?unlicense$/,
  /^(in the )?public[- ]domain$/,
  /^pddl([- ]1\.0)?$/,
  /^cc[- ]?(0|zero)([- ]?1\.0)?( universal)?$/,
  /^(cc[- ])?creative commons (cc[- ]?0|zero)( 1\.0)?( universal)?$/,
  /^(cc[- ]?by|creative commons attribution)([- ]?sa|[- ]share[- ]?alike)?([- ]?[1-4]\.0)?( international| unported)?$/,
  /^(the )?mit( license| licence)?$/,
  /^mit-0$/,
  /^(the )?(isc|zlib|0bsd|wtfpl)( license| licence)?$/,
  /^bsd([- ][234])?([- ]clause)?( license| licence)?$/,
  /^apache([- ]license)?,?([- ]?(version |v)?2(\.0)?)?$/,
  /^(gnu )?(l|a)?gpl([- ]?v?[23](\.[01])?)?(\+|-only|-or-later| or later)?$/,
  /^mpl[- ]?2\.0$/,
  /^(odc-by|odbl)([- ]1\.0)?$/,
];

const freeLicenseUrl =
  /^https?:\/\/(www\.)?(creativecommons\.org\/(licenses\/by(-sa)?|publicdomain\/(zero|mark))\/\d\.\d(\/.*)?|opensource\.org\/licenses?\/(mit|isc|bsd-[23]-clause|apache-2\.0)\/?|unlicense\.org\/?|apache\.org\/licenses\/license-2\.0(\.txt|\.html)?)$/;

const nonCommercialPattern =
  /(\bcc?[- ]?by[- ]?nc\b|\bnc\b|-nc(-|\d|\/|$)|non[- ]?commercial|not for commercial|no commercial|research (use )?only|personal use)/;

/** Longer names are texts. */
const maxNameLength = 500;

/** @param license name or URL, as written by a person or a model card */
export function classifyLicense(license: string | null): LicenseStatus {
  const name = (license ?? '')
    .slice(0, maxNameLength)
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .replace(/ (public )?(license|licence)$/, '')
    .replace(/\.$/, '')
    .trim();
  if (name === '') return 'missing';
  if (nonCommercialPattern.test(name)) return 'non_commercial';
  if (freeLicenseUrl.test(name)) return 'free';
  // "MIT License (https://…)", "CC BY 4.0 <https://…>": the address is not the name.
  const bare = name.replace(/\s*[([<]?https?:\/\/\S+$/, '').trim();
  return freeLicenses.some((pattern) => pattern.test(bare)) ? 'free' : 'unknown';
}

/** @returns the license in a Piper model card (`* License: …`); null: none */
export function parseModelCardLicense(card: string): string | null {
  for (const line of card.split(/[\r\n]+/)) {
    const shown = line.slice(0, maxNameLength).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
    const name = /^\W*licen[sc]e\W*:\W*?(\w.*)$/i.exec(shown)?.[1]?.trim();
    if (name !== undefined) return name;
  }
  return null;
}

/**
 * The first named license applies, but one that forbids commercial use takes precedence.
 * @param places admin, model card, config: in this order
 */
export function resolveLicense(...places: readonly (string | null | undefined)[]): NamedLicense {
  const named = places.flatMap((place) => {
    const license = place?.trim() ?? '';
    return license === '' ? [] : [{ license, status: classifyLicense(license) }];
  });
  const found = named.find(({ status }) => status === 'non_commercial') ?? named[0];
  return found ?? { license: null, status: 'missing' };
}

/** @returns what an admin must accept; undefined for a free license */
export function describeLicenseProblem({ license, status }: NamedLicense): string | undefined {
  switch (status) {
    case 'free':
      return undefined;
    case 'missing':
      return 'license missing';
    case 'unknown':
      return `unknown license ${JSON.stringify(license)}`;
    case 'non_commercial':
      return `license ${JSON.stringify(license)} forbids commercial use`;
  }
}
