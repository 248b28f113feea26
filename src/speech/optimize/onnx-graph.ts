import protobuf from 'protobufjs';

/** Wire types of protobuf: variable-length integer and length-delimited. */
export const wireType = { varint: 0, lengthFirst: 2 } as const;

/** Field numbers of onnx.proto. */
const modelGraphField = 7;
export const graphNodeField = 1;

/** A field of a message: number, and byte offsets of the field and its content. */
interface Field {
  readonly id: number;
  readonly kind: number;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the fields of a message without decoding them: a model is mostly weights.
 * @throws RangeError if the bytes are not protobuf
 */
export function* parseFields(bytes: Uint8Array): Generator<Field, void> {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const from = reader.pos;
    const tag = reader.uint32();
    const kind = tag & 7;
    const isLengthFirst = kind === wireType.lengthFirst;
    const length = isLengthFirst ? reader.uint32() : 0;
    const start = reader.pos;
    if (isLengthFirst) reader.skip(length);
    else reader.skipType(kind);
    yield { id: tag >>> 3, kind, from, start, end: reader.pos };
  }
}

export function findGraph(model: Uint8Array): Uint8Array | undefined {
  for (const { id, start, end } of parseFields(model)) {
    if (id === modelGraphField) return model.subarray(start, end);
  }
  return undefined;
}

/** @returns the model with another graph */
export function withGraph(model: Uint8Array, graph: readonly Uint8Array[]): Uint8Array {
  const others = [...parseFields(model)].filter(({ id }) => id !== modelGraphField);
  return Buffer.concat([
    ...others.map(({ from, end }) => model.subarray(from, end)),
    ...encodeField(modelGraphField, graph),
  ]);
}

function encodeField(id: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const head = protobuf.Writer.create()
    .uint32((id << 3) | wireType.lengthFirst)
    .uint32(length);
  return [head.finish(), ...pieces];
}

/** The part of onnx.proto that is used here. */
const onnx = protobuf.parse(`
  syntax = "proto2";
  message Node {
    repeated string input = 1;
    repeated string output = 2;
    optional string name = 3;
    optional string op_type = 4;
    repeated bytes attribute = 5;
    optional string doc_string = 6;
    optional string domain = 7;
    optional string overload = 8;
    repeated bytes metadata_props = 9;
  }
  message Attribute {
    optional string name = 1;
    optional float f = 2;
    optional int64 i = 3;
    optional bytes s = 4;
    optional bytes t = 5;
    repeated int64 ints = 8;
    optional int32 type = 20;
  }
  message Tensor {
    repeated int64 dims = 1;
    optional int32 data_type = 2;
    repeated float float_data = 4 [packed = true];
    repeated int64 int64_data = 7 [packed = true];
    optional string name = 8;
    optional bytes raw_data = 9;
  }
  message ValueInfo { optional string name = 1; optional Type type = 2; }
  message Type { optional TensorType tensor_type = 1; }
  message TensorType { optional int32 elem_type = 1; optional Shape shape = 2; }
  message Shape { repeated Dim dim = 1; }
  message Dim { optional int64 dim_value = 1; optional string dim_param = 2; }
`).root;
const NodeMessage = onnx.lookupType('Node');
const AttributeMessage = onnx.lookupType('Attribute');
const TensorMessage = onnx.lookupType('Tensor');
const ValueInfoMessage = onnx.lookupType('ValueInfo');

const graphInitializerField = 5;
const graphInputField = 11;
const graphOutputField = 12;
/** Shapes of intermediate values: optional, and wrong after a change. */
const graphValueInfoField = 13;
const FLOAT = 1;
const INT64 = 7;
const attributeType = { float: 1, integer: 2, integers: 7 } as const;

/** An operation; inputs and outputs are names of values. */
export interface Node {
  readonly opType: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly domain?: string;
  readonly name?: string;
  /** Encoded. */
  readonly attribute?: readonly Uint8Array[];
}

