import { createHash } from 'node:crypto';

/**
 * What a text says, in a few bytes. White space doesn't count: between sentences, and where lines are broken, it comes
 * and goes.
 */
export interface TextSum {
  /** UTF-16 units that are no white space. */
  readonly characters: number;
  /** SHA-256 over them as UTF-16, little-endian; hex. */
  readonly sha256: string;
}

/** Sums up a text that comes in pieces; how it is cut makes no difference. */
export class TextSummer {
  readonly #hash = createHash('sha256');
  #characters = 0;

  add(text: string): void {
    const visible = text.replace(/\s+/g, '');
    this.#characters += visible.length;
    this.#hash.update(visible, 'utf16le');
  }

  /** Ends the sum; nothing can be added to it any more. */
  sum(): TextSum {
    return { characters: this.#characters, sha256: this.#hash.digest('hex') };
  }
}

/** @returns the sum of a text that is there as a list of pieces */
export function textSum(pieces: Iterable<string>): TextSum {
  const summer = new TextSummer();
  for (const piece of pieces) summer.add(piece);
  return summer.sum();
}
