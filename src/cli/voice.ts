import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { sumBytes } from '../archive.ts';
import type { Plan, Voice } from '../database/schema.ts';
import { AppError, operationFailed } from '../errors.ts';
import { readFileChunks, writeFileAtomically } from '../files.ts';
import { parseMirrorUrl } from '../setting.ts';
import { unpackBundle } from '../voices/bundle.ts';
import { getConfigPath } from '../voices/inspect.ts';
import { buildKokoroVoice, listStyles, readKokoroModel } from '../voices/kokoro.ts';
import { downloadVoice, fetchRegistry, findRegistryVoice, type RegistryVoice } from '../voices/registry.ts';
import {
  createStagingPath,
  deleteStagedVoice,
  getOptimizerKey,
  getSharedModelPath,
  maxConfigBytes,
  maxLicenseTextBytes,
  maxModelBytes,
  parseStem,
  type StagedVoice,
  toMetadata,
  type VoiceMetadata,
} from '../voices/voice-files.ts';
import { type CommonOptions, createCommand, createGroup, loadConfig } from './command.ts';
import { createProgressBar, formatTable, getIo, printResult } from './output.ts';
import {
  createListCommand,
  createManageCommands,
  formatVoiceTable,
  toVoiceOutput,
  type VoiceServices,
  withVoiceServices,
} from './voice-manage.ts';

interface InstallOptions extends CommonOptions {
  readonly plan?: Plan;
  readonly acceptLicense?: boolean;
}

interface AddOptions extends InstallOptions {
  readonly styles?: string;
  readonly voices?: readonly string[];
  readonly config?: string;
  readonly name?: string;
  readonly gender?: Voice['gender'];
  readonly license?: string;
  readonly modelCard?: string;
  readonly source?: string;
}

interface ImportOptions extends InstallOptions {
  readonly verify?: readonly string[];
}

interface PullOptions extends InstallOptions {
  readonly from?: string;
  readonly license?: string;
  readonly list?: boolean;
}

export function voiceCommand(): Command {
  const ofInstallation = (name: string, description: string) =>
    createCommand(name, description)
      .addOption(new Option('--plan <plan>', 'minimum plan').choices(['starter', 'growth', 'enterprise']))
      .option('--accept-license', 'accept a missing, unknown or non-commercial license');
  return createGroup('voice', 'manage voices', [
    createListCommand(),
    ofInstallation('add', 'install a Piper voice from its files, or voices of a Kokoro model')
      .argument('<file.onnx>', 'model file')
      .option('--styles <folder>', 'styles of a Kokoro model (af_heart.bin, …); each becomes a voice')
      .option('--voices <names...>', 'with --styles: only these, for example af_heart bm_george')
      .option('--config <file>', 'config file (default: FILE.onnx.json)')
      .option('--name <name>', 'display name', parseShortText)
      .addOption(new Option('--gender <gender>', 'gender of the voice').choices(['female', 'male', 'neutral']))
      .option('--license <text>', 'license, for example "CC BY 4.0"', parseShortText)
      .option('--model-card <file>', 'model card that names the license (default: MODEL_CARD in the same folder)')
      .option('--source <text>', 'source of the voice', parseShortText)
      .action(add),
    ofInstallation('pull', 'download a voice from a registry of Piper voices and install it')
      .argument('[name]', 'key or alias of the voice, for example en_GB-alba-medium')
      .option('--from <url>', 'URL of the registry (default: LECTERN_VOICE_MIRROR)', parseRegistryUrl)
      .option('--license <text>', 'license, if the model card names none', parseShortText)
      .option('--list', 'list the voices of the registry, optionally filtered by name')
      .action(pull),
    ofInstallation('import', 'install all voices of a bundle')
      .argument('<file.tar>', 'bundle created by `lectern voice bundle`')
      .option('--verify <public-key...>', 'public keys (PEM); the bundle must be signed by one of them')
      .action(importBundle),
    ...createManageCommands(),
  ]);
}

async function add(file: string, options: AddOptions): Promise<void> {
  await withVoiceServices(options, async (services) => {
    const { name, gender, license, source } = options;
    const metadata = toMetadata({ name, gender, license, source });
    if (options.styles === undefined) {
      const staged = await stageFiles(resolve(file), options, services);
      await install(services, options, [{ ...staged, metadata }]);
      return;
    }
    const selection = { folder: resolve(options.styles), names: options.voices };
    await install(services, options, await stageKokoroVoices(resolve(file), selection, services, metadata));
  });
}

