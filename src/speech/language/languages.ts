import { english } from './en/english.ts';
import type { Language } from './language.ts';
import { plainLanguage } from './plain.ts';

/** The language of a BCP 47 code; one without rules of its own is split into sentences and read as it stands. */
export function languageFor(code: string): Language {
  const primary = code.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return primary === 'en' ? english : plainLanguage(primary);
}
