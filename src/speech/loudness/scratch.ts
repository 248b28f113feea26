/**
 * An array for what is needed during one call alone. Whoever takes the next one gets the same memory: fresh memory for each
 * sentence costs the system more than the arithmetic on it.
 */
export class Scratch {
  #memory = new Float32Array(0);

  /** @returns so many numbers, whatever they are */
  take(length: number): Float32Array {
    if (this.#memory.length < length) this.#memory = new Float32Array(length);
    return this.#memory.subarray(0, length);
  }
}