async function importBundle(file: string, options: ImportOptions): Promise<void> {
  await withVoiceServices(options, async (services) => {
    const { voices: folder, voiceTrustedKeys } = services.config;
    const keys = options.verify?.map((path) => resolve(path)) ?? voiceTrustedKeys;
    const bundle = await unpackBundle(resolve(file), folder, keys);
    const signature = bundle.isVerified ? 'verified' : 'not asked for';
    await install(services, options, bundle.stagedVoices, { signature });
  });
}

async function pull(name: string | undefined, options: PullOptions): Promise<void> {
  const mirror = options.from ?? loadConfig(options).voiceMirror;
  if (options.list === true) return listRegistry(mirror, name, options);
  if (name === undefined) throw new AppError('bad_usage', 'Voice name missing. Name a voice or use --list.');
  await withVoiceServices(options, async (services) => {
    const voice = findRegistryVoice(await fetchRegistry(mirror), name);
    await services.installer.validateNameFree(voice.stem);
    const bar = createProgressBar();
    try {
      const staged = await downloadVoice(voice, {
        folder: services.config.voices,
        license: options.license,
        acceptLicense: options.acceptLicense === true,
        onProgress: (byteCount, byteMax) =>
          bar.show(byteCount / byteMax, `${formatMegabytes(byteCount)} of ${formatMegabytes(byteMax)} MB`),
      });
      bar.finish();
      await install(services, options, [staged]);
    } finally {
      bar.finish();
    }
  });
}

async function listRegistry(mirror: string, name: string | undefined, options: PullOptions): Promise<void> {
  const lowerCaseName = name?.toLowerCase() ?? '';
  const voices = (await fetchRegistry(mirror))
    .filter(({ key, aliases }) =>
      [key, ...aliases].some((candidate) => candidate.toLowerCase().includes(lowerCaseName)),
    )
    .map(formatRegistryRow);
  printResult(options.json, { mirror, voices }, () => formatTable(voices, 'No matching voice in the registry'));
}

function formatRegistryRow({ key, locale, quality, speakerCount, model, config }: RegistryVoice) {
  const size_mb = Number(formatMegabytes(model.byteCount + config.byteCount));
  return { key, locale, quality, speakers: speakerCount, size_mb };
}

async function install(
  { catalog, installer, optimizer }: VoiceServices,
  options: InstallOptions,
  stagedVoices: readonly StagedVoice[],
  more: object = {},
): Promise<void> {
  const { plan, acceptLicense = false } = options;
  const planned = stagedVoices.map((staged) =>
    plan === undefined ? staged : { ...staged, metadata: { ...staged.metadata, plan_required: plan } },
  );
  const installed = await installer.install(planned, { userId: null, acceptLicense });
  const ids = new Set(installed.map(({ id }) => id));
  const optimized = new Set<string>();
  for (const { id, speaker, files } of await catalog.voices()) {
    // It is installed either way: a server optimizes it later.
    const key = getOptimizerKey(files);
    if (!ids.has(id) || speaker !== 0 || optimized.has(key)) continue;
    optimized.add(key);
    await optimizer?.optimize(files).catch(() => undefined);
  }
  const voices = (await catalog.voices()).filter(({ id }) => ids.has(id));
  printResult(options.json, { voices: voices.map(toVoiceOutput), ...more }, () => formatVoiceTable(voices));
}

/** Copies the files of a voice to where they are inspected. */
async function stageFiles(
  file: string,
  { config = getConfigPath(file), modelCard }: AddOptions,
  { config: { voices: folder }, installer }: VoiceServices,
): Promise<Omit<StagedVoice, 'metadata'>> {
  const stem = parseStem(basename(file));
  checkFile(file, maxModelBytes);
  checkFile(config, maxConfigBytes);
  const cardPath = modelCard ?? findModelCard(file);
  if (cardPath !== undefined) checkFile(cardPath, maxLicenseTextBytes);
  if (stem === undefined) {
    throw new AppError('bad_usage', `expected a file named like en_US-name-medium.onnx, got ${file}`);
  }
  await installer.validateNameFree(stem);
  const licenseText = cardPath === undefined ? null : readFileSync(cardPath, 'utf8');
  const modelPath = createStagingPath(folder);
  try {
    await writeFileAtomically(modelPath, readFileChunks(file));
    await writeFileAtomically(getConfigPath(modelPath), readFileChunks(config));
  } catch (error) {
    deleteStagedVoice(modelPath);
    throw error;
  }
  return { modelPath, stem, licenseText };
}

