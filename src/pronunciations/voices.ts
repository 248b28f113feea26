import { readFileSync } from 'node:fs';
import type { Site } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { givenIn, symbolsOf } from '../speech/pronunciation/inline-phonemes.ts';
import { parseVoiceConfig, type VoiceConfig } from '../speech/synthesize/voice-config.ts';
import type { InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, defaultVoice } from '../voices/store.ts';
import type { Entry } from './entry.ts';
import type { LackingVoice } from './schema.ts';

/** By content: the file may be another one by now. */
const known = new Map<string, VoiceConfig>();
const knownMax = 200;

/** @returns the symbols a voice learned; undefined when its config cannot be read just now */
function phonemeMapOf({
  files,
}: InstalledVoice): Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap'> | undefined {
  const { contentHash, configPath } = files;
  if (known.has(contentHash)) return known.get(contentHash);
  const config = readConfig(configPath);
  if (known.size >= knownMax) known.clear();
  if (config !== undefined) known.set(contentHash, config);
  return config;
}

function readConfig(path: string): VoiceConfig | undefined {
  try {
    return parseVoiceConfig(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** So many symbols are named, at most, and so many voices that lack one. */
const namedMax = 10;

/** @returns the problems of an entry's phonemes, a sentence each; none when they can be said */
export type JudgePhonemes = (entry: Pick<Entry, 'alias' | 'language'>) => PhonemeFindings;

/** What the voices say of an entry's phonemes. */
interface PhonemeFindings {
  /** Why it is not taken: nobody could say it, or not the voice that is usual. */
  readonly problems: readonly string[];
  /** Voices that say the written word instead. */
  readonly lacking: readonly LackingVoice[];
}

const nothing: PhonemeFindings = { problems: [], lacking: [] };

/**
 * Looks phonemes up in the maps of the voices that may say them.
 * @param site null: every site
 */
export function judgePhonemes(
  voices: readonly InstalledVoice[],
  site: Pick<Site, 'plan' | 'default_voice_id'> | null,
): JudgePhonemes {
  const allowed =
    site === null ? voices.filter(({ enabled }) => enabled === 1) : allowedVoices(voices, site);
  const usual = site === null ? undefined : defaultVoice(allowed, site);
  return ({ alias, language }) => {
    if (!alias.includes('[[')) return nothing;
    const speaking = allowed.filter((voice) => language === '' || voice.language === language);
    const findings = unknownTo(speaking, alias);
    const lacking = findings.filter(({ unknown }) => unknown.length > 0);
    const first = usual !== undefined && speaking.includes(usual) ? usual : speaking[0];
    const isRefused =
      lacking.length === findings.length ||
      (site !== null && lacking.some(({ speakers }) => speakers.some((one) => one === first)));
    return {
      problems: findings.length === 0 ? [noVoice(language)] : isRefused ? problemsOf(lacking) : [],
      lacking: lacking.flatMap(({ speakers, unknown }) => {
        const symbols = [...new Set(unknown.map(({ symbol }) => symbol))];
        return speakers.map(({ id, name }) => ({ voice_id: id, name, symbols }));
      }),
    };
  };
}

/** @throws AppError `validation_failed` naming each symbol, its place and the voice */
export function checkPhonemes(
  judge: JudgePhonemes,
  entry: Pick<Entry, 'alias' | 'language'>,
): void {
  const problems = [...judge(entry).problems];
  if (problems.length === 0) return;
  throw new AppError('validation_failed', 'Validation failed', { alias: problems });
}

interface PlacedSymbol {
  readonly symbol: string;
  /** Counted in characters from 1. */
  readonly place: number;
}

/** The speakers of one model, who learned the same, and what they never learned of an alias. */
interface Finding {
  readonly speakers: readonly InstalledVoice[];
  readonly unknown: readonly PlacedSymbol[];
}

/** Asks each model once: it may have hundreds of speakers. */
function unknownTo(voices: readonly InstalledVoice[], alias: string): Finding[] {
  const models = Map.groupBy(voices, (voice) => voice.content_hash);
  return [...models.values()].map((speakers) => ({
    speakers,
    unknown: speakers.slice(0, 1).flatMap((voice) => unknownIn(alias, voice)),
  }));
}

function unknownIn(alias: string, voice: InstalledVoice): PlacedSymbol[] {
  const map = phonemeMapOf(voice) ?? { phonemeIds: {}, phonemeMap: {} };
  return givenIn(alias).flatMap(({ ipa, offset: start }) =>
    symbolsOf(ipa, map).unknown.map(({ symbol, offset }) => ({
      symbol,
      place: [...alias.slice(0, start + offset)].length + 1,
    })),
  );
}

/** @returns for each symbol where it stands first, and who lacks it */
function problemsOf(lacking: readonly Finding[]): string[] {
  const places = new Map<string, number>();
  for (const { symbol, place } of lacking.flatMap(({ unknown }) => unknown)) {
    if (!places.has(symbol)) places.set(symbol, place);
  }
  return [...places].slice(0, namedMax).map(([symbol, place]) => {
    const names = lacking
      .filter(({ unknown }) => unknown.some((one) => one.symbol === symbol))
      .flatMap(({ speakers }) => speakers.map(({ name }) => name));
    const further = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
    const named = names.slice(0, namedMax).join(', ');
    return `${symbol} (character ${place}) is no phoneme of ${named}${further}`;
  });
}

function noVoice(language: string): string {
  const speaking = language === '' ? 'is enabled' : `that is enabled speaks ${language}`;
  return `has phonemes, but no voice ${speaking}`;
}
