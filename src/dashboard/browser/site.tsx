import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type DataOf, request, siteRoutes } from './api.ts';
import { ActionProvider } from './components/actions.tsx';
import { LinkButton } from './components/button.tsx';
import { EmptyState, Page, QueryView } from './components/page.tsx';
import { useQuery } from './query.ts';
import { useSession } from './session.tsx';
import { showTimesIn } from './time-zone.ts';

export type SiteRoutes = ReturnType<typeof siteRoutes>;
export type SiteDetail = DataOf<SiteRoutes['get']>;

export interface SiteContextValue {
  readonly site: SiteDetail;
  readonly routes: SiteRoutes;
  /** False for viewers. */
  readonly canEdit: boolean;
  readonly reload: () => void;
  /** Replaces the site with the one of a response. */
  readonly update: (changes: Partial<SiteDetail>) => void;
}

/** Keeps the site while it is reloaded after a page change. */
let lastRead: { readonly userId: number; readonly name: string; readonly site: SiteDetail } | undefined;

const SiteContext = createContext<SiteContextValue | undefined>(undefined);

/** Only on pages of a site. */
export function useSite(): SiteContextValue {
  const shown = useContext(SiteContext);
  if (shown === undefined) throw new Error('useSite needs a SiteProvider');
  return shown;
}

/** Loads the site for its pages. @param name slug or ID */
export function SiteProvider({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  const { user } = useSession();
  const loaded = useQuery(
    async () => {
      const site = await request(() => siteRoutes(name).get());
      lastRead = { userId: user.id, name, site };
      return site;
    },
    [name],
    () => undefined,
    lastRead?.name === name && lastRead.userId === user.id ? lastRead.site : undefined,
  );
  if (loaded.value === undefined && loaded.problem?.status === 404) {
    return (
      <Page title="This site does not exist">
        <EmptyState title={`No site “${name}”`} action={<LinkButton to="/" label="Open your last site" />}>
          <p>It was deleted, the address is incomplete, or you have no access to it.</p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <QueryView of={loaded}>
      {(site) => {
        showTimesIn(site.time_zone);
        return (
          <SiteContext.Provider
            value={{
              site,
              routes: siteRoutes(site.slug),
              canEdit: site.role !== 'viewer',
              reload: loaded.reload,
              update: (changes) => loaded.set({ ...site, ...changes }),
            }}
          >
            <ActionProvider>{children}</ActionProvider>
          </SiteContext.Provider>
        );
      }}
    </QueryView>
  );
}

/** @returns the host of a URL, as copied from a browser; other text unchanged */
export function extractHost(given: string): string {
  return /^https?:\/\//i.test(given) ? (URL.parse(given)?.hostname ?? given) : given;
}

export type SiteVoices = DataOf<SiteRoutes['voices']['get']>;

/** The voice settings of a site, and its available voices. @param site slug or ID */
export function fetchSiteVoices(site: string | number) {
  return request(() => siteRoutes(site).voices.get());
}

/** What decides who reads. */
type Readers = Pick<SiteVoices, 'voices' | 'default_voice_id' | 'default_voices'>;

/** @param language undefined: of posts that name none @returns the voice that reads posts, as the server chooses it */
export function readerOf(
  { voices, default_voice_id, default_voices }: Readers,
  language?: string,
): SiteVoices['voices'][number] | undefined {
  const main = voices.find(({ id }) => id === default_voice_id);
  const wanted = language ?? (main ?? voices[0])?.language;
  if (main?.language === wanted) return main;
  const speaking = voices.filter((voice) => voice.language === wanted);
  return speaking.find(({ id }) => default_voices.includes(id)) ?? speaking[0];
}
