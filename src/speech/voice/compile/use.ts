import type { Graph, Node } from './onnx-graph.ts';

/** Who makes and who takes the values of a graph, as it is at this moment. */
export interface Use {
  /** @returns undefined for what the graph is given, and for constants */
  producerOf(value: string | undefined): Node | undefined;
  consumersOf(value: string): readonly Node[];
  /** @returns whether so many nodes take it, and it isn't given out */
  isTakenBy(value: string, count: number): boolean;
}

export function useOf(graph: Graph): Use {
  const producers = new Map<string, Node>();
  const consumers = new Map<string, Node[]>();
  for (const node of graph.nodes) {
    for (const value of node.output) producers.set(value, node);
    for (const value of new Set(node.input)) {
      const known = consumers.get(value);
      if (known === undefined) consumers.set(value, [node]);
      else known.push(node);
    }
  }
  const consumersOf = (value: string) => consumers.get(value) ?? [];
  return {
    producerOf: (value) => producers.get(value ?? ''),
    consumersOf,
    isTakenBy: (value, count) => !graph.outputs.has(value) && consumersOf(value).length === count,
  };
}

/** Whether a node is one of these operations of ONNX itself. */
export function isOperation<OpType extends string>(
  node: Node | undefined,
  ...opTypes: readonly OpType[]
): node is Node & { readonly opType: OpType } {
  return node !== undefined && !node.domain && opTypes.some((opType) => opType === node.opType);
}

/** @returns the number that a constant of one number is; undefined for every other value */
export function numberOf(value: string, graph: Graph): number | undefined {
  const values = graph.constant(value)?.values;
  return values?.length === 1 ? values[0] : undefined;
}

/** Lets every node take another value in place of each that is named, and forgets nodes that nobody needs any more. */
export function replaceValues(graph: Graph, replacements: ReadonlyMap<string, string>): void {
  const last = (value: string): string => {
    const next = replacements.get(value);
    return next === undefined ? value : last(next);
  };
  graph.nodes = graph.nodes.map((node) =>
    node.input.some((value) => replacements.has(value))
      ? { ...node, input: node.input.map(last) }
      : node,
  );
  dropUnused(graph);
}

/** Forgets nodes whose values nobody takes. */
export function dropUnused(graph: Graph): void {
  const needed = new Set(graph.outputs);
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (!node.output.some((value) => needed.has(value))) continue;
    for (const value of node.input) needed.add(value);
    kept.push(node);
  }
  graph.nodes = kept.reverse();
}

/** A node as the pattern of several: no two may have one name. */
export function unnamed({ name: _, ...rest }: Node): Node {
  return rest;
}
