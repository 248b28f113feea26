#!/usr/bin/env python3
"""Weights of a model made by export.py → checkpoints prosody.pt and sound.pt, to train further voices without the first training.

The shipped file stores weights as float16: they come back with that precision, and an export of them is the same model.
With --compare, the checkpoints' durations and samples are compared with those of ONNX Runtime.
"""
import argparse
import os

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from model import Prosody, Sound, Voice

PARTS = {"prosody": Prosody, "sound": Sound}


def read_networks(path):
    """{"prosody": network, "sound": network}, of the standard sizes, for as many speakers as the model has."""
    model = onnx.load(path)
    arrays = {initializer.name.removesuffix("/half"): numpy_helper.to_array(initializer) for initializer in model.graph.initializer}
    # matrices of linear layers have no names in the graph: they come in the order of the modules
    matrices = [arrays[node.input[1]].T for node in model.graph.node
                if node.op_type == "MatMul" and node.input[1].startswith("onnx::MatMul") and node.input[1] in arrays]
    networks = {}
    for part, network_class in PARTS.items():
        ranks = {array.shape[1] for name, array in arrays.items() if name.startswith(part) and name.endswith(".inward")} or {0}
        network = network_class(len(arrays[f"{part}.speaker.weight"]), rank=ranks.pop())
        linear = {f"{name}.weight" for name, module in network.named_modules() if isinstance(module, torch.nn.Linear)}
        weights = {name: matrices.pop(0) if name in linear else arrays[f"{part}.{name}"] for name in network.state_dict()}
        network.load_state_dict({name: torch.tensor(array.astype(np.float32)) for name, array in weights.items()})
        networks[part] = network.eval()
    assert not matrices, "the graph has more linear layers than the networks"
    return networks


@torch.no_grad()
def compare(path, voice):
    """Prints the largest difference of durations and samples for each speaker."""
    import onnxruntime
    session = onnxruntime.InferenceSession(path)
    ids = np.array([[1, 0, 20, 0, 59, 0, 24, 0, 120, 0, 27, 0, 100, 0, 8, 0, 3, 0, 35, 0, 120, 0, 62, 0, 122, 0, 24, 0, 17, 0, 10, 0, 2]])
    for speaker in range(len(voice.prosody.base)):
        inputs = {"input": ids, "input_lengths": np.array([ids.shape[1]]), "scales": np.array([0.667, 1, 0.8], np.float32),
                  "sid": np.array([speaker])}
        output, durations = session.run(None, inputs)
        generated, frames = voice(*(torch.tensor(value) for value in inputs.values()))
        same = np.array_equal(frames.numpy(), durations)
        difference = abs(generated.numpy() - output).max() if same else float("nan")
        print(f"speaker {speaker}: durations {'equal' if same else 'differ'}, samples differ by {difference:.1e} (peak {abs(output).max():.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("folder")
    parser.add_argument("--compare", action="store_true")
    args = parser.parse_args()
    networks = read_networks(args.model)
    os.makedirs(args.folder, exist_ok=True)
    for part, network in networks.items():
        torch.save({"config": network.config, "weights": network.state_dict()}, os.path.join(args.folder, f"{part}.pt"))
    if args.compare:
        adapted = len(networks["prosody"].base) - 1 if networks["prosody"].config["rank"] else -1
        compare(args.model, Voice(networks["prosody"], networks["sound"], adapted).eval())


if __name__ == "__main__":
    main()
