import type { VoiceConfig } from '../voice-config.ts';

const multiplier = 1_103_515_245;
const increment = 12_345;
const frameSymbols = new Set(['^', '_', '$']);

/** @returns so many phoneme ids as a sentence has them, always the same ones: start, symbols with pads between, end */
export function testIds({ phonemeIds }: VoiceConfig, count: number): readonly number[] {
  const only = (symbol: string): number => phonemeIds[symbol]?.[0] ?? 0;
  const symbols = Object.entries(phonemeIds).flatMap(([symbol, ids]) =>
    frameSymbols.has(symbol) ? [] : ids,
  );
  let state = count;
  const next = (): number => {
    state = (Math.imul(state, multiplier) + increment) >>> 0;
    return symbols[(state >>> 8) % symbols.length] ?? only('_');
  };
  const body = Array.from({ length: count - 2 }, (_, i) => (i % 2 === 0 ? only('_') : next()));
  return [only('^'), ...body, only('$')];
}
