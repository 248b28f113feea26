import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AppError } from '../../errors.ts';

/** A name of a licence, or its address; its whole text stands elsewhere. */
const maxLicenseLength = 500;
const maxMemberLength = 80;
/** More than any voice we know has; each becomes a voice of its own. */
const maxSpeakers = 2_000;
/** No letter of any alphabet is written with more. */
const maxPhonemeId = 65_535;
/** What is shown to people breaks no lines and hides nothing. */
const plainNamePattern = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,100}$/u;

/** Also over several lines, which the usual pattern for a name leaves unchecked. */
const AnyText = Type.String({ pattern: '^[\\s\\S]*$' });

/**
 * Memory grows with the ids of one inference: on a medium voice a worker has 480 MB at 200 and 640 MB at 400, on a high one
 * 740 MB.
 */
const maxPiperIds = 400;

/** The text encoder of Kokoro has 512 positions, two of them for the signs at both ends. */
const maxKokoroTokens = 510;
/** A style is a table: a row for each number of tokens, from 0. */
const styleRows = 510;
const styleColumns = 256;
const styleBytes = styleRows * styleColumns * Float32Array.BYTES_PER_ELEMENT;
/** Characters of a style in base64. */
const maxStyleText = Math.ceil(styleBytes / 3) * 4;
/** The largest value in the 54 published styles is 3.2. */
const maxStyleValue = 100;

/** The `.onnx.json` of a voice, as far as it is used: Piper's members, and those of a Kokoro voice. */
const ConfigFile = Type.Object({
  audio: Type.Object({
    sample_rate: Type.Integer({ minimum: 4_000, maximum: 192_000 }),
    quality: Type.Optional(Type.String({ maxLength: 50, pattern: '^[\\w .-]*$' })),
  }),
  espeak: Type.Optional(Type.Object({ voice: Type.String({ minLength: 1, maxLength: 100 }) })),
  language: Type.Optional(Type.Object({ code: Type.Optional(Type.String()) })),
  dataset: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  inference: Type.Optional(
    Type.Object({
      noise_scale: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      length_scale: Type.Optional(Type.Number({ minimum: 0.01, maximum: 100 })),
      noise_w: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    }),
  ),
  phoneme_type: Type.Optional(Type.Union([Type.Literal('espeak'), Type.Literal('text')])),
  phoneme_map: Type.Optional(Type.Record(AnyText, Type.Array(Type.String()))),
  phoneme_id_map: Type.Record(AnyText, Type.Array(Type.Integer({ minimum: 0, maximum: maxPhonemeId }))),
  num_speakers: Type.Optional(Type.Integer({ minimum: 0, maximum: maxSpeakers })),
  speaker_id_map: Type.Optional(Type.Record(AnyText, Type.Integer({ minimum: 0 }))),
  license: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** A member of our own: only the built-in voices have it. */
  durations_lead_ms: Type.Optional(Type.Number({ minimum: 0, maximum: 1000 })),
  family: Type.Optional(Type.Union([Type.Literal('piper'), Type.Literal('kokoro')])),
  /** For display; the file name of a Piper voice contains it. */
  display_name: Type.Optional(Type.String()),
  gender: Type.Optional(Type.Union([Type.Literal('female'), Type.Literal('male'), Type.Literal('neutral')])),
  /** Of a model that several voices share; its file is named after it. */
  model_sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  /** The style table of a Kokoro voice, base64. */
  style: Type.Optional(Type.String({ maxLength: maxStyleText })),
});

/** What a voice needs to know to turn text into phoneme ids and ids into sound. */
export interface VoiceConfig {
  readonly sampleRateHz: number;
  readonly quality: string;
  /** Language of the voice with its region, like `en_US`. */
  readonly locale: string;
  /** BCP 47 primary code. */
  readonly language: string;
  readonly phonemeType: 'espeak' | 'text';
  /** Voice of espeak-ng, like `en-us`. */
  readonly espeakVoice: string;
  /** What the voice has in place of one or more symbols of espeak-ng; the longest match counts. */
  readonly phonemeMap: Readonly<Record<string, readonly string[]>>;
  readonly phonemeIds: Readonly<Record<string, readonly number[]>>;
  /** Noise scale, length scale, noise width. */
  readonly scales: readonly [number, number, number];
  /** For display; undefined: the one in the file name. */
  readonly name: string | undefined;
  readonly gender: 'female' | 'male' | 'neutral';
  /** By speaker number; one nameless entry for a voice of one speaker. */
  readonly speakers: readonly string[];
  /** As the config names it, which few do. */
  readonly license: string | null;
  /** By how much sounds start before the durations of the model. */
  readonly durationsLeadMs: number;
  /** Ids of one inference, pads and signs included. */
  readonly maxIds: number;
  /** Of a Kokoro voice: a row for each number of tokens; undefined for a Piper voice. */
  readonly style: Float32Array | undefined;
  /** SHA-256 of a model that several voices share, hex; undefined for a voice with a model of its own. */
  readonly modelSha256: string | undefined;
}

/**
 * @param json the text of a voice's `.onnx.json`
 * @throws AppError `bad_voice` naming the member that is wrong
 */
