#!/usr/bin/env python3
"""A student and the vocoder as one Piper voice. usage: export.py STUDENT.pt VOICE.json FOLDER

Writes FOLDER/en_US-NAME-low.onnx (inputs `input`, `input_lengths`, `scales`; one `output`) and its .onnx.json. VOICE.json
names the voice and its settings (alder.json, linden.json).
"""
import argparse
import json
import os

import onnx
import torch
from torch import nn

from model import SYMBOLS, TEACHER_FRAMES, frame_centres, load_student
from vocoder import HOP, SAMPLE_RATE, Vocoder

FADE_S = 0.005  # no clicks where sentences are joined
SHORTEST = 0.35  # of 5 ms: what lasts less is left out
OPSET = 15

# Symbols that English prompts never have, spoken like the nearest one that they have.
SPOKEN_LIKE = {
    "ɝ": "ɜ", "ɒ": "ɑ", "g": "ɡ", "r": "ɹ", "ɻ": "ɹ", "ʁ": "ɹ", "ʀ": "ɹ", "ɺ": "ɾ", "ɽ": "ɾ", "x": "k", "χ": "k", "ç": "ʃ",
    "ɕ": "ʃ", "ʂ": "ʃ", "ɬ": "l", "ɫ": "l", "ɭ": "l", "ʎ": "l", "ʟ": "l", "y": "i", "ʏ": "ɪ", "ø": "ʊ", "œ": "ɛ", "ɶ": "æ",
    "ɵ": "ʊ", "ʉ": "u", "ɨ": "ɪ", "ɯ": "u", "ɤ": "ʌ", "ɘ": "ə", "ɞ": "ʌ", "ε": "ɛ", "β": "b", "ɸ": "f", "ʋ": "v", "ⱱ": "v",
    "ɣ": "ɡ", "ɰ": "w", "ɥ": "j", "ʍ": "w", "ʝ": "j", "ʑ": "ʒ", "ʐ": "ʒ", "ɲ": "n", "ɳ": "n", "ɴ": "ŋ", "ɱ": "m", "ħ": "h",
    "ɦ": "h", "ʜ": "h", "ɧ": "ʃ", "c": "k", "ɟ": "ɡ", "q": "k", "ɢ": "ɡ", "ʈ": "t", "ɖ": "d", "ʔ": "t", "ɓ": "b", "ɗ": "d",
    "ɠ": "ɡ", "ʄ": "ɡ", "ʛ": "ɡ", "X": "k", "ɮ": "l", "ʙ": "b", "ˑ": "ː", "-": " ", '"': " ", "(": ",", ")": ",",
}
HERE = os.path.dirname(os.path.abspath(__file__))


class Voice(nn.Module):
    def __init__(self, student, vocoder, length_scale=1.0):
        super().__init__()
        self.student, self.vocoder, self.length_scale = student, vocoder, length_scale

    def frames(self, ids, lengths, length_scale):
        """ids [1, N] -> frames of 10 ms [1, FRAME_SIZE, T]"""
        ids = ids.clamp(0, SYMBOLS - 1)
        mask = (torch.arange(ids.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)).float().unsqueeze(1)
        meaning, log_duration = self.student.encode(ids, mask)
        durations = (torch.exp(log_duration.clamp(0, 4.8)) - 1) * mask[:, 0]
        durations = durations * (durations > SHORTEST).float()
        # Never empty: the start lasts at least 20 ms.
        durations = torch.cat([durations[:, :1].clamp(min=4.0), durations[:, 1:]], 1)
        scale = length_scale.clamp(0.1, 10) * self.length_scale
        count = torch.ceil(durations.sum() * scale / TEACHER_FRAMES - 1e-4).long()
        times = ((torch.arange(count[0]).float() + 0.5) * TEACHER_FRAMES / scale).unsqueeze(0)
        made = self.student.decode(self.student.spread(meaning, durations, times), torch.ones_like(times).unsqueeze(1))
        made = self.student.in_units(made)
        return torch.cat([torch.sigmoid(made[:, :1]), made[:, 1:]], 1)

    def forward(self, input, input_lengths, scales):
        samples = self.vocoder(self.frames(input, input_lengths, scales[1:2]), scales[0:1].clamp(0, 2))
        time = torch.arange(samples.shape[2]).float()
        fade = torch.minimum(time, samples.shape[2] - 1 - time) / (FADE_S * SAMPLE_RATE)
        return samples * fade.clamp(max=1)


