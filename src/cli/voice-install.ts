import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Plan, Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { readFileChunks, writeFileAtomically } from '../files.ts';
import { parseMirrorUrl } from '../setting.ts';
import { unpackBundle } from '../voices/bundle-reader.ts';
import { getConfigPath } from '../voices/inspect.ts';
import { validateNameFree } from '../voices/installer.ts';
import { fetchRegistry, findRegistryVoice, type RegistryVoice } from '../voices/registry.ts';
import { downloadVoice } from '../voices/registry-download.ts';
import {
  createStagingPath,
  deleteStagedVoice,
  maxConfigBytes,
  maxLicenseTextBytes,
  maxModelBytes,
  parseStem,
  type StagedVoice,
} from '../voices/staged-voice.ts';
import { type CommonOptions, createCommand, loadConfig } from './commands.ts';
import { createProgressBar, formatTable, printResult } from './output.ts';
import { formatVoiceTable, toVoiceOutput, type VoiceServices, withVoiceServices } from './voice-manage.ts';

interface InstallOptions extends CommonOptions {
  readonly plan?: Plan;
  readonly acceptLicense?: boolean;
}

interface AddOptions extends InstallOptions {
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

/** `lectern voice add` */
export function addCommand(): Command {
  return createInstallCommand('add', 'install a Piper voice from its files')
    .argument('<file.onnx>', 'model file')
    .option('--config <file>', 'config file (default: FILE.onnx.json)')
    .option('--name <name>', 'display name', parseShortText)
    .addOption(new Option('--gender <gender>', 'gender of the voice').choices(['female', 'male', 'neutral']))
    .option('--license <text>', 'license, for example "CC BY 4.0"', parseShortText)
    .option('--model-card <file>', 'model card that names the license (default: MODEL_CARD in the same folder)')
    .option('--source <text>', 'source of the voice', parseShortText)
    .action(add);
}

/** `lectern voice import` */
export function importCommand(): Command {
  return createInstallCommand('import', 'install all voices of a bundle')
    .argument('<file.tar>', 'bundle created by `lectern voice bundle`')
    .option('--verify <public-key...>', 'public keys (PEM); the bundle must be signed by one of them')
    .action(importBundle);
}

/** `lectern voice pull` */
export function pullCommand(): Command {
  return createInstallCommand('pull', 'download a voice from a registry of Piper voices and install it')
    .argument('[name]', 'key or alias of the voice, for example en_GB-alba-medium')
    .option('--from <url>', 'URL of the registry (default: LECTERN_VOICE_MIRROR)', parseRegistryUrl)
    .option('--license <text>', 'license, if the model card names none', parseShortText)
    .option('--list', 'list the voices of the registry, optionally filtered by name')
    .action(pull);
}

function createInstallCommand(name: string, description: string): Command {
  return createCommand(name, description)
    .addOption(new Option('--plan <plan>', 'minimum plan').choices(['starter', 'growth', 'enterprise']))
    .option('--accept-license', 'accept a missing, unknown or non-commercial license');
}

async function add(file: string, options: AddOptions): Promise<void> {
  await withVoiceServices(options, async (tools) => {
    const { plan, name, gender, license, source } = options;
    const arrival = await stageFiles(resolve(file), options, tools.config.voices);
    await install(tools, options, [
      {
        ...arrival,
        metadata: {
          ...(name !== undefined && { name }),
          ...(gender !== undefined && { gender }),
          ...(license !== undefined && { license }),
          ...(source !== undefined && { source }),
          ...(plan !== undefined && { plan_required: plan }),
        },
      },
    ]);
  });
}

async function importBundle(file: string, options: ImportOptions): Promise<void> {
  await withVoiceServices(options, async (tools) => {
    const { voices: folder, voiceTrustedKeys } = tools.config;
    const keys = options.verify?.map((path) => resolve(path)) ?? voiceTrustedKeys;
    const bundle = await unpackBundle(resolve(file), folder, keys);
    await install(tools, options, bundle.stagedVoices.map(createPlanOverride(options)), {
      signature: bundle.isVerified ? 'verified' : 'not asked for',
    });
  });
}

async function pull(name: string | undefined, options: PullOptions): Promise<void> {
  const mirror = options.from ?? loadConfig(options).voiceMirror;
  if (options.list === true) return listRegistry(mirror, name, options);
  if (name === undefined) throw new AppError('bad_usage', 'Voice name missing. Name a voice or use --list.');
  await withVoiceServices(options, async (tools) => {
    const voice = findRegistryVoice(await fetchRegistry(mirror), name);
    const bar = createProgressBar();
    try {
      const arrival = await downloadVoice(voice, {
        folder: tools.config.voices,
        license: options.license,
        acceptLicense: options.acceptLicense === true,
        onProgress: (byteCount, byteMax) =>
          bar.show(byteCount / byteMax, `${formatMegabytes(byteCount)} of ${formatMegabytes(byteMax)} MB`),
      });
      bar.finish();
      await install(tools, options, [createPlanOverride(options)(arrival)]);
    } finally {
      bar.finish();
    }
  });
}

async function listRegistry(mirror: string, name: string | undefined, options: PullOptions): Promise<void> {
  const wanted = name?.toLowerCase() ?? '';
  const voices = (await fetchRegistry(mirror))
    .filter(({ key, aliases }) => [key, ...aliases].some((one) => one.toLowerCase().includes(wanted)))
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
  arrivals: readonly StagedVoice[],
  more: object = {},
): Promise<void> {
  const terms = { userId: null, acceptLicense: options.acceptLicense === true };
  const ids = new Set((await installer.install(arrivals, terms)).map(({ id }) => id));
  for (const { id, speaker, files } of await catalog.voices()) {
    // It is installed: what could not be written now, a server does later.
    if (ids.has(id) && speaker === 0) await optimizer?.optimize(files).catch(() => undefined);
  }
  const voices = (await catalog.voices()).filter(({ id }) => ids.has(id));
  printResult(options.json, { voices: voices.map(toVoiceOutput), ...more }, () => formatVoiceTable(voices));
}

function createPlanOverride({ plan }: InstallOptions): (arrival: StagedVoice) => StagedVoice {
  return (arrival) =>
    plan === undefined ? arrival : { ...arrival, metadata: { ...arrival.metadata, plan_required: plan } };
}

/** Copies the files of a voice to where they are inspected; the originals stay as they are. */
async function stageFiles(
  file: string,
  { config = getConfigPath(file), modelCard }: AddOptions,
  folder: string,
): Promise<Omit<StagedVoice, 'metadata'>> {
  const stem = parseStem(basename(file));
  checkFile(file, maxModelBytes);
  checkFile(config, maxConfigBytes);
  const cardPath = modelCard ?? findModelCard(file);
  if (cardPath !== undefined) checkFile(cardPath, maxLicenseTextBytes);
  if (stem === undefined) {
    throw new AppError('bad_usage', `expected a file named like en_US-name-medium.onnx, got ${file}`);
  }
  validateNameFree(folder, stem);
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

/** Only where one model lies in the folder: else it may be of another one. */
function findModelCard(file: string): string | undefined {
  const folder = dirname(file);
  const path = join(folder, 'MODEL_CARD');
  const models = readdirSync(folder).filter((name) => name.endsWith('.onnx'));
  return models.length === 1 && existsSync(path) ? path : undefined;
}

function checkFile(path: string, byteMax: number): void {
  const status = statSync(path, { throwIfNoEntry: false });
  const problem =
    status === undefined
      ? `File ${path} not found`
      : !status.isFile()
        ? `${path} is not a file`
        : status.size > byteMax
          ? `${path} is too large: the limit is ${byteMax} bytes`
          : undefined;
  if (problem !== undefined) throw new AppError('operation_failed', problem);
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
