import type { Database, Queries } from '../database/database.ts';
import type { Audio, Site } from '../database/schema.ts';
import { AppError, invalid } from '../errors.ts';
import { addWarnings } from '../http/request-context.ts';
import { parsePrimaryLanguage, requireLanguage } from '../http/validation.ts';
import { listInvalidSsml } from '../speech/extract/ssml.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';
import { type Catalog, type InstalledVoice, isNamedBy } from '../voices/catalog.ts';
import { allowedVoices, type DefaultVoices, isUnlocked, selectDefaultVoice } from '../voices/store.ts';
import { type ClaimedAudio, storeReplacement } from './job-store.ts';
import type { StatusQuery } from './schema.ts';
import { listPostLanguages } from './store.ts';

const defaultLanguage = 'en';

/**
 * @returns the language of a query; default: English
 * @throws AppError `validation_failed` when no installed voice speaks it
 */
export async function requestedLanguage(catalog: Catalog, query: StatusQuery): Promise<string> {
  const language = parseLanguage(query);
  if (language === undefined) return defaultLanguage;
  await checkLanguage(catalog, language);
  return language;
}

/**
 * @returns `language` or `lang` of a query
 * @throws AppError `validation_failed` when it is no language code
 */
export function parseLanguage(query: StatusQuery): string | undefined {
  const given = query.language ?? query.lang;
  return given === undefined ? undefined : requireLanguage(given);
}

/**
 * A client that omits the language asks for English, also of a post that it submitted to a site with a German voice.
 * @returns the error for a post without audio in a language; names the languages that it has
 */
export async function buildPostNotFound(
  db: Queries,
  siteId: number,
  postId: string,
  language: string,
): Promise<AppError> {
  const languages = await listPostLanguages(db, siteId, postId);
  if (languages.length === 0) return new AppError('post_not_found');
  const problem = `the post has no audio in ${language}; it has: ${languages.join(', ')}`;
  return new AppError('post_not_found', 'Post not found', { language: [problem] });
}

/**
 * The voice of an article: the requested one, or its successor; else, with a language, the site's default voice if it speaks it,
 * the one that the site has for the language, or the voice of it with the lowest id; else the site's default voice. If that
 * is missing or disabled, another voice of its language replaces it.
 * @throws AppError `validation_failed` (unknown, disabled, wrong language, none), `plan_restriction`
 */
export async function chooseVoice(
  catalog: Catalog,
  site: DefaultVoices,
  request: { readonly voiceId: number | null; readonly language: string | null },
): Promise<InstalledVoice> {
  const listEnabled = async () => (await catalog.voices()).filter((voice) => voice.enabled === 1);
  let enabled = await listEnabled();
  const { voiceId } = request;
  const isKnown = voiceId === null || enabled.some((voice) => isNamedBy(voice, voiceId));
  // Its files may not be inspected yet, as after a restore.
  if (!isKnown && (await catalog.find(voiceId)) !== undefined) enabled = await listEnabled();
  if (request.voiceId !== null) return resolveRequestedVoice(enabled, site, request.voiceId, request.language);

  const allowed = allowedVoices(enabled, site);
  const defaultVoice = selectDefaultVoice(allowed, site);
  const language = request.language ?? (await findMissingVoiceLanguage(catalog, site, defaultVoice));
  if (language === null) {
    if (defaultVoice === undefined) throw invalid('voice_id', 'no voice is installed');
    return defaultVoice;
  }
  const inLanguage = selectDefaultVoice(allowed, site, language);
  if (inLanguage === undefined) throw unsupportedLanguage(language, allowed);
  return inLanguage;
}

/** @returns the language of a site's default voice that is not usable, so that its replacement speaks the same language */
async function findMissingVoiceLanguage(
  catalog: Catalog,
  { default_voice_id: id }: DefaultVoices,
  defaultVoice: InstalledVoice | undefined,
): Promise<string | null> {
  if (id === null || defaultVoice?.id === id) return null;
  return (await catalog.findLanguage(id)) ?? null;
}

/**
 * The voice of a claimed audio. If that is gone, a main audio gets its successor, else the voice of a request without a voice.
 * @throws AppError `bad_voice`: there is none; an extra voice is never replaced
 * @throws VoiceMissingError: another machine may have it
 */
