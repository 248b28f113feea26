import { readFileSync } from 'node:fs';
import { parseVoiceConfig, type VoiceConfig } from '../speech/voice/voice-config.ts';
import type { InstalledVoice } from './catalog.ts';

/** By content: the file may be another one by now. */
const known = new Map<string, VoiceConfig>();
const knownMax = 200;

/** @returns the symbols a voice learned; undefined when its config cannot be read just now */
export function phonemeMapOf({
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
