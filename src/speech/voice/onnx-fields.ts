import protobuf from 'protobufjs';

/** Kinds of fields in protobuf: a number of as many bytes as it takes, and what has its length before it. */
export const fieldKind = { varint: 0, lengthFirst: 2 } as const;

/** Numbers of fields, as onnx.proto has them. */
const graphOfModel = 7;
export const nodeOfGraph = 1;

/** A field of a message: its number, and where it and its content stand in the bytes. */
interface Field {
  readonly id: number;
  readonly kind: number;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a message at its fields, and reads none: a model is mostly weights.
 * @throws RangeError where the bytes are no protobuf
 */
export function* fieldsOf(bytes: Uint8Array): Generator<Field, void> {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const from = reader.pos;
    const tag = reader.uint32();
    const kind = tag & 7;
    const isLengthFirst = kind === fieldKind.lengthFirst;
    const length = isLengthFirst ? reader.uint32() : 0;
    const start = reader.pos;
    if (isLengthFirst) reader.skip(length);
    else reader.skipType(kind);
    yield { id: tag >>> 3, kind, from, start, end: reader.pos };
  }
}

/** @returns the graph of a model; undefined where it has none */
export function graphOf(model: Uint8Array): Uint8Array | undefined {
  for (const { id, start, end } of fieldsOf(model)) {
    if (id === graphOfModel) return model.subarray(start, end);
  }
  return undefined;
}

/** @returns the model with another graph in the place of its own, given in pieces */
export function withGraph(model: Uint8Array, graph: readonly Uint8Array[]): Uint8Array {
  const others = [...fieldsOf(model)].filter(({ id }) => id !== graphOfModel);
  return Buffer.concat([
    ...others.map(({ from, end }) => model.subarray(from, end)),
    ...fieldOf(graphOfModel, graph),
  ]);
}

/** @returns a field that holds these bytes, in pieces */
export function fieldOf(id: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const head = protobuf.Writer.create()
    .uint32((id << 3) | fieldKind.lengthFirst)
    .uint32(length);
  return [head.finish(), ...pieces];
}
