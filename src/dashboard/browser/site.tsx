import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { api, ask, part } from './api.ts';
import { type Loaded, useLoaded } from './loading.ts';
import { LoadedView } from './parts/list.tsx';
import { useSession } from './session.tsx';

export type SiteDetail = Awaited<ReturnType<typeof readSite>>;

/** The site whose pages are shown. */
export interface ShownSite {
  readonly site: SiteDetail;
  /** Viewers read only. */
  readonly canEdit: boolean;
  readonly reload: () => void;
}

/** From page to page the site stays in sight while it is read again. */
let lastRead:
  | { readonly userId: number; readonly name: string; readonly site: SiteDetail }
  | undefined;

const SiteContext = createContext<ShownSite | undefined>(undefined);

/** Only on pages of a site. */
export function useSite(): ShownSite {
  const shown = useContext(SiteContext);
  if (shown === undefined) throw new Error('no page of a site');
  return shown;
}

interface WithSiteProps {
  /** Slug or id. */
  readonly name: string;
  readonly children: ComponentChildren;
}

/** Loads the site that its pages are about. */
export function WithSite({ name, children }: WithSiteProps) {
  const { user } = useSession();
  const loaded: Loaded<SiteDetail> = useLoaded(
    async () => {
      const site = await readSite(name);
      lastRead = { userId: user.id, name, site };
      return site;
    },
    [name],
    () => undefined,
    lastRead?.name === name && lastRead.userId === user.id ? lastRead.site : undefined,
  );
  return (
    <LoadedView of={loaded}>
      {(site) => (
        <SiteContext.Provider
          value={{ site, canEdit: site.role !== 'viewer', reload: loaded.reload }}
        >
          {children}
        </SiteContext.Provider>
      )}
    </LoadedView>
  );
}

function readSite(name: string) {
  return ask(api.sites({ site: part(name) }).get());
}
