import { expect, test } from 'bun:test';
import { createPhonemeValidator } from '../../src/pronunciations/store.ts';
import { builtinVoices } from '../../src/voices/builtin-voices.ts';
import type { InstalledVoice } from '../../src/voices/catalog.ts';

test('a warning about many speakers names the first ones and lists all', () => {
  const judge = createPhonemeValidator(createSpeakers(12), null);
  expect(judge({ alias: '[[ʃɪˈvɔːn]]', language: 'en' })).toEqual({ problems: [], lacking: [] });
  const { problems, lacking } = judge({ alias: 'the [[ʞa]]', language: 'en' });
  expect(problems).toEqual(['ʞ (character 7) is not supported by S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 and 2 more']);
  expect(lacking.map(({ voice_id }) => voice_id)).toEqual([...Array(12).keys()]);
});

function createSpeakers(count: number): InstalledVoice[] {
  const { stem, modelPath, configPath } = builtinVoices[0] ?? {
    stem: '',
    modelPath: '',
    configPath: '',
  };
  const contentHash = 'model of many speakers';
  return Array.from({ length: count }, (_, id) => ({
    ...{ id, speaker: id, name: `S${id}`, content_hash: contentHash, stem },
    ...{ language: 'en', locale: 'en_US', quality: 'low', gender: 'neutral', enabled: 1 },
    ...{ sample_rate_hz: 16_000, gain_db: 0, real_time_factor: null, plan_required: 'starter' },
    ...{ license: null, license_accepted_by: null, license_accepted_at: null },
    ...{ license_accepted_text: null, source: null, installed_at: '2026-11-02T08:15:00.000Z' },
    ...{ builtin: null, replaced_by: null, deleted_at: null, formerIds: [] },
    files: { modelPath, configPath, contentHash },
  }));
}
