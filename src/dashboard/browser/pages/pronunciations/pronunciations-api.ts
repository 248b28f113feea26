import {
  api,
  buildApiUrl,
  type DataOf,
  fetchApi,
  fetchVoiceTest,
  type ItemOf,
  request,
  siteRoutes,
} from '../../api.ts';
import { fetchSiteVoices, type SiteRoutes, type SiteVoices } from '../../site.tsx';
import { fetchSpeech } from '../posts/posts-api.ts';

/** A voice for previews. */
type PreviewVoice = Pick<SiteVoices['voices'][number], 'id' | 'name' | 'language'>;

/** The pronunciations of a page. */
export interface Pronunciations {
  /** Slug; undefined: those of the server. */
  readonly site: string | undefined;
  readonly canEdit: boolean;
  readonly voices: readonly PreviewVoice[];
  /** Lists are loaded again when it changes. */
  readonly changes: number;
  readonly onChanged: () => void;
}

export type Entry = ItemOf<SiteRoutes['pronunciations']>;
export type UnknownWord = ItemOf<SiteRoutes['unknown-words']>;

/** Body of an entry. */
export type EntryBody = Pick<Entry, 'word' | 'alias' | 'language' | 'match_case'>;

export function bodyOf({ word, alias, language, match_case }: EntryBody): EntryBody {
  return { word, alias, language, match_case };
}

/** @param site undefined: the server; @returns the route of its pronunciations */
export function entriesOf(site: string | undefined) {
  return site === undefined ? api.pronunciations : siteRoutes(site).pronunciations;
}

export function entryOf(site: string | undefined, { id }: Pick<Entry, 'id'>) {
  return entriesOf(site)({ pronunciation: encodeURIComponent(id) });
}

/** Result of an import or a dry run. */
export type ImportResult = DataOf<SiteRoutes['pronunciations']['import']['post']>;

export async function importFile(
  site: string | undefined,
  file: File,
  how: { readonly mode: 'merge' | 'replace'; readonly isDryRun: boolean },
): Promise<ImportResult> {
  const isCsv = !/\.(pls|xml)$/i.test(file.name);
  const answer = await fetchApi(`${pathOf(site)}/import?mode=${how.mode}&dry_run=${how.isDryRun}`, {
    method: 'POST',
    headers: { 'content-type': isCsv ? 'text/csv' : 'application/pls+xml' },
    body: file,
  });
  const { data } = (await answer.json()) as { data: ImportResult };
  return data;
}

/** @param language required for PLS; undefined: all */
export function buildExportUrl(site: string | undefined, format: 'csv' | 'pls', language?: string): string {
  const only = language === undefined ? '' : `&language=${encodeURIComponent(language)}`;
  return buildApiUrl(`${pathOf(site)}/export?format=${format}${only}`);
}

/** Speaks a word as an unsaved entry defines it. */
export function fetchEntrySpeech(site: string | undefined, word: string, alias: string, voiceId: number) {
  const said = { text: word, alias };
  return site === undefined ? fetchVoiceTest(voiceId, said) : fetchSpeech(site, { ...said, voice_id: voiceId });
}

/** @param language empty: any @returns the voice for previews of a word */
export function speakerOf(voices: Pronunciations['voices'], language: string): PreviewVoice | undefined {
  return voices.find((voice) => language === '' || voice.language === language);
}

/** @returns the voices for previews, the default voice of the site first */
export async function fetchPreviewVoices(site: string | undefined): Promise<readonly PreviewVoice[]> {
  if (site === undefined) return (await request(() => api.voices.get())).voices.filter(({ enabled }) => enabled);
  const { voices, default_voice_id: usual } = await fetchSiteVoices(site);
  return [...voices].sort((a, b) => Number(b.id === usual) - Number(a.id === usual));
}

function pathOf(site: string | undefined): string {
  return site === undefined ? '/pronunciations' : `/sites/${encodeURIComponent(site)}/pronunciations`;
}
