import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import type { VoiceConfig } from '../../../src/speech/synthesize/voice-config.ts';

/** Symbols of Piper sentences: `_` between all others, `^` before and `$` after them. */
const pad = 0;
const start = 1;
const end = 2;
/** A private-use character for each phoneme id, which sherpa-onnx neither changes nor drops. */
const firstCharacter = 0xe000;
const idsMax = 256;
/** Of `ModelProto` and `StringStringEntryProto` in onnx.proto. */
const metadataField = 14;
const keyField = 1;
const valueField = 2;

/** A voice in the format of sherpa-onnx. */
export interface SherpaVoice {
  readonly modelPath: string;
  readonly tokensPath: string;
}

/**
 * Adds the metadata that sherpa-onnx needs to a voice. They declare a vocabulary of characters, so that phoneme ids can be passed
 * as text: sherpa-onnx adds start, pads and end as Piper does.
 * @param folder for the files
 */
export function createSherpaVoice(modelPath: string, config: VoiceConfig, folder: string): SherpaVoice {
  const facts = {
    model_type: 'vits',
    comment: 'piper',
    language: 'English',
    voice: config.espeakVoice,
    has_espeak: '0',
    frontend: 'characters',
    n_speakers: String(config.speakers.length),
    sample_rate: String(config.sampleRateHz),
    add_blank: '1',
    blank_id: String(pad),
    use_eos_bos: '1',
    bos_id: String(start),
    eos_id: String(end),
  };
  const sherpa = { modelPath: join(folder, 'sherpa.onnx'), tokensPath: join(folder, 'tokens.txt') };
  // Bytes appended to a protobuf message belong to it.
  writeFileSync(sherpa.modelPath, Buffer.concat([readFileSync(modelPath), encodeMetadata(facts)]));
  const tokens = Array.from({ length: idsMax }, (_, id) => `${getCharacter(id)} ${id}\n`);
  writeFileSync(sherpa.tokensPath, tokens.join(''));
  return sherpa;
}

/** @returns the text that sherpa-onnx converts to exactly these ids */
export function encodeIds(ids: readonly number[]): string {
  const symbols = ids.slice(2, -1).filter((_, place) => place % 2 === 0);
  const expected = [start, pad, ...symbols.flatMap((id) => [id, pad]), end];
  if (!Bun.deepEquals(ids, expected)) throw new Error(`no sentence of Piper's: ${ids.join(' ')}`);
  return symbols.map(getCharacter).join('');
}

function getCharacter(id: number): string {
  return String.fromCodePoint(firstCharacter + id);
}

function encodeMetadata(facts: Readonly<Record<string, string>>): Uint8Array {
  const writer = protobuf.Writer.create();
  const writeLengthTag = (field: number) => writer.uint32((field << 3) | 2);
  for (const [key, value] of Object.entries(facts)) {
    writeLengthTag(metadataField).fork();
    writeLengthTag(keyField).string(key);
    writeLengthTag(valueField).string(value);
    writer.ldelim();
  }
  return writer.finish();
}
