import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Plan, Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { readParts, writeFileAtomically } from '../files.ts';
import { readMirror } from '../setting.ts';
import { readBundle } from '../voices/bundle-reader.ts';
import { configPathOf } from '../voices/inspect.ts';
import { checkNameFree } from '../voices/installer.ts';
import { chooseMirrorVoice, type MirrorVoice, readPiperCatalog } from '../voices/registry.ts';
import { pullVoice } from '../voices/registry-download.ts';
import {
  type Arrival,
  arrivalPath,
  configByteMax,
  forgetArrival,
  licenseTextByteMax,
  modelByteMax,
  stemOf,
} from '../voices/staged-voice.ts';
import { type CommonOptions, command, configOf } from './commands.ts';
import { print, progressBar, table } from './output.ts';
import { shownVoice, type VoiceTools, voiceTable, withVoices } from './voice-manage.ts';

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
  return installing('add', 'install a Piper voice from its files')
    .argument('<file.onnx>', 'the model')
    .option('--config <file>', 'its config (default: FILE.onnx.json)')
    .option('--name <name>', 'as people are shown it', shortText)
    .addOption(
      new Option('--gender <gender>', 'of the voice').choices(['female', 'male', 'neutral']),
    )
    .option('--license <text>', 'its licence, like "CC BY 4.0"', shortText)
    .option('--model-card <file>', 'text that names its licence (default: MODEL_CARD beside it)')
    .option('--source <text>', 'where it comes from', shortText)
    .action(add);
}

/** `lectern voice import` */
export function importCommand(): Command {
  return installing('import', 'install the voices of a bundle, all or none')
    .argument('<file.tar>', 'what `lectern voice bundle` wrote')
    .option('--verify <public-key...>', 'PEM files: the bundle must be signed by one of these keys')
    .action(importBundle);
}

/** `lectern voice pull` */
export function pullCommand(): Command {
  return installing('pull', 'fetch a voice from a mirror of the Piper voices and install it')
    .argument('[name]', 'its key, like en_GB-alba-medium, or an alias')
    .option('--from <url>', 'address of the mirror (default: LECTERN_VOICE_MIRROR)', mirrorUrl)
    .option('--license <text>', 'its licence, where its model card names none', shortText)
    .option('--list', 'show what the mirror has; with a name: what is called like it')
    .action(pull);
}

function installing(name: string, description: string): Command {
  return command(name, description)
    .addOption(
      new Option('--plan <plan>', 'plan that unlocks it').choices([
        'starter',
        'growth',
        'enterprise',
      ]),
    )
    .option('--accept-license', 'accept a licence that is missing, unknown or non-commercial');
}