export async function findOrReplaceVoice(
  database: Database,
  catalog: Catalog,
  audio: ClaimedAudio,
): Promise<InstalledVoice> {
  const voice = await catalog.find(audio.voice_id);
  if (voice?.id === audio.voice_id) return voice;
  if (voice === undefined) await catalog.requireUninstalled(audio.voice_id);
  if (audio.is_main === 0) throw new AppError('bad_voice', 'it is no longer installed');
  const replacement = await chooseReplacement(catalog, audio, voice);
  await database.write(audio.site_id, (db) => storeReplacement(db, audio, replacement.id));
  return replacement;
}

async function chooseReplacement(
  catalog: Catalog,
  { language, ...site }: ClaimedAudio,
  successor: InstalledVoice | undefined,
): Promise<InstalledVoice> {
  const [usable] = allowedVoices(successor === undefined ? [] : [successor], site);
  if (usable?.language === language) return usable;
  try {
    return await chooseVoice(catalog, site, { voiceId: null, language });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('bad_voice', `it is no longer installed, and no other voice speaks ${language}`);
  }
}

/** @throws AppError `validation_failed` when no installed voice speaks the language */
export async function checkLanguage(catalog: Catalog, language: string): Promise<void> {
  const voices = await catalog.voices();
  if (!voices.some((voice) => voice.language === language)) throw unsupportedLanguage(language, voices);
}

function resolveRequestedVoice(
  enabled: readonly InstalledVoice[],
  site: DefaultVoices,
  voiceId: number,
  language: string | null,
): InstalledVoice {
  const voice = enabled.find((voice) => isNamedBy(voice, voiceId));
  if (voice === undefined) throw invalid('voice_id', `voice ${voiceId} not found`);
  if (language !== null && voice.language !== language) {
    throw invalid('language', `voice ${voiceId} speaks ${voice.language}, not ${language}`);
  }
  if (!isUnlocked(voice, site)) {
    throw new AppError('plan_restriction', 'Plan restriction', {
      voice_id: [`voice ${voiceId} requires the ${voice.plan_required} plan`],
    });
  }
  return voice;
}

function unsupportedLanguage(language: string, voices: readonly InstalledVoice[]): AppError {
  const languages = [...new Set(voices.map((voice) => voice.language))].sort().join(', ');
  return invalid('language', `${language} is not supported; installed voices speak: ${languages}`);
}

/** Of an article that is accepted as it is. */
const maxSsmlWarnings = 10;
const maxRootTagUnits = 2_000;
/** At the start of the content, after a document type and comments. */
const ROOT_TAG = /^\s*(?:<[!?][^<>]*>\s*)*<(?:html|body|article|main)(\s[^<>]*)>/i;
const LANG = /\slang\s*=\s*["']?([\w-]{2,35})/i;

interface ContentRequest {
  readonly content: string;
  readonly contentType?: Audio['content_type'] | 'text/html' | undefined;
  readonly language?: string | null | undefined;
  readonly voiceId?: number | null | undefined;
}

/** Lists in the response what an author would not expect: SSML without effect, a language other than that of the content. */
export function warnOfContent(
  request: Request,
  site: Pick<Site, 'reading'>,
  { content, contentType, language, voiceId }: ContentRequest,
  voice: { readonly language: string },
): void {
  if (contentType === 'text/plain') return;
  const { ssml } = parseNarrationSettings(site.reading);
  if (ssml) {
    const invalid = listInvalidSsml(content, maxSsmlWarnings);
    addWarnings(
      request,
      invalid.map((value) => `SSML value ignored: ${value}`),
    );
  }
  if (language != null || voiceId != null) return;
  const named = findRootLanguage(content);
  if (named === undefined || named === voice.language) return;
  addWarnings(request, [
    `The content says lang="${named}", but ${voice.language} is spoken. Send language to choose another one`,
  ]);
}

/** @returns the language of a root element, as BCP 47 primary code */
function findRootLanguage(content: string): string | undefined {
  const [, attributes = ''] = ROOT_TAG.exec(content.slice(0, maxRootTagUnits)) ?? [];
  return parsePrimaryLanguage(LANG.exec(attributes)?.[1] ?? '');
}