/** Values that are part of the model. */
export interface Tensor {
  readonly dims: readonly number[];
  /** Undefined for other types than float32 and int64. */
  readonly values: Float32Array | readonly number[] | undefined;
}

/** A number is an integer. */
type AttributeValue = number | readonly number[] | { readonly float: number };

/** A mutable graph of an ONNX model. */
export interface Graph {
  nodes: readonly Node[];
  /** An initializer or the value of a `Constant` node; undefined: computed. */
  constant(name: string): Tensor | undefined;
  /** @returns an unused name */
  newName(hint: string): string;
  /** Adds a value to the model. @returns its name */
  addConstant(hint: string, tensor: Tensor): string;
  /** Declares the shape of a float value; equal dimension names mean equal lengths. */
  declareShape(value: string, dims: readonly (number | string)[]): void;
  /** Makes a float value an output, which must have a producer. */
  addOutput(value: string, dims: readonly (number | string)[]): void;
  /** @returns the model with the current nodes */
  encode(): Uint8Array;
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
}

/** @throws if the bytes are not an ONNX model */
export function parseGraph(model: Uint8Array): Graph {
  const bytes = findGraph(model);
  if (bytes === undefined) throw new Error('the model has no graph');
  const fields = [...parseFields(bytes)];
  const all = (id: number) =>
    fields.filter((field) => field.id === id).map(({ start, end }) => bytes.subarray(start, end));
  const tensors = new Map<string, Uint8Array>();
  for (const tensor of all(graphInitializerField)) tensors.set(parseTensorName(tensor), tensor);
  const nodes = all(graphNodeField).map(parseNode);
  const constantNodes = new Map(
    nodes.filter(({ opType }) => opType === 'Constant').map((node) => [node.output[0] ?? '', node]),
  );
  const inputs = new Set(all(graphInputField).map(parseValueName));
  const outputs = new Set(all(graphOutputField).map(parseValueName));
  const descriptions: Uint8Array[] = [];
  const addedOutputs: Uint8Array[] = [];
  const names = new Set([...tensors.keys(), ...inputs, ...nodes.flatMap(({ output }) => output)]);
  const newName = (hint: string): string => {
    let name = hint;
    for (let count = 2; names.has(name); count += 1) name = `${hint}/${count}`;
    names.add(name);
    return name;
  };
  const graph: Graph = {
    nodes,
    inputs,
    outputs,
    constant: (name) => {
      const bytes = tensors.get(name) ?? getConstantTensor(constantNodes.get(name));
      return bytes && parseTensor(bytes);
    },
    newName,
    addConstant: (hint, tensor) => {
      const name = newName(hint);
      tensors.set(name, encodeTensor(name, tensor));
      return name;
    },
    declareShape: (value, dims) => {
      descriptions.push(encodeValueInfo(value, dims));
    },
    addOutput: (value, dims) => {
      outputs.add(value);
      addedOutputs.push(encodeValueInfo(value, dims));
    },
    encode: () => {
      const kept = fields.filter(
        ({ id }) => ![graphNodeField, graphInitializerField, graphValueInfoField].includes(id),
      );
      const used = new Set([...outputs, ...graph.nodes.flatMap(({ input }) => input)]);
      const nodes = graph.nodes.map((node) => NodeMessage.encode(node).finish());
      const weights = [...tensors].filter(([name]) => used.has(name));
      return withGraph(model, [
        ...kept.map(({ from, end }) => bytes.subarray(from, end)),
        ...nodes.flatMap((node) => encodeField(graphNodeField, [node])),
        ...addedOutputs.flatMap((output) => encodeField(graphOutputField, [output])),
        ...descriptions.flatMap((description) => encodeField(graphValueInfoField, [description])),
        ...weights.flatMap(([, tensor]) => encodeField(graphInitializerField, [tensor])),
      ]);
    },
  };
  return graph;
}

function encodeValueInfo(name: string, dims: readonly (number | string)[]): Uint8Array {
  const dim = dims.map((length) => (typeof length === 'number' ? { dimValue: length } : { dimParam: length }));
  const type = { tensorType: { elemType: FLOAT, shape: { dim } } };
  return ValueInfoMessage.encode(ValueInfoMessage.fromObject({ name, type })).finish();
}

