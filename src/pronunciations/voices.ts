import { readFileSync } from 'node:fs';
import { invalid } from '../errors.ts';
import { findInlinePhonemes, toVoiceSymbols } from '../speech/pronunciation/inline-phonemes.ts';
import { parseVoiceConfig, type VoiceConfig } from '../speech/synthesize/voice-config.ts';
import type { InstalledVoice } from '../voices/catalog.ts';
import { allowedVoices, type DefaultVoices, selectDefaultVoice } from '../voices/store.ts';
import type { Entry, PhonemeProblems, PhonemeValidator } from './entry.ts';

/** By content hash. */
const configCache = new Map<string, VoiceConfig>();
const maxCachedConfigs = 200;

/** @returns undefined when the config cannot be read */
function findPhonemeMap({ files }: InstalledVoice): Pick<VoiceConfig, 'phonemeIds' | 'phonemeMap'> | undefined {
  const { contentHash, configPath } = files;
  const cached = configCache.get(contentHash);
  if (cached !== undefined) return cached;
  try {
    const config = parseVoiceConfig(readFileSync(configPath, 'utf8'));
    if (configCache.size >= maxCachedConfigs) configCache.clear();
    configCache.set(contentHash, config);
    return config;
  } catch {
    return undefined;
  }
}

/** Symbols, and voices per symbol. */
const maxNamed = 10;

const noProblems: PhonemeProblems = { problems: [], lacking: [] };

/**
 * Checks phonemes against the voices that may speak them.
 * @param site null: every site
 */
export function createPhonemeValidator(
  voices: readonly InstalledVoice[],
  site: DefaultVoices | null,
): PhonemeValidator {
  const allowed = site === null ? voices.filter(({ enabled }) => enabled === 1) : allowedVoices(voices, site);
  return ({ alias, language }) => {
    if (!alias.includes('[[')) return noProblems;
    const speaking = allowed.filter((voice) => language === '' || voice.language === language);
    const findings = findUnsupportedByModel(speaking, alias);
    const unsupportedFindings = findings.filter(({ unsupported }) => unsupported.length > 0);
    const first = site === null ? speaking[0] : selectDefaultVoice(allowed, site, language || undefined);
    const isRefused =
      unsupportedFindings.length === findings.length ||
      (site !== null && unsupportedFindings.some(({ speakers }) => speakers.some((speaker) => speaker === first)));
    return {
      problems:
        findings.length === 0 ? [formatNoVoiceProblem(language)] : isRefused ? formatProblems(unsupportedFindings) : [],
      lacking: unsupportedFindings.flatMap(({ speakers, unsupported }) => {
        const symbols = [...new Set(unsupported.map(({ symbol }) => symbol))];
        return speakers.map(({ id, name }) => ({ voice_id: id, name, symbols }));
      }),
    };
  };
}

/** @throws AppError `validation_failed` naming each symbol, its place and the voice */
export function validatePhonemes(judge: PhonemeValidator, entry: Pick<Entry, 'alias' | 'language'>): void {
  const problems = [...judge(entry).problems];
  if (problems.length === 0) return;
  throw invalid('alias', ...problems);
}

interface UnsupportedPhoneme {
  readonly symbol: string;
  /** Counted in characters from 1. */
  readonly position: number;
}

/** All speakers of a model support the same phonemes. */
interface ModelSupport {
  readonly speakers: readonly InstalledVoice[];
  readonly unsupported: readonly UnsupportedPhoneme[];
}

/** Checks each model once: it may have hundreds of speakers. */
function findUnsupportedByModel(voices: readonly InstalledVoice[], alias: string): ModelSupport[] {
  const models = Map.groupBy(voices, (voice) => voice.content_hash);
  return [...models.values()].map((speakers) => ({
    speakers,
    unsupported: speakers.slice(0, 1).flatMap((voice) => findUnsupportedPhonemes(alias, voice)),
  }));
}

function findUnsupportedPhonemes(alias: string, voice: InstalledVoice): UnsupportedPhoneme[] {
  const map = findPhonemeMap(voice) ?? { phonemeIds: {}, phonemeMap: {} };
  return findInlinePhonemes(alias).flatMap(({ ipa, offset: start }) =>
    toVoiceSymbols(ipa, map).unknown.map(({ symbol, offset }) => ({
      symbol,
      position: [...alias.slice(0, start + offset)].length + 1,
    })),
  );
}

function formatProblems(findings: readonly ModelSupport[]): string[] {
  const places = new Map<string, number>();
  for (const { symbol, position: place } of findings.flatMap(({ unsupported }) => unsupported)) {
    if (!places.has(symbol)) places.set(symbol, place);
  }
  return [...places].slice(0, maxNamed).map(([symbol, place]) => {
    const names = findings
      .filter(({ unsupported }) => unsupported.some((phoneme) => phoneme.symbol === symbol))
      .flatMap(({ speakers }) => speakers.map(({ name }) => name));
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    const named = names.slice(0, maxNamed).join(', ');
    return `${symbol} (character ${place}) is not supported by ${named}${more}`;
  });
}

function formatNoVoiceProblem(language: string): string {
  const speaking = language === '' ? 'is enabled' : `that is enabled speaks ${language}`;
  return `contains phonemes, but no voice ${speaking}`;
}
