/**
 * The parts of an ONNX file (protobuf) that lead to its tensors: for each kind of message the fields that hold another
 * one. From onnx.proto of ONNX 1.18.
 */
const children = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparseTensor' },
  node: { 5: 'attribute' },
  attribute: {
    5: 'tensor',
    6: 'graph',
    10: 'tensor',
    11: 'graph',
    22: 'sparseTensor',
    23: 'sparseTensor',
  },
  sparseTensor: { 1: 'tensor', 2: 'tensor' },
  function: { 7: 'node', 11: 'attribute' },
  training: { 1: 'graph', 2: 'graph' },
  tensor: {},
} as const satisfies Record<string, Record<number, string>>;

type Message = keyof typeof children;

/** Fields of a tensor: the file its numbers lie in, and whether they do (0: no). */
const externalData = 13;
const dataLocation = 14;
/** Graphs lie in graphs; a real voice's only a few. */
const depthMax = 50;

/**
 * Whether a model is all in one file. The runtime would read others: any below the folder the program was started in.
 * @returns false also for what is no protobuf at all
 */
export function isSelfContained(model: Uint8Array): boolean {
  return isContained(new Reader(model, 0, model.byteLength), 'model', 0);
}

function isContained(reader: Reader, message: Message, depth: number): boolean {
  if (depth > depthMax) return false;
  const fields: Record<number, Message> = children[message];
  while (!reader.atEnd) {
    const field = reader.next();
    if (field === undefined) return false;
    const isElsewhere =
      field.number === externalData || (field.number === dataLocation && field.value !== 0);
    if (message === 'tensor' && isElsewhere) return false;
    const child = fields[field.number];
    if (child === undefined) continue;
    if (field.content === undefined || !isContained(field.content, child, depth + 1)) return false;
  }
  return true;
}

interface Field {
  readonly number: number;
  /** Of fields that are a number of variable length. */
  readonly value?: number;
  /** Of fields that have a length: messages, texts, bytes. */
  readonly content?: Reader;
}

/** Walks over the fields of a protobuf message. */
class Reader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get atEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** @returns undefined where no field can be read */
  next(): Field | undefined {
    const tag = this.#varint();
    if (tag === undefined) return undefined;
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0: {
        const value = this.#varint();
        return value === undefined ? undefined : { number, value };
      }
      case 1:
        return this.#skip(8) ? { number } : undefined;
      case 2: {
        const length = this.#varint();
        const start = this.#at;
        if (length === undefined || !this.#skip(length)) return undefined;
        return { number, content: new Reader(this.#bytes, start, start + length) };
      }
      case 5:
        return this.#skip(4) ? { number } : undefined;
      default:
        return undefined;
    }
  }

  #skip(byteCount: number): boolean {
    if (byteCount > this.#end - this.#at) return false;
    this.#at += byteCount;
    return true;
  }

  /** Beyond 2⁵³ inexact, which no tag and no length is. */
  #varint(): number | undefined {
    let value = 0;
    for (let shift = 0; shift < 10; shift += 1) {
      if (this.atEnd) return undefined;
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * 2 ** (7 * shift);
      if (byte < 0x80) return value;
    }
    return undefined;
  }
}
