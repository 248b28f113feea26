import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { capitalize } from '../capitalize.ts';
import { AppError } from '../errors.ts';
import { getErrno } from '../files.ts';
import { completeKokoroModel } from '../speech/optimize/kokoro-export.ts';
import { parseStyle } from '../speech/synthesize/voice-config.ts';

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
    display_name: capitalize(name),
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

/**
 * Kokoro's vocabulary: symbols by token, from 0. It writes diphthongs and affricates as one symbol each (`A I O Q W Y`,
 * `ʣ ʤ ʥ ʦ ʧ ʨ`); gaps are tokens without a symbol.
 */
const vocabulary: readonly (readonly [firstToken: number, symbols: string])[] = [
  [1, ';:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

/** It stands at both ends of an utterance. */
const sign = 0;

/** @returns tokens by symbol, with the signs for start (`^`) and end (`$`) */
function buildTokenMap(): Record<string, number[]> {
  const tokens = vocabulary.flatMap(([first, symbols]) =>
    [...symbols].map((symbol, index) => [symbol, [first + index]] as const),
  );
  return { '^': [sign], $: [sign], ...Object.fromEntries(tokens) };
}

const affricates = { dʒ: 'ʤ', tʃ: 'ʧ' };
/** Marks of espeak-ng between parts of a word, and of a dental sound. */
const silent = { '-': '', "'": '', '\u032a': '' };
/** A syllabic consonant is a consonant after a weak vowel. */
const syllabic = Object.fromEntries(
  [...'nlmɹr'].map((consonant) => [`${consonant}\u0329`, `ᵊ${consonant === 'r' ? 'ɹ' : consonant}`]),
);
const diphthongs = { aɪ: 'I', aʊ: 'W', eɪ: 'A', ɔɪ: 'Y' };
const english = {
  ...affricates,
  ...diphthongs,
  ...silent,
  ...syllabic,
  ...{ ʔn: 'tᵊn', 'ʔn\u0329': 'tᵊn', 'ʔˌn\u0329': 'tᵊn', ʔ: 't', '\u0329': '' },
  ...{ ɐ: 'ə', r: 'ɹ', x: 'k', ç: 'k', ɬ: 'l', o: 'ɔ', '\u0303': '', ʲ: '' },
};
/** Kokoro's American English has no length marks, and a symbol for the flap. */
const american = { ...english, oʊ: 'O', ɚ: 'əɹ', ɚɹ: 'əɹ', ɜːɹ: 'ɜɹ', ɜː: 'ɜɹ', ɪə: 'iə', ɾ: 'T', ː: '' };
const british = { ...english, əʊ: 'Q', eə: 'ɛː', iə: 'ɪə', ɚ: 'əɹ' };
const others = { ...affricates, ...silent, ts: 'ʦ', dz: 'ʣ', g: 'ɡ' };
const othersWithDiphthongs = { ...others, ...diphthongs, oʊ: 'O' };

/** By the first letter of a style: espeak-ng's voice and locale, and what Kokoro has in place of espeak-ng's symbols. */
const kokoroLanguages = {
  a: { espeak: 'en-us', locale: 'en_US', rules: american },
  b: { espeak: 'en-gb', locale: 'en_GB', rules: british },
  e: { espeak: 'es', locale: 'es_ES', rules: othersWithDiphthongs },
  f: { espeak: 'fr', locale: 'fr_FR', rules: others },
  h: { espeak: 'hi', locale: 'hi_IN', rules: othersWithDiphthongs },
  i: { espeak: 'it', locale: 'it_IT', rules: othersWithDiphthongs },
  p: { espeak: 'pt-br', locale: 'pt_BR', rules: othersWithDiphthongs },
} as const satisfies Record<string, { espeak: string; locale: string; rules: Readonly<Record<string, string>> }>;

/** @returns the rules as a config has them: lists of symbols */
function buildSymbolMap(rules: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(rules).map(([from, to]) => [from, [...to]]));
}
