import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publishFile } from '../../files.ts';
import { configPathOf } from '../examine.ts';
import { type Arrival, arrivalPath } from '../installation/arrival.ts';
import { checkLicense, checkNameFree } from '../installation/install.ts';
import { decisiveLicense, licenseOfModelCard } from '../license.ts';
import { download } from './download.ts';
import { type MirrorFile, type MirrorVoice, shownUrl } from './piper-catalog.ts';

/** What the caller of a download says. */
export interface PullOptions {
  /** Of voices. */
  readonly folder: string;
  /** Named by the caller; undefined: the model card alone counts. */
  readonly license: string | undefined;
  readonly acceptLicense: boolean;
  /** Told how many bytes of the whole voice are there. */
  readonly onProgress: (byteCount: number, byteMax: number) => void;
}

/**
 * Fetches a voice of a mirror into the folder of voices, under a hidden name. The model, which is large, comes last:
 * after the name was found free and the licence accepted.
 * @throws AppError `conflict`, `validation_failed` (the licence), `operation_failed`
 */
export async function pullVoice(voice: MirrorVoice, options: PullOptions): Promise<Arrival> {
  const { folder, license, acceptLicense, onProgress } = options;
  checkNameFree(folder, voice.stem);
  const modelPath = arrivalPath(folder);
  const files = [voice.modelCard, voice.config, voice.model].filter((file) => file !== null);
  const byteMax = files.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let before = 0;
  const fetched = async (file: MirrorFile): Promise<string> => {
    // By its sum: another file of the mirror is never gone on with.
    const target = join(folder, `.pull-${file.md5}.part`);
    await download(file, target, (byteCount) => onProgress(before + byteCount, byteMax));
    before += file.byteCount;
    return target;
  };
  const card = voice.modelCard === null ? null : takenText(await fetched(voice.modelCard));
  const cardLicense = card === null ? null : licenseOfModelCard(card);
  checkLicense(voice.stem, decisiveLicense(license, cardLicense), acceptLicense);
  const config = await fetched(voice.config);
  await publishFile(await fetched(voice.model), modelPath, voice.model.byteCount);
  await publishFile(config, configPathOf(modelPath), voice.config.byteCount);
  const source = shownUrl(voice.model.url);
  return {
    ...{ modelPath, stem: voice.stem, licenseText: card },
    facts: { source, ...(license !== undefined && { license }) },
  };
}

function takenText(path: string): string {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  return text;
}