/** @returns undefined where the node doesn't say */
export function getInteger(node: Node, name: string): number | undefined {
  return findAttribute(node, name)?.i;
}

export function getIntegers(node: Node, name: string): readonly number[] | undefined {
  return findAttribute(node, name)?.ints;
}

export function getText(node: Node, name: string): string | undefined {
  const bytes = findAttribute(node, name)?.s;
  return bytes && new TextDecoder().decode(bytes);
}

/** @returns undefined where the node has no such tensor */
export function getTensor(node: Node, name: string): Tensor | undefined {
  const bytes = findAttribute(node, name)?.t;
  return bytes && parseTensor(bytes);
}

/** @param attributes by name */
export function createNode(
  opType: string,
  input: readonly string[],
  output: readonly string[],
  attributes: Readonly<Record<string, AttributeValue>> = {},
): Node {
  const attribute = Object.entries(attributes).map(([name, value]) =>
    AttributeMessage.encode(createAttribute(name, value)).finish(),
  );
  return { opType, input, output, attribute };
}

function createAttribute(name: string, value: AttributeValue) {
  if (typeof value === 'number') return { name, i: value, type: attributeType.integer };
  if ('float' in value) return { name, f: value.float, type: attributeType.float };
  return { name, ints: value, type: attributeType.integers };
}

interface Attribute {
  readonly name?: string;
  readonly i?: number;
  readonly s?: Uint8Array;
  readonly t?: Uint8Array;
  readonly ints?: readonly number[];
}

function findAttribute({ attribute = [] }: Node, name: string): Attribute | undefined {
  for (const bytes of attribute) {
    const decoded = AttributeMessage.decode(bytes);
    const attribute = AttributeMessage.toObject(decoded, { longs: Number }) as Attribute;
    if (attribute.name === name) return attribute;
  }
  return undefined;
}

function parseNode(bytes: Uint8Array): Node {
  const decoded = NodeMessage.decode(bytes);
  return NodeMessage.toObject(decoded, { arrays: true }) as Node & { input: string[] };
}

function getConstantTensor(constant: Node | undefined): Uint8Array | undefined {
  return constant && findAttribute(constant, 'value')?.t;
}

function parseTensorName(bytes: Uint8Array): string {
  return parseTextField(bytes, 8);
}

function parseValueName(bytes: Uint8Array): string {
  return parseTextField(bytes, 1);
}

function parseTextField(bytes: Uint8Array, id: number): string {
  for (const field of parseFields(bytes)) {
    if (field.id === id) return new TextDecoder().decode(bytes.subarray(field.start, field.end));
  }
  return '';
}

function parseTensor(bytes: Uint8Array): Tensor {
  const { dims, dataType, rawData, floatData, int64Data } = TensorMessage.toObject(TensorMessage.decode(bytes), {
    arrays: true,
    longs: Number,
  }) as {
    dims: number[];
    dataType?: number;
    rawData?: Uint8Array;
    floatData: number[];
    int64Data: number[];
  };
  // Copied: what stands in a file begins at any byte.
  const raw = rawData && new Uint8Array(rawData).buffer;
  if (dataType === FLOAT) {
    return { dims, values: raw ? new Float32Array(raw) : Float32Array.from(floatData) };
  }
  if (dataType === INT64) {
    return { dims, values: raw ? Array.from(new BigInt64Array(raw), Number) : int64Data };
  }
  return { dims, values: undefined };
}

function encodeTensor(name: string, { dims, values }: Tensor): Uint8Array {
  if (values === undefined) throw new Error('Encoding a tensor failed: it has no values');
  const isFloat = values instanceof Float32Array;
  const raw = isFloat ? values : BigInt64Array.from(values, BigInt);
  const rawData = new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength);
  return TensorMessage.encode({ name, dims, dataType: isFloat ? FLOAT : INT64, rawData }).finish();
}
