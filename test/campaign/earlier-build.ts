import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { changeRows } from '../fixtures/change-rows.ts';
import { defaultVoice, defaultVoiceFile, defaultVoiceGainDb, installVoice } from '../fixtures/default-voice.ts';
import { runCommand, startTestServer } from '../fixtures/server.ts';
import { type FrozenFacts, unpackFrozen } from '../upgrade/frozen-folder.ts';
import { HonestClient } from './honest-client.ts';
import type { Random } from './random.ts';
import type { CampaignRecord } from './record.ts';
import type { Supervisor } from './supervisor.ts';

const builds = ['24-six-voices', '24-five-voices', '24-two-voices'] as const;

interface EarlierBuildOptions {
  readonly data: string;
  readonly random: Random;
  readonly record: CampaignRecord;
  readonly command: readonly string[] | undefined;
  readonly webhookUrl: string;
}

/**
 * Upgrades a data folder of an earlier build with unfinished posts, and installs the voice of the campaign.
 * @returns the facts about its posts
 */
export async function startFromEarlierBuild(options: EarlierBuildOptions): Promise<FrozenFacts> {
  const { data, random, record, command, webhookUrl } = options;
  const name = random.pick(builds);
  const { data: unpacked, facts } = await unpackFrozen(join(import.meta.dir, `../upgrade/frozen/${name}.tar.gz`));
  cpSync(unpacked, data, { recursive: true });
  changeRows(data, 'update webhook_endpoint set url = ?', webhookUrl);
  const server = await startTestServer({
    ...(command === undefined ? {} : { command }),
    ...{ data, key: facts.key, voices: 'built-in', isPreloading: true },
  });
  record.recordFault(`start on the data folder of an earlier build, ${name}`);
  await runCommand(['queue', 'resume', '--data', data]);
  await server.stop();
  await installVoice(data, defaultVoiceFile, defaultVoice, defaultVoiceGainDb);
  return facts;
}

/** Checks that its posts are finished, and that ready audio has the same MP3 at the same URL. */
export async function accountForEarlierBuild(
  supervisor: Supervisor,
  record: CampaignRecord,
  { key, queued, ready, voices }: FrozenFacts,
): Promise<void> {
  const client = new HonestClient(supervisor, record, key, '203.0.113.251');
  for (const { post_id, language, voice_id } of queued) {
    const spoken = language ?? voices.find(({ id }) => id === voice_id)?.language ?? 'en';
    const path = `/v1/audio/${encodeURIComponent(post_id)}/status?language=${spoken}`;
    const response = await client.request({ kind: 'status', path, expected: [200] });
    const audio = response?.data<AudioRecord>();
    if (audio?.status === 'ready') record.count('accounted: ready, of the earlier build');
    else record.recordViolation(`${post_id} of the earlier build is ${audio?.status}: ${audio?.error}`);
  }
  const mp3 = await client.request({ kind: 'MP3', path: ready.url, expected: [200] });
  const sha256 = new Bun.CryptoHasher('sha256').update(mp3?.bytes ?? '').digest('hex');
  if (sha256 !== ready.sha256) record.recordViolation('the MP3 of the earlier build has changed');
}
