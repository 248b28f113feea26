import { analyzeUsage, isOperation } from './graph-edits.ts';
import type { Graph } from './onnx-graph.ts';

/**
 * The values that must come out to the last bit as in the exported graph: what is rounded, like durations, or summed up over
 * time, like a phase, and all that leads there. There the last bit decides on a whole frame, or grows to the end of the
 * sentence.
 */
export function findExactValues(graph: Graph): ReadonlySet<string> {
  const use = analyzeUsage(graph);
  const exact = new Set<string>();
  const waiting = graph.nodes
    .filter((node) => isOperation(node, 'Ceil', 'Floor', 'Round', 'CumSum'))
    .flatMap(({ input }) => input);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (exact.has(value)) continue;
    exact.add(value);
    waiting.push(...(use.producerOf(value)?.input ?? []));
  }
  return exact;
}