def teach_unknown_symbols(student, symbol_ids, seen):
    """Symbols that were never trained get the meaning of a like one, or of none."""
    meanings = student.embedding.weight.data
    known = meanings.clone()
    symbol_of = {ids[0]: symbol for symbol, ids in symbol_ids.items()}
    for index in set(range(SYMBOLS)) - set(seen):
        like = SPOKEN_LIKE.get(symbol_of.get(index))
        meanings[index] = known[symbol_ids[like][0]] if like else known[0]


def build_voice(student_path, settings):
    """settings: see alder.json"""
    student, symbols = load_student(student_path)
    teach_unknown_symbols(student, read_symbol_ids(), symbols)
    return Voice(student, build_vocoder(student, settings), settings.get("length_scale", 1.0)).eval()


def build_vocoder(student, settings):
    with open(os.path.join(HERE, "excitation.txt"), encoding="utf-8") as lines:
        band_filters = [[float(tap) for tap in line.split()] for line in lines]
    return Vocoder(
        band_filters,
        gain=settings["gain"] / 32768,
        pitch_centre=float(student.mean[1]),
        **settings["vocoder"],
    )


def read_symbol_ids():
    with open(os.path.join(HERE, "symbols.json"), encoding="utf-8") as file:
        return json.load(file)


def piper_config(name):
    return {
        "dataset": name,
        "audio": {"sample_rate": SAMPLE_RATE, "quality": "low"},
        "espeak": {"voice": "en-us"},
        "language": {
            "code": "en_US",
            "family": "en",
            "region": "US",
            "name_native": "English",
            "name_english": "English",
            "country_english": "United States",
        },
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "phoneme_map": {},
        "phoneme_id_map": read_symbol_ids(),
        "num_symbols": SYMBOLS,
        "num_speakers": 1,
        "speaker_id_map": {},
        "hop_length": HOP * TEACHER_FRAMES,
        "piper_version": "1.0.0",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("student")
    parser.add_argument("voice")
    parser.add_argument("folder")
    args = parser.parse_args()
    with open(args.voice, encoding="utf-8") as file:
        settings = json.load(file)
    torch.set_num_threads(1)
    voice = build_voice(args.student, settings)
    os.makedirs(args.folder, exist_ok=True)
    path = os.path.join(args.folder, f"en_US-{settings['name']}-low.onnx")
    ids = torch.tensor([[1, 0, 20, 0, 59, 0, 24, 0, 120, 0, 27, 0, 100, 0, 10, 0, 2]])
    torch.onnx.export(
        voice,
        (ids, torch.tensor([ids.shape[1]]), torch.tensor([0.667, 1.0, 0.8])),
        path,
        opset_version=OPSET,
        input_names=["input", "input_lengths", "scales"],
        output_names=["output"],
        dynamic_axes={
            "input": {0: "batch_size", 1: "phonemes"},
            "input_lengths": {0: "batch_size"},
            "output": {0: "batch_size", 2: "time"},
        },
        do_constant_folding=True,
    )
    model = onnx.load(path)
    channels = model.graph.output[0].type.tensor_type.shape.dim[1]
    channels.Clear()
    channels.dim_value = 1
    onnx.checker.check_model(model)
    onnx.save(model, path)
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump(piper_config(settings["name"]), file, ensure_ascii=False, indent=2)
    print(f"{path}: {os.path.getsize(path) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
