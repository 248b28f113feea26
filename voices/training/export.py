#!/usr/bin/env python3
"""Checkpoints → FOLDER/lectern-medium.onnx and the configurations of its voices.

Large weights are stored as float16 (cast in the graph), the DFT matrices are computed in the graph: less than half the size.
"""
import argparse
import inspect
import os

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from model import FFT, WINDOW, Prosody, Sound, Voice, dft
from voices import VOICES, write_configurations

OPSET = 17
HALF_FROM = 4096                      # elements: smaller arrays stay float32
METADATA = {"model_type": "vits", "comment": "piper", "language": "English", "voice": "en-us", "has_espeak": "1",
            "sample_rate": "24000"}
EXAMPLE = [1, 0, 20, 0, 59, 0, 24, 0, 120, 0, 27, 0, 100, 0, 2]


def read_checkpoint(network_class, path):
    checkpoint = torch.load(path, map_location="cpu")
    network = network_class(**checkpoint["config"])
    network.load_state_dict({name: value.float() for name, value in checkpoint["weights"].items()}, strict=False)
    return network.eval()


def first_speakers(embedding):
    return torch.nn.Embedding.from_pretrained(embedding.weight[:len(VOICES)].clone())


def build_voice(prosody_path, sound_path):
    """Drops rows of speakers that are not in the table of voices."""
    prosody, sound = read_checkpoint(Prosody, prosody_path), read_checkpoint(Sound, sound_path)
    for network, names in ((prosody, ("speaker", "speaker2")), (sound, ("speaker", "bias", "offset"))):
        for name in names:
            setattr(network, name, first_speakers(getattr(network, name)))
    sound.speak = torch.nn.ModuleList([first_speakers(embedding) for embedding in sound.speak])
    prosody.base = torch.nn.Parameter(prosody.base[:len(VOICES)].clone(), requires_grad=False)
    return Voice(prosody, sound, adapted_speaker()).eval()


def export_graph(voice, path):
    # torch 2.5 and later need an option for the exporter of older versions
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    ids = torch.tensor([EXAMPLE])
    torch.onnx.export(
        voice, (ids, torch.tensor([ids.shape[1]]), torch.tensor([0.667, 1.0, 0.8]), torch.tensor([0])), path, opset_version=OPSET,
        input_names=["input", "input_lengths", "scales", "sid"], output_names=["output", "durations"],
        dynamic_axes={"input": {0: "batch_size", 1: "phonemes"}, "input_lengths": {0: "batch_size"},
                      "output": {0: "batch_size", 1: "channels", 2: "time"}, "durations": {0: "batch_size", 1: "phonemes"}}, **options)


class Compression:
    """Replaces the initializers of a graph by smaller ones and nodes that restore them."""

    def __init__(self, graph):
        self.graph, self.nodes, self.initializers = graph, [], []

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def matrix(self, name, rows, columns, axis, weight, output):
        """[cos; −sin] of 2π · rows · columns / FFT, joined along an axis, times a weight."""
        product = self.node("Mul", [self.constant(f"{name}/rows", rows), self.constant(f"{name}/columns", columns)], f"{name}/product")
        # modulo in integers: float32 angles of large products are not exact
        rest = self.node("Mod", [product, self.constant(f"{name}/size", np.array(FFT, np.int64))], f"{name}/rest")
        cast = self.node("Cast", [rest], f"{name}/float", to=TensorProto.FLOAT)
        angle = self.node("Mul", [cast, self.constant(f"{name}/step", np.array(2 * np.pi / FFT, np.float32))], f"{name}/angle")
        sine = self.node("Neg", [self.node("Sin", [angle], f"{name}/sin")], f"{name}/minus-sin")
        both = self.node("Concat", [self.node("Cos", [angle], f"{name}/cos"), sine], f"{name}/both", axis=axis)
        self.node("Mul", [both, self.constant(f"{name}/weight", weight)], output)

    def analysis(self, output):
        n, k = np.arange(WINDOW), np.arange(FFT // 2 + 1)
        hann = (0.5 - 0.5 * np.cos(2 * np.pi * n / WINDOW)).astype(np.float32)
        self.matrix("dft", (n + (FFT - WINDOW) // 2)[:, None], k[None], 1, hann[:, None], output)

    def synthesis(self, output):
        k = np.arange(FFT // 2 + 1)
        weight = (np.where((k == 0) | (k == FFT // 2), 1.0, 2.0) / FFT).astype(np.float32)
        self.matrix("inverse-dft", k[:, None], np.arange(FFT)[None], 0, np.concatenate([weight, weight])[:, None], output)

    def constants_to_initializers(self):
        """torch writes constant buffers as nodes."""
        for node in [node for node in self.graph.node if node.op_type == "Constant"]:
            for attribute in node.attribute:
                if attribute.name == "value" and numpy_helper.to_array(attribute.t).size > 1000:
                    self.graph.initializer.append(numpy_helper.from_array(numpy_helper.to_array(attribute.t), node.output[0]))
                    self.graph.node.remove(node)
                    break

    def run(self):
        self.constants_to_initializers()
        analysis, synthesis = (matrix.numpy() for matrix in dft(WINDOW, FFT))
        computed = 0
        for initializer in list(self.graph.initializer):
            array = numpy_helper.to_array(initializer)
            if array.shape == analysis.T.shape and np.allclose(array, analysis.T, atol=1e-6):
                self.analysis(initializer.name)
                computed += 1
            elif array.shape == synthesis.shape and np.allclose(array, synthesis, atol=1e-6):
                self.synthesis(initializer.name)
                computed += 1
            elif array.dtype == np.float32 and (array.size >= HALF_FROM or initializer.name.endswith(".inward")):
                half = self.constant(f"{initializer.name}/half", array.astype(np.float16))
                self.node("Cast", [half], initializer.name, to=TensorProto.FLOAT)
            else:
                self.initializers.append(initializer)
        assert computed == 2, "the DFT matrices are not in the graph as they were written"
        nodes = [*self.nodes, *self.graph.node]
        del self.graph.initializer[:], self.graph.node[:]
        self.graph.initializer.extend(self.initializers)
        self.graph.node.extend(nodes)


def adapted_speaker():
    return next((number for number, voice in enumerate(VOICES) if voice.style is None), -1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prosody")
    parser.add_argument("sound")
    parser.add_argument("folder")
    args = parser.parse_args()
    torch.set_grad_enabled(False)
    path = os.path.join(args.folder, "lectern-medium.onnx")
    voice = build_voice(args.prosody, args.sound)
    write_configurations(args.folder, VOICES[:len(voice.prosody.base)])
    export_graph(voice, path + ".part")
    model = onnx.load(path + ".part")
    Compression(model.graph).run()
    for key, value in {**METADATA, "n_speakers": str(len(voice.prosody.base))}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, path + ".part")
    os.replace(path + ".part", path)
    print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
