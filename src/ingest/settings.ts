import type { FeedSource } from '../database/feed-tables.ts';
import { AppError } from '../errors.ts';
import { primaryLanguage } from '../http/language-code.ts';
import { readTarget, type Targets } from '../http/targets.ts';
import type { SourceChanges } from './schema.ts';
import type { SourceSettings } from './source-store.ts';

const usual = {
  enabled: true,
  language: null,
  voiceId: null,
  visibility: 'public',
  updates: true,
  backfill: 10,
  intervalMinutes: null,
} as const;

/**
 * Reads what is asked for a new source.
 * @throws AppError `validation_failed`
 */
export async function newSettings(
  targets: Targets,
  asked: SourceChanges & { readonly url: string },
): Promise<SourceSettings> {
  return { ...usual, ...changesOf(asked), url: await checkedUrl(targets, asked.url) };
}

/**
 * Reads what is asked for a source that is there: what is not named stays.
 * @throws AppError `validation_failed`
 */
export async function changedSettings(
  targets: Targets,
  asked: SourceChanges,
): Promise<Partial<SourceSettings>> {
  const url = asked.url === undefined ? {} : { url: await checkedUrl(targets, asked.url) };
  return { ...changesOf(asked), ...url };
}

export function settingsOf(source: FeedSource): SourceSettings {
  return {
    url: source.url,
    enabled: source.enabled === 1,
    language: source.language,
    voiceId: source.voice_id,
    visibility: source.visibility,
    updates: source.updates === 1,
    backfill: source.backfill,
    intervalMinutes: source.interval_minutes,
  };
}

/** @throws AppError `validation_failed` for an address that may not be fetched */
export async function checkedUrl(targets: Targets, given: string): Promise<string> {
  const target = await readTarget(targets, given);
  if (target.problem === undefined) return target.url;
  throw new AppError('validation_failed', 'Validation failed', { url: [target.problem] });
}

function changesOf(asked: SourceChanges): Partial<SourceSettings> {
  return {
    ...(asked.enabled !== undefined && { enabled: asked.enabled }),
    ...(asked.language !== undefined && { language: languageIn(asked.language) }),
    ...(asked.voice_id !== undefined && { voiceId: asked.voice_id }),
    ...(asked.visibility !== undefined && { visibility: asked.visibility }),
    ...(asked.updates !== undefined && { updates: asked.updates }),
    ...(asked.backfill !== undefined && { backfill: asked.backfill }),
    ...(asked.interval_minutes !== undefined && { intervalMinutes: asked.interval_minutes }),
  };
}

function languageIn(given: string | null): string | null {
  if (given === null) return null;
  const language = primaryLanguage(given);
  if (language !== undefined) return language;
  throw new AppError('validation_failed', 'Validation failed', {
    language: ['must be a language code like en or de'],
  });
}
