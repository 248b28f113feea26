import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import type { Sentence, SpokenToken } from '../../src/speech/sentences.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import { plannerVersion } from '../../src/version.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';

/** If the test fails, raise `plannerVersion` and update this. */
const recorded = {
  plannerVersion: 3,
  sha256: '9c8bf7a9084fa52b0e3d278052e85054851c1b6207ae169fd41bf8f0b634c4a5',
};

const clause = 'the boats of the harbor came back one after another in the rain';
const sentences: readonly (readonly [espeakVoice: string, pieces: readonly SpokenToken[]])[] = [
  ['en-us', toTokens('The nato summit cost three point five billion euros, didn’t it?')],
  ['en-us', toTokens(`On Monday ${clause}, on Tuesday ${clause}, and at last ${clause}.`)],
  ['en-us', toTokens(Array.from({ length: 9 }, () => clause).join(' '))],
  ['en-us', [...toTokens('Then '), createInlineToken('Zazuza', 'ʃɪvˈɔːn', 'Siobhan'), ...toTokens(' came in.')]],
  ['en-us', [...toTokens('Then '), createInlineToken('zazuza', 'qaʞ', 'qack'), ...toTokens(' was said.')]],
  ['en-us', toTokens('\u0301\u0302')],
  ['en-us', toTokens('“Привет”, 你好 — ok…')],
  ['de', toTokens('Der alte Schuh stand dort; er kostet fünf Euro.')],
  ['fr-fr', toTokens('Les amis arrivent à huit heures.')],
];

/** @returns words as tokens with their positions */
function toTokens(text: string): SpokenToken[] {
  return [...text.matchAll(/\s+|\S+/g)].map(({ 0: spoken, index }) => ({
    ...{ spoken, start: index, end: index + spoken.length },
  }));
}

function createInlineToken(spoken: string, ipa: string, written: string): SpokenToken {
  return {
    spoken,
    start: 0,
    end: written.length,
    inlinePhonemes: { sounds: [{ ipa, shown: `[[${ipa}]]` }], fallback: written },
  };
}

function createSentence(pieces: readonly SpokenToken[]): Sentence {
  let end = 0;
  const placed = pieces.map((piece) => {
    const start = end;
    end += piece.end - piece.start;
    return { ...piece, start, end };
  });
  return {
    kind: 'paragraph',
    text: pieces.map((piece) => piece.inlinePhonemes?.fallback ?? piece.spoken).join(''),
    span: { field: 'content', start: 0, end },
    sources: Uint32Array.from({ length: end + 1 }, (_, offset) => offset),
    endsBlock: true,
    continues: false,
    tokens: placed,
  };
}

test('a planner version always plans the same segments', async () => {
  const phonemizer = createEspeakPhonemizer();
  const planned: unknown[] = [];
  for (const [espeakVoice, pieces] of sentences) {
    const voice = parseVoiceConfig(JSON.stringify({ ...aspen, espeak: { voice: espeakVoice } }));
    const { segments } = await planSegments([createSentence(pieces)], voice, phonemizer);
    planned.push(
      segments.map((segment) => [
        segment.phonemes,
        segment.spoken,
        segment.audiblePhonemes,
        segment.pauseMs,
        segment.range,
      ]),
    );
  }
  const sha256 = createHash('sha256').update(JSON.stringify(planned)).digest('hex');
  expect({ plannerVersion, sha256 }).toEqual(recorded);
});
