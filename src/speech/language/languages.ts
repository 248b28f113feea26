import { german } from './de/german.ts';
import { english } from './en/english.ts';
import { spanish } from './es/spanish.ts';
import { french } from './fr/french.ts';
import type { Language } from './language.ts';
import { plainLanguage } from './plain.ts';

const known: readonly Language[] = [english, german, french, spanish];

/** The language of a BCP 47 code; one without rules of its own is split into sentences and read as it stands. */
export function languageFor(code: string): Language {
  const primary = code.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  return known.find((language) => language.code === primary) ?? plainLanguage(primary);
}
