import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../errors.ts';
import { getErrno } from '../files.ts';
import { completeKokoroModel } from '../speech/optimize/kokoro-export.ts';
import { buildSymbolMap, buildTokenMap, kokoroLanguages } from '../speech/phonemize/kokoro-symbols.ts';
import { parseStyle } from '../speech/synthesize/kokoro-style.ts';

/** Language, gender, name: `af_heart.bin`. */
const stylePattern = /^([a-z])([fm])_([a-z0-9]{1,40})\.bin$/;
const license = 'Apache-2.0';
const sampleRateHz = 24_000;

/** A voice of a Kokoro model: its style, as the config that a voice of its own has. */
export interface KokoroVoice {
  /** Its file name without `.onnx.json`, such as `af_heart`. */
  readonly stem: string;
  /** The text of its config; the same for the same style and model. */
  readonly config: string;
}

/** @returns names of the style files in a folder; skipped: of languages that Lectern does not speak */
export function listStyles(folder: string): { readonly known: readonly string[]; readonly skipped: readonly string[] } {
  const names = readFolder(folder).filter((name) => stylePattern.test(name));
  if (names.length === 0) {
    throw new AppError('operation_failed', `${folder} has no style files named like af_heart.bin`);
  }
  const isKnown = (name: string): boolean => Object.hasOwn(kokoroLanguages, name.charAt(0));
  return { known: names.filter(isKnown), skipped: names.filter((name) => !isKnown(name)) };
}

/**
 * @param path of a style file
 * @param modelSha256 of the model, hex
 * @throws AppError `operation_failed` for a file that is no style
 */
export function buildKokoroVoice(path: string, modelSha256: string): KokoroVoice {
  const fileName = basename(path);
  const [, language = '', gender, name = ''] = stylePattern.exec(fileName) ?? [];
  if (!isLanguage(language)) throw new AppError('operation_failed', `${fileName} is not named like af_heart.bin`);
  const { espeak, locale, rules } = kokoroLanguages[language];
  const bytes = readStyleFile(path);
  const config = {
    family: 'kokoro',
    display_name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    gender: gender === 'f' ? 'female' : 'male',
    model_sha256: modelSha256,
    audio: { sample_rate: sampleRateHz, quality: 'high' },
    espeak: { voice: espeak },
    language: { code: locale },
    phoneme_type: 'espeak',
    phoneme_map: buildSymbolMap(rules),
    phoneme_id_map: buildTokenMap(),
    num_speakers: 1,
    license,
    style: bytes.toString('base64'),
  };
  return { stem: basename(fileName, '.bin'), config: `${JSON.stringify(config, null, 1)}\n` };
}

/** @returns an ONNX file with what its export lacks, or as it is where that is not known. @throws AppError `operation_failed` */
export function readKokoroModel(path: string): Uint8Array {
  const model = readBytes(path);
  try {
    return completeKokoroModel(model) ?? model;
  } catch {
    throw new AppError('operation_failed', `${path} is not an ONNX model`);
  }
}

function isLanguage(letter: string): letter is keyof typeof kokoroLanguages {
  return Object.hasOwn(kokoroLanguages, letter);
}

function readStyleFile(path: string): Buffer {
  const bytes = readBytes(path);
  if (parseStyle(bytes) === undefined) {
    throw new AppError('operation_failed', `${path} is not a style of Kokoro: expected 510 rows of 256 float32 values`);
  }
  return bytes;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new AppError('operation_failed', `Reading ${path} failed (${getErrno(error)})`);
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new AppError('operation_failed', `Reading folder ${folder} failed (${getErrno(error)})`);
  }
}
