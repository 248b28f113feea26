import type { Site } from '../database/tables.ts';
import type { SessionAccess, SignedIn } from '../users/session-access.ts';
import type { Owner } from './store.ts';

/** Whose lexicon a request is about. */
interface Place {
  readonly user: SignedIn['user'];
  /** Null: the installation's, which holds for every site. */
  readonly site: Site | null;
  /** Path of the lexicon. */
  readonly path: string;
}

/** A lexicon of its own: the installation's or a site's. */
export interface Level<Prefix extends string = string> {
  readonly name: 'installation' | 'site';
  readonly prefix: Prefix;
  /** @throws AppError as `SessionAccess` does */
  forReading(request: Request, params: Readonly<Record<string, string>>): Promise<Place>;
  forChanges(request: Request, params: Readonly<Record<string, string>>): Promise<Place>;
}

/** Any user reads it, as it is heard in every site; admins change it. */
export function installationLevel(bySession: SessionAccess): Level<'/v1/pronunciations'> {
  const path = '/v1/pronunciations';
  const place = ({ user }: SignedIn): Place => ({ user, site: null, path });
  return {
    name: 'installation',
    prefix: path,
    forReading: async (request) => place(await bySession.user(request)),
    forChanges: async (request) => place(await bySession.admin(request)),
  };
}

/** Viewers of the site read it, its editors change it. */
export function siteLevel(bySession: SessionAccess): Level<'/v1/sites/:site/pronunciations'> {
  const placeFor =
    (role: 'viewer' | 'editor'): Level['forReading'] =>
    async (request, params) => {
      const { user, site } = await bySession.site(request, params['site'] ?? '', role);
      return { user, site, path: `/v1/sites/${site.id}/pronunciations` };
    };
  return {
    name: 'site',
    prefix: '/v1/sites/:site/pronunciations',
    forReading: placeFor('viewer'),
    forChanges: placeFor('editor'),
  };
}

/** @returns whose entries they are, as they are stored */
export function ownerOf(site: Site | null): Owner {
  return site?.id ?? null;
}

/** @returns what the audit log says of whose entry was changed */
export function auditedSite(site: Site | null): { readonly siteId?: number } {
  return site === null ? {} : { siteId: site.id };
}