export function parseVoiceConfig(json: string): VoiceConfig {
  const config = validateConfig(json);
  const locale = (config.language?.code ?? config.espeak?.voice ?? '').replace('-', '_');
  const language = locale.split('_')[0]?.toLowerCase() ?? '';
  if (!/^[a-z]{2,3}([_-][a-z0-9]{1,8}){0,4}$/i.test(locale))
    throw createConfigError('language.code', 'a language code');
  if (config.display_name !== undefined && !plainNamePattern.test(config.display_name)) {
    throw createConfigError('display_name', 'up to 100 printable characters');
  }
  const isKokoro = config.family === 'kokoro';
  // Kokoro has no pads.
  for (const symbol of isKokoro ? ['^', '$'] : ['_', '^', '$']) {
    if (config.phoneme_id_map[symbol]?.length !== 1) {
      throw createConfigError(`phoneme_id_map.${symbol}`, 'one id');
    }
  }
  return {
    sampleRateHz: config.audio.sample_rate,
    quality: config.audio.quality ?? 'unknown',
    locale,
    language,
    phonemeType: config.phoneme_type ?? 'espeak',
    espeakVoice: config.espeak?.voice ?? language,
    phonemeMap: config.phoneme_map ?? {},
    phonemeIds: config.phoneme_id_map,
    scales: [
      config.inference?.noise_scale ?? 0.667,
      config.inference?.length_scale ?? 1,
      config.inference?.noise_w ?? 0.8,
    ],
    name: config.display_name,
    gender: config.gender ?? 'neutral',
    speakers: listSpeakerNames(config),
    license: toSingleLine(config.license ?? '', maxLicenseLength) || null,
    durationsLeadMs: config.durations_lead_ms ?? 0,
    maxIds: isKokoro ? maxKokoroTokens + 2 : maxPiperIds,
    style: isKokoro ? requireStyle(config.style) : undefined,
    modelSha256: config.model_sha256,
  };
}

function requireStyle(text: string | undefined): Float32Array {
  const style = parseStyle(Buffer.from(text ?? '', 'base64'));
  if (style === undefined) throw createConfigError('style', 'a style table of Kokoro in base64');
  return style;
}

function validateConfig(json: string): Static<typeof ConfigFile> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new AppError('bad_voice', 'the config is not JSON');
  }
  const problem = Value.Errors(ConfigFile, parsed).First();
  if (problem !== undefined) {
    const member = problem.path.slice(1).replaceAll('/', '.') || 'the whole';
    throw createConfigError(member, problem.message.replace(/^Expected /, '').toLowerCase());
  }
  return Value.Cast(ConfigFile, parsed);
}

function createConfigError(member: string, expected: string): AppError {
  const named = toSingleLine(member, maxMemberLength);
  return new AppError('bad_voice', `invalid config: ${named}: expected ${expected}`);
}

/** Texts of a file are shown as one short line. */
function toSingleLine(text: string, lengthMax: number): string {
  return text
    .slice(0, lengthMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

function listSpeakerNames(config: Static<typeof ConfigFile>): string[] {
  const count = Math.max(1, config.num_speakers ?? 1);
  const names = Array.from({ length: count }, (_, speaker) => (count === 1 ? '' : `${speaker}`));
  for (const [name, speaker] of Object.entries(config.speaker_id_map ?? {})) {
    if (count === 1 || speaker >= count) continue;
    if (!plainNamePattern.test(name)) {
      throw createConfigError('speaker_id_map', 'names of up to 100 printable characters');
    }
    names[speaker] = name;
  }
  return names;
}

/** A rule replaces at most this many symbols. */
const maxRuleSymbols = 4;

/** Replaces symbols by what a voice has in their place; of several rules the one for most symbols counts. */
export function mapSymbols(symbols: readonly string[], map: Readonly<Record<string, readonly string[]>>): string[] {
  if (Object.keys(map).length === 0) return [...symbols];
  const mapped: string[] = [];
  for (let place = 0; place < symbols.length; ) {
    let count = Math.min(maxRuleSymbols, symbols.length - place);
    while (count > 0 && !Object.hasOwn(map, symbols.slice(place, place + count).join(''))) count -= 1;
    const key = symbols.slice(place, place + Math.max(count, 1)).join('');
    mapped.push(...((count === 0 ? undefined : map[key]) ?? [key]));
    place += Math.max(count, 1);
  }
  return mapped;
}

/** @returns undefined for bytes of another length, and for values that cannot be a style */
export function parseStyle(bytes: Uint8Array): Float32Array | undefined {
  if (bytes.byteLength !== styleBytes) return undefined;
  // Copied: a buffer may begin at any byte.
  const style = new Float32Array(new Uint8Array(bytes).buffer);
  return style.every((value) => Math.abs(value) <= maxStyleValue) ? style : undefined;
}

/** @param tokenCount without the signs at both ends @returns the row of the style for an utterance of this length */
export function selectStyleRow(style: Float32Array, tokenCount: number): Float32Array {
  const row = Math.min(Math.max(tokenCount, 0), styleRows - 1);
  return style.slice(row * styleColumns, (row + 1) * styleColumns);
}
