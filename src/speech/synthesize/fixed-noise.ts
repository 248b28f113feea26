import protobuf from 'protobufjs';
import { findGraph, graphNodeField, parseFields, withGraph } from '../optimize/onnx-graph.ts';

/** More values than the longest sentence needs; then it repeats. */
const noiseLength = 2 ** 20;
const noiseSeed = 0x1ec7e12;
/** How far apart in the noise the random nodes of a model begin, so that no two get the same values. */
const noiseStride = 262_147;
const noiseName = 'lectern/noise';

/** The part of ONNX's description of its files (onnx.proto) that is read and written here. */
const onnx = protobuf.parse(`
  syntax = "proto2";
  message Graph { repeated Node node = 1; repeated Tensor initializer = 5; }
  message Node {
    repeated string input = 1;
    repeated string output = 2;
    optional string op_type = 4;
    repeated Attribute attribute = 5;
  }
  message Attribute { optional string name = 1; optional float f = 2; optional int64 i = 3; optional int32 type = 20; }
  message Tensor {
    repeated int64 dims = 1;
    optional int32 data_type = 2;
    optional string name = 8;
    optional bytes raw_data = 9;
  }
`).root;
const Graph = onnx.lookupType('Graph');
const Node = onnx.lookupType('Node');
const float = 1;
const int64 = 7;
const integerAttribute = 2;

/**
 * Gives a model's `RandomNormalLike` nodes the same noise in every run. ONNX Runtime draws it from a generator that is
 * seeded by the clock and goes on from run to run, so that a sentence would sound otherwise each time.
 * @param model an ONNX file
 * @returns the model with the noise in it; the bytes themselves where there is no such node, or they can't be read
 */
export function withFixedNoise(model: Uint8Array): Uint8Array {
  try {
    return fixNoise(model);
  } catch {
    // The runtime refuses it in its own words.
    return model;
  }
}

function fixNoise(model: Uint8Array): Uint8Array {
  const graph = findGraph(model);
  const pieces = graph && fixNoiseInGraph(graph);
  return pieces === undefined ? model : withGraph(model, pieces);
}

/** @returns the graph in pieces; undefined when nothing in it is random */
function fixNoiseInGraph(graph: Uint8Array): Uint8Array[] | undefined {
  const pieces: Uint8Array[] = [];
  const places: Constant[] = [];
  let copied = 0;
  for (const { id, from, start, end } of parseFields(graph)) {
    const random = id === graphNodeField ? parseRandomNode(graph.subarray(start, end)) : undefined;
    if (random === undefined) continue;
    const steady = createFixedNoiseNodes(random, (places.length * noiseStride) % noiseLength);
    places.push(...steady.constants);
    pieces.push(graph.subarray(copied, from), Graph.encode({ node: steady.nodes }).finish());
    copied = end;
  }
  if (pieces.length === 0) return undefined;
  const constants = [
    { name: noiseName, dims: [noiseLength], dataType: float, rawData: getNoiseBytes() },
    createScalar('lectern/noise_length', noiseLength),
    createScalar('lectern/one', 1),
    ...places,
  ];
  return [...pieces, graph.subarray(copied), Graph.encode({ initializer: constants }).finish()];
}

/** A `RandomNormalLike` node. */
interface RandomNode {
  readonly input: string;
  readonly output: string;
  readonly mean: number;
  readonly scale: number;
}

/** @returns undefined for every other node, and for one of other numbers than 32-bit floats */
function parseRandomNode(bytes: Uint8Array): RandomNode | undefined {
  const node = Node.toObject(Node.decode(bytes), { arrays: true, longs: Number }) as {
    input: string[];
    output: string[];
    opType?: string;
    attribute: { name?: string; f?: number; i?: number }[];
  };
  const [input] = node.input;
  const [output] = node.output;
  if (node.opType !== 'RandomNormalLike' || input === undefined || output === undefined) return;
  const named = (name: string) => node.attribute.find((attribute) => attribute.name === name);
  if ((named('dtype')?.i ?? float) !== float) return undefined;
  return { input, output, mean: named('mean')?.f ?? 0, scale: named('scale')?.f ?? 1 };
}

interface Constant {
  readonly name: string;
  readonly dims: readonly number[];
  readonly dataType: number;
  readonly rawData: Uint8Array;
}

/** output[i] = mean + scale · noise[(place + i) mod length], in the shape of the input. */
function createFixedNoiseNodes({ input, output, mean, scale }: RandomNode, place: number) {
  const named = (part: string) => `${output}/lectern/${part}`;
  const step = (opType: string, inputs: readonly string[], to: string, i?: number) => ({
    opType,
    input: inputs,
    output: [to],
    ...(i !== undefined && { attribute: [{ name: 'keepdims', i, type: integerAttribute }] }),
  });
  const [shape, count, end, places] = [named('shape'), named('count'), named('end'), named('all')];
  return {
    constants: [
      createScalar(named('start'), place),
      createInteger(named('mean'), mean),
      createInteger(named('scale'), scale),
    ],
    nodes: [
      step('Shape', [input], shape),
      step('ReduceProd', [shape], count, 0),
      step('Add', [count, named('start')], end),
      step('Range', [named('start'), end, 'lectern/one'], places),
      step('Mod', [places, 'lectern/noise_length'], named('places')),
      step('Gather', [noiseName, named('places')], named('row')),
      step('Mul', [named('row'), named('scale')], named('scaled')),
      step('Add', [named('scaled'), named('mean')], named('values')),
      step('Reshape', [named('values'), shape], output),
    ],
  };
}

function createScalar(name: string, value: number): Constant {
  const bytes = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
  return { name, dims: [], dataType: int64, rawData: bytes };
}

function createInteger(name: string, value: number): Constant {
  return {
    name,
    dims: [],
    dataType: float,
    rawData: new Uint8Array(Float32Array.of(value).buffer),
  };
}

let cachedNoiseBytes: Uint8Array | undefined;

/** Normally distributed values (Box and Muller) from a generator that is the same everywhere (Mulberry32). */
function getNoiseBytes(): Uint8Array {
  if (cachedNoiseBytes !== undefined) return cachedNoiseBytes;
  const values = new Float32Array(noiseLength);
  let state = noiseSeed;
  /** Above 0, up to 1. */
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / 2 ** 32;
  };
  for (let i = 0; i < noiseLength; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    values[i] = radius * Math.cos(angle);
    values[i + 1] = radius * Math.sin(angle);
  }
  cachedNoiseBytes = new Uint8Array(values.buffer);
  return cachedNoiseBytes;
}
