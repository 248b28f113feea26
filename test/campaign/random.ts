import { createSeededRandom } from '../fixtures/noise.ts';

/** Random choices, reproducible by seed. */
export interface Random {
  /** A number from `min` up to `max`, the latter excluded. */
  between(min: number, max: number): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** @param name of the user of the generator: each has an independent sequence */
export function createRandom(seed: number, name: string): Random {
  const next = createSeededRandom(1 + (Bun.hash.crc32(`${seed} ${name}`) % 2_147_483_646));
  // Similar seeds have similar first values.
  for (let skipped = 0; skipped < 5; skipped += 1) next();
  const between = (min: number, max: number): number => min + next() * (max - min);
  const integer = (min: number, max: number): number => Math.min(max, Math.floor(between(min, max + 1)));
  return {
    ...{ between, integer },
    pick: (values) => values[integer(0, values.length - 1)] ?? values[0],
    chance: (probability) => next() < probability,
  };
}
