import { AppError } from '../errors.ts';
import { primaryLanguage } from '../http/language-code.ts';
import type { Catalog } from '../voices/catalog.ts';
import { checkLanguage } from './choose-voice.ts';
import type { StatusQuery } from './schema.ts';

const defaultLanguage = 'en';

/**
 * @returns the language a query asks for; English when it names none
 * @throws AppError `validation_failed` when no installed voice speaks it
 */
export async function askedLanguage(catalog: Catalog, query: StatusQuery): Promise<string> {
  const language = namedLanguage(query);
  if (language === undefined) return defaultLanguage;
  await checkLanguage(catalog, language);
  return language;
}

/**
 * @returns the language a query names, by either name of it
 * @throws AppError `validation_failed` when it is no language code
 */
export function namedLanguage(query: StatusQuery): string | undefined {
  const given = query.language ?? query.lang;
  if (given === undefined) return undefined;
  const language = primaryLanguage(given);
  if (language === undefined) {
    throw new AppError('validation_failed', 'Validation failed', {
      language: ['must be a language code like en or de'],
    });
  }
  return language;
}
