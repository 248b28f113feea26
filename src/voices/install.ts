import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import type { Database, Queries } from '../database/open.ts';
import type { NewVoice, Voice } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { sayText } from '../speech/say.ts';
import type { VoiceConfig } from '../speech/voice-config.ts';
import type { VoiceFiles } from '../speech/voice-model.ts';
import { WorkerDied, type Workers } from '../speech/workers.ts';
import { builtinVoices } from './builtin.ts';
import type { Catalog, InstalledVoice } from './catalog.ts';
import { askAgain, configPathOf, examineByWorker, stampOf, voiceRows } from './examine.ts';
import { sampleSentence } from './sample.ts';
import { forgetKnownFile, keepKnownFile, keepVoice, updateVoice, usesOf } from './store.ts';
import { forgetUpload, type VoiceUpload } from './upload.ts';

/** What is known of a voice beside its files. */
type VoiceFacts = Partial<
  Pick<NewVoice, 'name' | 'gender' | 'license' | 'source' | 'plan_required'>
>;

/** Puts voices into the folder and takes them out of it. */
export interface Installation {
  /**
   * Examines a voice that lies ready, and installs it; what is no good leaves nothing behind.
   * @param also what belongs into the transaction that makes it known
   * @returns a voice for each speaker
   * @throws AppError `validation_failed` with the reason; `conflict` when it, or another of its name, is there
   */
  install(
    upload: VoiceUpload,
    facts: VoiceFacts,
    also: (db: Queries, voices: readonly Voice[]) => Promise<void>,
  ): Promise<readonly Voice[]>;
  /**
   * Deletes the files of a voice, with all its speakers. Its id stays its own, should it come back.
   * @throws AppError `conflict` for a built-in one, and with the sites and posts that use it
   */
  remove(voice: InstalledVoice, also: (db: Queries) => Promise<void>): Promise<void>;
}

export interface InstallDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly workers: Workers;
  /** Of voices. */
  readonly folder: string;
}

export function createInstallation(deps: InstallDeps): Installation {
  // One after the other: two of the same name would both find it free.
  const turns = new PQueue({ concurrency: 1 });
  return {
    install: (upload, facts, also) =>
      turns.add(async () => {
        try {
          return await install(deps, upload, facts, also);
        } finally {
          forgetUpload(upload.modelPath);
        }
      }),
    remove: (voice, also) => turns.add(() => remove(deps, voice, also)),
  };
}

async function install(
  deps: InstallDeps,
  { modelPath, stem }: VoiceUpload,
  facts: VoiceFacts,
  also: (db: Queries, voices: readonly Voice[]) => Promise<void>,
): Promise<readonly Voice[]> {
  const { database, catalog, workers, folder } = deps;
  const target = join(folder, `${stem}.onnx`);
  if (existsSync(target) || builtinVoices.some((voice) => voice.stem === stem)) {
    throw new AppError('conflict', `There is a voice of the name ${stem} already`);
  }
  const configPath = configPathOf(modelPath);
  const found = await examineByWorker(workers, modelPath, configPath);
  if ('later' in found) throw new AppError('not_ready', 'The voice cannot be examined just now');
  if ('problem' in found) throw unusable(found.problem);
  const { contentHash, config } = found;
  const same = (await catalog.voices()).find((voice) => voice.content_hash === contentHash);
  if (same !== undefined) {
    throw new AppError('conflict', `This voice is there already: ${same.id}, ${same.name}`);
  }
  const gainDb = await heard(workers, { modelPath, configPath, contentHash }, config);
  const voices = await database.write(async (db) => {
    const stamp = stampOf(modelPath);
    await keepKnownFile(db, { path: target, stamp, content_hash: contentHash, problem: null });
    const kept: Voice[] = [];
    for (const row of voiceRows(stem, contentHash, config)) {
      const { id } = await keepVoice(db, {
        ...row,
        gain_db: row.speaker === 0 ? gainDb : null,
      });
      // Several speakers keep the names by which they are told apart.
      const { name, ...others } = facts;
      const own = config.speakers.length === 1 && name !== undefined ? { name, ...others } : others;
      kept.push(await updateVoice(db, id, { ...own, enabled: 1 }));
    }
    await also(db, kept);
    return kept;
  });
  renameSync(configPath, configPathOf(target));
  renameSync(modelPath, target);
  await catalog.lookAgain();
  return voices;
}

/**
 * Lets a voice speak before anybody relies on it.
 * @returns its gain in dB
 * @throws AppError `validation_failed` when what it says is no sound
 */
async function heard(
  workers: Workers,
  files: VoiceFiles,
  { language, sampleRateHz }: VoiceConfig,
): Promise<number> {
  try {
    const { gainDb } = await askAgain(workers, 'measure', { voice: files, speaker: 0 });
    const voice = { files, speaker: 0, gainDb, language, sampleRateHz };
    const text = { content: sampleSentence(language), title: null };
    if ((await sayText(workers, voice, text)) === undefined) throw unusable('it can say nothing');
    return gainDb;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'validation_failed') {
      throw unusable(error.message);
    }
    if (error instanceof WorkerDied) throw unusable('to let it speak ends the program');
    throw error;
  }
}

function unusable(problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { model: [problem] });
}

async function remove(
  { database, catalog }: InstallDeps,
  { stem, files, content_hash }: InstalledVoice,
  also: (db: Queries) => Promise<void>,
): Promise<void> {
  if (builtinVoices.some((voice) => voice.modelPath === files.modelPath)) {
    throw new AppError('conflict', 'A built-in voice can only be disabled');
  }
  await database.write(async (db) => {
    const { sites, posts } = await usesOf(db, content_hash);
    if (sites.length > 0 || posts.length > 0) {
      throw new AppError('conflict', `The voice ${stem} is in use`, { sites, posts });
    }
    await forgetKnownFile(db, files.modelPath);
    await also(db);
    rmSync(files.modelPath, { force: true });
    rmSync(files.configPath, { force: true });
  });
  await catalog.lookAgain();
}
