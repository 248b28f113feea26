import { type Convolution, convolutionOf } from './convolution.ts';
import { type Graph, integersOf, type Node, node } from './onnx-graph.ts';

/**
 * Makes each `ConvTranspose` that lengthens a signal by its stride a convolution at the lower rate, with an output for each of the
 * samples that come of one (its phases), which are then put one after another. The runtime has no fast way for the former.
 */
export function convolveInPhases(graph: Graph): void {
  graph.nodes = graph.nodes.flatMap((one) => {
    const transposed = convolutionOf(one, graph, 'ConvTranspose');
    return transposed !== undefined && isPlainUpsampling(transposed)
      ? inPhases(transposed, graph)
      : [one];
  });
}

/** As long as the input times the stride comes out. */
function isPlainUpsampling({ node, dims, stride, dilation, group, pads }: Convolution): boolean {
  const isLengthened = dims[2] - pads[0] - pads[1] === stride && stride > 1;
  const isAsked = integersOf(node, 'output_padding')?.some((padding) => padding !== 0) ?? false;
  return isLengthened && !isAsked && dilation === 1 && group === 1 && !hasOutputShape(node);
}

function hasOutputShape(node: Node): boolean {
  return integersOf(node, 'output_shape') !== undefined;
}

function inPhases(transposed: Convolution, graph: Graph): readonly Node[] {
  const { input, output, weights, bias, stride, pads } = transposed;
  const [inputs, outputs, taps] = transposed.dims;
  // Output sample q·stride + phase is the sum over taps of the input at q + shift, where tap = phase + pad − shift·stride.
  const earliest = Math.ceil((pads[0] - taps + 1) / stride);
  const latest = Math.floor((stride - 1 + pads[0]) / stride);
  const reach = latest - earliest + 1;
  const phased = new Float32Array(outputs * stride * inputs * reach);
  for (let channel = 0; channel < outputs; channel += 1) {
    for (let phase = 0; phase < stride; phase += 1) {
      for (let from = 0; from < inputs; from += 1) {
        for (let place = 0; place < reach; place += 1) {
          const tap = phase + pads[0] - (place + earliest) * stride;
          if (tap < 0 || tap >= taps) continue;
          phased[((phase * outputs + channel) * inputs + from) * reach + place] =
            weights[(from * outputs + channel) * taps + tap] ?? 0;
        }
      }
    }
  }
  const named = (part: string) => graph.newName(`${output}/${part}`);
  const dims = [outputs * stride, inputs, reach];
  const names = [input, graph.addConstant(`${output}/weights`, { dims, values: phased })];
  if (bias !== undefined) {
    const values = Float32Array.from({ length: outputs * stride }, (_, at) => {
      return bias[at % outputs] ?? 0;
    });
    names.push(graph.addConstant(`${output}/bias`, { dims: [values.length], values }));
  }
  const shape = graph.addConstant(`${output}/shape`, { dims: [3], values: [0, -1, outputs] });
  const [phases, turned, joined] = [named('phases'), named('turned'), named('joined')];
  return [
    node('Conv', names, [phases], {
      kernel_shape: [reach],
      pads: [-earliest, latest],
      strides: [1],
      dilations: [1],
      group: 1,
    }),
    node('Transpose', [phases], [turned], { perm: [0, 2, 1] }),
    node('Reshape', [turned, shape], [joined]),
    node('Transpose', [joined], [output], { perm: [0, 2, 1] }),
  ];
}
