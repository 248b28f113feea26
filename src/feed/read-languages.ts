import type { Database } from '../database/open.ts';
import { listReadLanguages } from './store.ts';

const keptMs = 60_000;

/** @returns whether there are posts, of whatever site, that were read in a language; as of a minute ago at most */
export function createReadLanguages(database: Database): (language: string) => Promise<boolean> {
  let known: { readonly untilMs: number; readonly languages: Promise<string[]> } | undefined;
  return async (language) => {
    if (known === undefined || known.untilMs <= Date.now()) {
      known = { untilMs: Date.now() + keptMs, languages: listReadLanguages(database.read) };
      known.languages.catch(() => {
        known = undefined;
      });
    }
    return (await known.languages).includes(language);
  };
}
