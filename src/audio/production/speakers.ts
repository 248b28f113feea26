import type { Site } from '../../database/tables.ts';
import { AppError } from '../../errors.ts';
import type { Alias, AliasesOf } from '../../speech/lexicon.ts';
import { allowedVoices, defaultVoice } from '../../voices/allowed.ts';
import type { Catalog, InstalledVoice } from '../../voices/catalog.ts';
import type { ClaimedAudio } from './store.ts';

/** A voice, and the gain that brings it to the common loudness, in dB. */
export interface Speaker {
  readonly voice: InstalledVoice;
  readonly gainDb: number;
}

/** A language of passages, and who speaks it. */
export interface ForeignSpeaking {
  readonly language: string;
  readonly aliases: readonly Alias[];
  /** Asked for only where there is such a passage: an unheard voice is measured first. */
  speaker(): Promise<Speaker>;
}

/** @throws AppError `bad_voice` when the voice can't be measured */
export async function speakerOf(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  // Rounded, as it is part of every segment's name.
  return { voice, gainDb: Math.round((await catalog.gainOf(voice)) * 100) / 100 };
}

/** As `speakerOf`, for a voice that nobody asked for by its name. @throws AppError that says which voice it is */
async function foreignSpeakerOf(catalog: Catalog, voice: InstalledVoice): Promise<Speaker> {
  try {
    return await speakerOf(catalog, voice);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_voice') throw error;
    throw new AppError(
      'operation_failed',
      `The voice ${voice.name}, of a passage in ${voice.language}, cannot speak: ${error.message}`,
    );
  }
}

/**
 * Who speaks passages in other languages than the article's: of each language the site's own voice, else the one of the
 * lowest id that its plan allows.
 */
export function foreignVoices(
  voices: readonly InstalledVoice[],
  site: Pick<Site, 'plan' | 'default_voice_id'>,
  language: string,
): ReadonlyMap<string, InstalledVoice> {
  const allowed = allowedVoices(voices, site).filter((voice) => voice.language !== language);
  const byLanguage = new Map<string, InstalledVoice>();
  for (const [code, some] of Map.groupBy(allowed, (voice) => voice.language)) {
    const voice = defaultVoice(some, site);
    if (voice !== undefined) byLanguage.set(code, voice);
  }
  return byLanguage;
}

/** Who may speak passages in other languages, and how words are said in them. */
export async function foreignSpeaking(
  catalog: Catalog,
  audio: ClaimedAudio,
  aliasesOf: AliasesOf,
): Promise<ForeignSpeaking[]> {
  const voices = foreignVoices(await catalog.voices(), audio, audio.language);
  return Promise.all(
    [...voices].map(async ([language, voice]) => ({
      language,
      aliases: await aliasesOf(audio.site_id, language),
      speaker: () => foreignSpeakerOf(catalog, voice),
    })),
  );
}
