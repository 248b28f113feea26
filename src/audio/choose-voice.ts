import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { primaryLanguage } from '../http/validation.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, defaultVoice, isUnlocked } from '../voices/store.ts';
import type { StatusQuery } from './schema.ts';
import type { GenerateRequest } from './submit.ts';

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

/**
 * The voice an article is spoken in: the one asked for; else, with a language, the site's default for it or the lowest
 * id of it; else the site's default. Where that one is gone or disabled, another of its language takes its place.
 * @throws AppError `validation_failed` (unknown, disabled, wrong language, none), `plan_restriction`
 */
export async function chooseVoice(
  catalog: Catalog,
  site: Site,
  request: Pick<GenerateRequest, 'voiceId' | 'language'>,
): Promise<InstalledVoice> {
  const enabled = (await catalog.voices()).filter((voice) => voice.enabled === 1);
  if (request.voiceId !== null)
    return requestedVoice(enabled, site, request.voiceId, request.language);

  const allowed = allowedVoices(enabled, site);
  const usual = defaultVoice(allowed, site);
  const language = request.language ?? (await languageOfLost(catalog, site, usual));
  if (language === null) {
    if (usual === undefined) throw wrong('voice_id', 'no voice is installed');
    return usual;
  }
  if (usual?.language === language) return usual;
  const inLanguage = allowed.find((voice) => voice.language === language);
  if (inLanguage === undefined) throw unsupported(language, allowed);
  return inLanguage;
}

/** @returns the language of a site's default voice that can't be used any more: no other language is read by chance */
async function languageOfLost(
  catalog: Catalog,
  { default_voice_id: wanted }: Site,
  usual: InstalledVoice | undefined,
): Promise<string | null> {
  if (wanted === null || usual?.id === wanted) return null;
  return (await catalog.languageOf(wanted)) ?? null;
}

/** @throws AppError `validation_failed` when no installed voice speaks the language */
export async function checkLanguage(catalog: Catalog, language: string): Promise<void> {
  const voices = await catalog.voices();
  if (!voices.some((voice) => voice.language === language)) throw unsupported(language, voices);
}

function requestedVoice(
  enabled: readonly InstalledVoice[],
  site: Site,
  voiceId: number,
  language: string | null,
): InstalledVoice {
  const voice = enabled.find(({ id }) => id === voiceId);
  if (voice === undefined) throw wrong('voice_id', `there is no voice ${voiceId}`);
  if (language !== null && voice.language !== language) {
    throw wrong('language', `voice ${voiceId} speaks ${voice.language}, not ${language}`);
  }
  if (!isUnlocked(voice, site)) {
    throw new AppError('plan_restriction', 'Plan restriction', {
      voice_id: [`voice ${voiceId} needs the plan ${voice.plan_required}`],
    });
  }
  return voice;
}

function unsupported(language: string, voices: readonly InstalledVoice[]): AppError {
  const known = [...new Set(voices.map((voice) => voice.language))].sort().join(', ');
  return wrong('language', `${language} is not supported; installed voices speak: ${known}`);
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