/**
 * Makes a voice of each style, and writes the model to where they are inspected, unless it is installed.
 * @param selection folder of styles, and the names of those to use; undefined: all of languages that can be spoken
 */
async function stageKokoroVoices(
  file: string,
  selection: { readonly folder: string; readonly names: readonly string[] | undefined },
  { config: { voices: folder }, installer }: VoiceServices,
  metadata: VoiceMetadata,
): Promise<StagedVoice[]> {
  checkFile(file, maxModelBytes);
  const model = readKokoroModel(file);
  const { sha256 } = sumBytes(model);
  const voices = selectStyles(selection.folder, selection.names).map((path) => buildKokoroVoice(path, sha256));
  if (voices.length > 1 && (metadata.name !== undefined || metadata.gender !== undefined)) {
    throw new AppError('bad_usage', '--name and --gender need a single voice. Choose one with --voices.');
  }
  for (const { stem } of voices) await installer.validateNameFree(stem);
  const installed = getSharedModelPath(folder, sha256);
  const sharedModelPath = existsSync(installed) ? installed : createStagingPath(folder);
  const staged: StagedVoice[] = [];
  try {
    if (sharedModelPath !== installed) await writeFileAtomically(sharedModelPath, [model]);
    for (const { stem, config } of voices) {
      const modelPath =
        staged.length === 0 && sharedModelPath !== installed ? sharedModelPath : createStagingPath(folder);
      const voice = { modelPath, sharedModelPath, stem, licenseText: null };
      staged.push({ ...voice, metadata: { source: 'Kokoro-82M', ...metadata } });
      await writeFileAtomically(getConfigPath(modelPath), [Buffer.from(config)]);
    }
  } catch (error) {
    for (const { modelPath } of staged) deleteStagedVoice(modelPath);
    if (sharedModelPath !== installed) deleteStagedVoice(sharedModelPath);
    throw error;
  }
  return staged;
}

/** @returns paths of style files */
function selectStyles(folder: string, names: readonly string[] | undefined): string[] {
  const { known, skipped } = listStyles(folder);
  if (names === undefined && skipped.length > 0) {
    const stems = skipped.map((name) => basename(name, '.bin')).join(', ');
    getIo().stderr.write(`Skipped, as Lectern does not speak their languages: ${stems}\n`);
  }
  const selected = names?.map((name) => `${name}.bin`) ?? known;
  const missing = selected.find((name) => !known.includes(name));
  if (missing === undefined) return selected.map((name) => join(folder, name));
  const available = known.map((name) => basename(name, '.bin')).join(', ');
  throw operationFailed(`Style ${basename(missing, '.bin')} not found. Available: ${available}`);
}

/** @returns undefined unless one model is alone in the folder: the card may belong to another one */
function findModelCard(file: string): string | undefined {
  const folder = dirname(file);
  const path = join(folder, 'MODEL_CARD');
  const models = readdirSync(folder).filter((name) => name.endsWith('.onnx'));
  return models.length === 1 && existsSync(path) ? path : undefined;
}

function checkFile(path: string, byteMax: number): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isFile() && status.size <= byteMax) return;
  const problem =
    status === undefined
      ? `File ${path} not found`
      : status.isFile()
        ? `${path} is too large: the limit is ${byteMax} bytes`
        : `${path} is not a file`;
  throw operationFailed(problem);
}

function formatMegabytes(byteCount: number): string {
  return (byteCount / 1_000_000).toFixed(1);
}

function parseShortText(value: string): string {
  const text = value.trim();
  if (text !== '' && text.length <= 500 && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError('expected a text of up to 500 characters');
}

function parseRegistryUrl(value: string): string {
  try {
    return parseMirrorUrl(value);
  } catch (error) {
    throw new InvalidArgumentError(`expected ${error instanceof Error ? error.message : error}`);
  }
}
