import { api, buildApiUrl, encodeSegment, fetchApi, fetchVoiceTest, request } from '../../api.ts';
import type { ListQuery } from '../../components/collection.tsx';
import { fetchSiteVoices } from '../../site.tsx';
import { fetchSpeech } from '../posts/posts-api.ts';

/** Slug or ID of a site; undefined: the installation. */
export type PronunciationScope = string | undefined;

type EntryPage = Awaited<ReturnType<typeof fetchEntries>>;
export type Entry = EntryPage['items'][number];
export type AffectedPosts = Awaited<ReturnType<typeof fetchAffectedPosts>>;

/** Body of an entry. */
export interface EntryBody {
  readonly word: string;
  readonly alias: string;
  readonly language: string;
  readonly match_case: boolean;
  /** Posts whose audio is regenerated at once. */
  readonly regenerate_posts?: string[];
}

export function bodyOf({ word, alias, language, match_case }: Entry): EntryBody {
  return { word, alias, language, match_case };
}

export type UnknownWord = Awaited<ReturnType<typeof fetchUnknownWords>>['items'][number];

/** Names of the last 7 days that no dictionary knows. */
export function fetchUnknownWords(site: string) {
  return request(() => api.sites({ site: encodeSegment(site) })['unknown-words'].get({ query: {} }));
}

/** @param accepted the word is right as it is spoken */
export function acceptWord(site: string, word: string, accepted: boolean) {
  return request(() => api.sites({ site: encodeSegment(site) })['unknown-words'].accept.post({ word, accepted }));
}

/** @param query of the list: `q`, `language`, `cursor` */
export function fetchEntries(of: PronunciationScope, query: ListQuery) {
  return request(() => entriesOf(of).get({ query }));
}

export function createEntry(of: PronunciationScope, body: EntryBody) {
  return request(() => entriesOf(of).post(body));
}

export function updateEntry(of: PronunciationScope, id: number, body: EntryBody) {
  return request(() => entryOf(of, id).patch(body));
}

export function deleteEntry(of: PronunciationScope, id: number) {
  return request(() => entryOf(of, id).delete());
}

/** Posts that contain a word. */
export function fetchAffectedPosts(of: PronunciationScope, body: EntryBody) {
  return request(() => entriesOf(of).preview.post(body));
}

/** @param id one entry; undefined: all changed entries */
export function regenerateAffected(of: PronunciationScope, id: number | undefined) {
  return request(() => (id === undefined ? entriesOf(of) : entryOf(of, id)).remake.post());
}

/** Result of an import or a dry run. */
export interface ImportResult {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly deleted: number;
}

export async function importFile(
  of: PronunciationScope,
  file: File,
  how: { readonly mode: 'merge' | 'replace'; readonly isDryRun: boolean },
): Promise<ImportResult> {
  const isCsv = !/\.(pls|xml)$/i.test(file.name);
  const answer = await fetchApi(`${pathOf(of)}/import?mode=${how.mode}&dry_run=${how.isDryRun}`, {
    method: 'POST',
    headers: { 'content-type': isCsv ? 'text/csv' : 'application/pls+xml' },
    body: file,
  });
  const { data } = (await answer.json()) as { data: ImportResult };
  return data;
}

/** @param language required for PLS; undefined: all */
export function buildExportUrl(of: PronunciationScope, format: 'csv' | 'pls', language: string | undefined): string {
  const only = language === undefined ? '' : `&language=${encodeSegment(language)}`;
  return buildApiUrl(`${pathOf(of)}/export?format=${format}${only}`);
}

/**
 * Speaks a word as an unsaved entry defines it.
 * @param voiceId voice of the preview
 */
export function fetchEntrySpeech(
  of: PronunciationScope,
  body: Pick<EntryBody, 'word' | 'alias'>,
  voiceId: number,
): Promise<Response> {
  const said = { text: body.word, alias: body.alias };
  return of === undefined ? fetchVoiceTest(voiceId, said) : fetchSpeech(of, { ...said, voice_id: voiceId });
}

/** A voice for previews. */
export interface PreviewVoice {
  readonly id: number;
  readonly name: string;
  readonly language: string;
}

/** @returns the voices for previews, the default voice of the site first */
export async function fetchPreviewVoices(of: PronunciationScope): Promise<readonly PreviewVoice[]> {
  if (of === undefined) {
    const { voices } = await request(() => api.voices.get());
    return voices.filter(({ enabled }) => enabled);
  }
  const { voices, default_voice_id: usual } = await fetchSiteVoices(of);
  return [...voices].sort((a, b) => Number(b.id === usual) - Number(a.id === usual));
}

function entriesOf(of: PronunciationScope) {
  return of === undefined ? api.pronunciations : api.sites({ site: encodeSegment(of) }).pronunciations;
}

function entryOf(of: PronunciationScope, id: number) {
  return entriesOf(of)({ pronunciation: encodeSegment(id) });
}

function pathOf(of: PronunciationScope): string {
  return of === undefined ? '/pronunciations' : `/sites/${encodeSegment(of)}/pronunciations`;
}
