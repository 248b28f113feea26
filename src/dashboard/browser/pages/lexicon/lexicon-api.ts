import { addressOf, api, ask, part, send } from '../../api.ts';
import { readSiteVoices } from '../../site-voices.ts';
import { say } from '../posts/posts-api.ts';

/** A site in the path; undefined: the lexicon of the installation. */
export type LexiconOf = string | undefined;

type EntryPage = Awaited<ReturnType<typeof readEntries>>;
export type Entry = EntryPage['items'][number];
export type Touched = Awaited<ReturnType<typeof previewWord>>;

/** What an entry says. */
export interface EntryBody {
  readonly word: string;
  readonly alias: string;
  readonly language: string;
  readonly match_case: boolean;
}

export function readEntries(
  of: LexiconOf,
  choice: { readonly search: string; readonly language: string | undefined },
  cursor: string | undefined,
) {
  const query = {
    ...(choice.search.trim() !== '' && { q: choice.search.trim() }),
    ...(choice.language !== undefined && { language: choice.language }),
    ...(cursor !== undefined && { cursor }),
  };
  return ask(of === undefined ? api.pronunciations.get({ query }) : ofSite(of).get({ query }));
}

export function createEntry(of: LexiconOf, body: EntryBody) {
  return ask(of === undefined ? api.pronunciations.post(body) : ofSite(of).post(body));
}

export function changeEntry(of: LexiconOf, id: number, body: EntryBody) {
  return ask(entryOf(of, id).patch(body));
}

export function deleteEntry(of: LexiconOf, id: number) {
  return ask(entryOf(of, id).delete());
}

/** What of the posts holds a word. */
export function previewWord(of: LexiconOf, body: EntryBody) {
  return ask(
    of === undefined ? api.pronunciations.preview.post(body) : ofSite(of).preview.post(body),
  );
}

/** @param id one entry; undefined: all that was changed */
export function remakeTouched(of: LexiconOf, id: number | undefined) {
  if (id !== undefined) return ask(entryOf(of, id).remake.post());
  return ask(of === undefined ? api.pronunciations.remake.post() : ofSite(of).remake.post());
}

/** What came, or would come, of a file. */
export interface Imported {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly deleted: number;
}

export async function importFile(
  of: LexiconOf,
  file: File,
  how: { readonly mode: 'merge' | 'replace'; readonly isDryRun: boolean },
): Promise<Imported> {
  const isCsv = !/\.(pls|xml)$/i.test(file.name);
  const answer = await send(`${pathOf(of)}/import?mode=${how.mode}&dry_run=${how.isDryRun}`, {
    method: 'POST',
    headers: { 'content-type': isCsv ? 'text/csv' : 'application/pls+xml' },
    body: file,
  });
  const { data } = (await answer.json()) as { data: Imported };
  return data;
}

/** @param language one, which PLS needs; undefined: all */
export function exportAddress(
  of: LexiconOf,
  format: 'csv' | 'pls',
  language: string | undefined,
): string {
  const only = language === undefined ? '' : `&language=${part(language)}`;
  return addressOf(`${pathOf(of)}/export?format=${format}${only}`);
}

/**
 * How a word would be said with what stands in an entry.
 * @param voiceId who says it; of the installation it has to be named
 */
export function sayEntry(of: LexiconOf, body: EntryBody, voiceId: number): Promise<Response> {
  const said = { text: body.word, alias: body.alias };
  if (of !== undefined) return say(of, { ...said, voice_id: voiceId });
  return send(`/voices/${voiceId}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(said),
  });
}

/** Who may say an entry. */
export interface Speaker {
  readonly id: number;
  readonly name: string;
  readonly language: string;
}

/** @returns the voices by which entries of a lexicon are heard, the usual one first */
export async function readSpeakers(of: LexiconOf): Promise<readonly Speaker[]> {
  if (of === undefined) {
    const { voices } = await ask(api.voices.get());
    return voices.filter(({ enabled }) => enabled);
  }
  const { voices, default_voice_id: usual } = await readSiteVoices(of);
  return [...voices].sort((one, other) => Number(other.id === usual) - Number(one.id === usual));
}

function ofSite(site: string) {
  return api.sites({ site: part(site) }).pronunciations;
}

function entryOf(of: LexiconOf, id: number) {
  const entry = { pronunciation: part(id) };
  return of === undefined ? api.pronunciations(entry) : ofSite(of)(entry);
}

function pathOf(of: LexiconOf): string {
  return of === undefined ? '/pronunciations' : `/sites/${part(of)}/pronunciations`;
}