async function add(file: string, options: AddOptions): Promise<void> {
  await withVoices(options, async (tools) => {
    const { plan, name, gender, license, source } = options;
    const arrival = await arrivingFiles(resolve(file), options, tools.config.voices);
    await install(tools, options, [
      {
        ...arrival,
        facts: {
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
  await withVoices(options, async (tools) => {
    const { voices: folder, voiceTrustedKeys } = tools.config;
    const keys = options.verify?.map((path) => resolve(path)) ?? voiceTrustedKeys;
    const bundle = await readBundle(resolve(file), folder, keys);
    await install(tools, options, bundle.arrivals.map(withPlan(options)), {
      signature: bundle.isVerified ? 'verified' : 'not asked for',
    });
  });
}

async function pull(name: string | undefined, options: PullOptions): Promise<void> {
  const mirror = options.from ?? configOf(options).voiceMirror;
  if (options.list === true) return listMirror(mirror, name, options);
  if (name === undefined)
    throw new AppError('bad_usage', 'expected the name of a voice, or --list');
  await withVoices(options, async (tools) => {
    const voice = chooseMirrorVoice(await readPiperCatalog(mirror), name);
    const bar = progressBar();
    try {
      const arrival = await pullVoice(voice, {
        folder: tools.config.voices,
        license: options.license,
        acceptLicense: options.acceptLicense === true,
        onProgress: (byteCount, byteMax) =>
          bar.show(byteCount / byteMax, `${megabytes(byteCount)} of ${megabytes(byteMax)} MB`),
      });
      bar.done();
      await install(tools, options, [withPlan(options)(arrival)]);
    } finally {
      bar.done();
    }
  });
}

async function listMirror(
  mirror: string,
  name: string | undefined,
  options: PullOptions,
): Promise<void> {
  const wanted = name?.toLowerCase() ?? '';
  const voices = (await readPiperCatalog(mirror))
    .filter(({ key, aliases }) =>
      [key, ...aliases].some((one) => one.toLowerCase().includes(wanted)),
    )
    .map(mirrorRow);
  print(options.json, { mirror, voices }, () => table(voices, 'the mirror has no such voice'));
}

function mirrorRow({ key, locale, quality, speakerCount, model, config }: MirrorVoice) {
  const size_mb = Number(megabytes(model.byteCount + config.byteCount));
  return { key, locale, quality, speakers: speakerCount, size_mb };
}

async function install(
  { catalog, installation, compiler }: VoiceTools,
  options: InstallOptions,
  arrivals: readonly Arrival[],
  more: object = {},
): Promise<void> {
  const terms = { userId: null, acceptLicense: options.acceptLicense === true };
  const ids = new Set((await installation.install(arrivals, terms)).map(({ id }) => id));
  for (const { id, speaker, files } of await catalog.voices()) {
    // It is installed: what could not be written now, a server does later.
    if (ids.has(id) && speaker === 0) await compiler?.compile(files).catch(() => undefined);
  }
  const voices = (await catalog.voices()).filter(({ id }) => ids.has(id));
  print(options.json, { voices: voices.map(shownVoice), ...more }, () => voiceTable(voices));
}

function withPlan({ plan }: InstallOptions): (arrival: Arrival) => Arrival {
  return (arrival) =>
    plan === undefined ? arrival : { ...arrival, facts: { ...arrival.facts, plan_required: plan } };
}

/** Copies the files of a voice to where they are inspected; the originals stay as they are. */
async function arrivingFiles(
  file: string,
  { config = configPathOf(file), modelCard }: AddOptions,
  folder: string,
): Promise<Omit<Arrival, 'facts'>> {
  const stem = stemOf(basename(file));
  checkFile(file, modelByteMax);
  checkFile(config, configByteMax);
  const cardPath = modelCard ?? cardBeside(file);
  if (cardPath !== undefined) checkFile(cardPath, licenseTextByteMax);
  if (stem === undefined) {
    throw new AppError(
      'bad_usage',
      `expected a file named like en_US-name-medium.onnx, got ${file}`,
    );
  }
  checkNameFree(folder, stem);
  const licenseText = cardPath === undefined ? null : readFileSync(cardPath, 'utf8');
  const modelPath = arrivalPath(folder);
  try {
    await writeFileAtomically(modelPath, readParts(file));
    await writeFileAtomically(configPathOf(modelPath), readParts(config));
  } catch (error) {
    forgetArrival(modelPath);
    throw error;
  }
  return { modelPath, stem, licenseText };
}

/** Only where one model lies in the folder: else it may be of another one. */
function cardBeside(file: string): string | undefined {
  const folder = dirname(file);
  const path = join(folder, 'MODEL_CARD');
  const models = readdirSync(folder).filter((name) => name.endsWith('.onnx'));
  return models.length === 1 && existsSync(path) ? path : undefined;
}

function checkFile(path: string, byteMax: number): void {
  const status = statSync(path, { throwIfNoEntry: false });
  const problem =
    status === undefined
      ? `There is no file ${path}`
      : !status.isFile()
        ? `${path} is not a file`
        : status.size > byteMax
          ? `${path} is too large: it may have ${byteMax} bytes`
          : undefined;
  if (problem !== undefined) throw new AppError('operation_failed', problem);
}

function megabytes(byteCount: number): string {
  return (byteCount / 1_000_000).toFixed(1);
}

function shortText(value: string): string {
  const text = value.trim();
  if (text !== '' && text.length <= 500 && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError('expected a text of up to 500 characters');
}

function mirrorUrl(value: string): string {
  try {
    return readMirror(value);
  } catch (error) {
    throw new InvalidArgumentError(`expected ${error instanceof Error ? error.message : error}`);
  }
}
