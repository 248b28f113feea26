import { fieldKind, fieldsOf } from './onnx-fields.ts';

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
  try {
    return isContained(model, 'model', 0);
  } catch {
    return false;
  }
}

/** @throws RangeError where the bytes are no protobuf */
function isContained(bytes: Uint8Array, message: Message, depth: number): boolean {
  if (depth > depthMax) return false;
  const fields: Record<number, Message> = children[message];
  for (const { id, kind, start, end } of fieldsOf(bytes)) {
    const child = fields[id];
    if (child !== undefined) {
      if (kind !== fieldKind.lengthFirst) return false;
      if (!isContained(bytes.subarray(start, end), child, depth + 1)) return false;
    }
    if (message !== 'tensor') continue;
    if (id === externalData) return false;
    if (id === dataLocation && (kind !== fieldKind.varint || bytes[start] !== 0)) return false;
  }
  return true;
}
