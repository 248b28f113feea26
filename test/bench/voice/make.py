#!/usr/bin/env python3
"""Voices of the size and structure of real ones, for measuring alone: their weights are random, they speak noise.

usage: make.py [--folder FOLDER] [--speakers N] [--seed N] [QUALITY...]      QUALITY: x_low, low, medium (unless named), high

Writes FOLDER/en_US-bench-QUALITY.onnx and its .onnx.json, and says what is in them. VITS (Kim et al. 2021) at the sizes
that Piper has published, exported with Piper's contract. The same seed makes the same voice. Needs Debian's python3-torch,
python3-onnx and python3-numpy.
"""
import argparse
import collections
import json
import os
import sys
import warnings

import onnx
import torch
import torch.nn.functional as F
from torch import nn

from decoder import Decoder
from durations import DurationPredictor
from encoder import SYMBOLS, TextEncoder, length_mask
from flow import Flow

OPSET = 15
SPEAKER_CHANNELS = 512
HOP = 256  # samples of a frame
SYMBOL_S = 0.03  # of an id, pads included: about 170 words of English a minute
DURATION_SPREAD = 0.35  # of the logarithm
LEVEL = 0.1  # root mean square, 20 dB below full scale
SCALES = (0.667, 1.0, 0.8)  # noise, length, noise of the durations
# A Piper voice of one speaker is so large, in millions of bytes.
USUAL_SIZE_MB = {"x_low": 20.6, "low": 63.2, "medium": 63.2, "high": 113.9}

SMALL = {"inter": 96, "hidden": 96, "filter_channels": 384}
USUAL = {"inter": 192, "hidden": 192, "filter_channels": 768}
FAST = {
    "channels": 256,
    "resblock": 2,
    "kernels": (3, 5, 7),
    "dilations": ((1, 2), (2, 6), (3, 12)),
    "upsample_rates": (8, 8, 4),
    "upsample_kernels": (16, 16, 8),
}
FULL = {
    "channels": 512,
    "resblock": 1,
    "kernels": (3, 7, 11),
    "dilations": ((1, 3, 5),) * 3,
    "upsample_rates": (8, 8, 2, 2),
    "upsample_kernels": (16, 16, 4, 4),
}
QUALITIES = {
    "x_low": (16000, SMALL, FAST),
    "low": (16000, USUAL, FAST),
    "medium": (22050, USUAL, FAST),
    "high": (22050, USUAL, FULL),
}
SYMBOL_IDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../voices/training/symbols.json")


class Voice(nn.Module):
    def __init__(self, encoder, decoder, speakers):
        super().__init__()
        inter, hidden = encoder["inter"], encoder["hidden"]
        speaker_channels = SPEAKER_CHANNELS if speakers > 1 else 0
        self.enc_p = TextEncoder(**encoder)
        self.dp = DurationPredictor(hidden, speaker_channels)
        self.flow = Flow(inter, hidden, speaker_channels)
        self.dec = Decoder(inter, **decoder, speaker_channels=speaker_channels)
        if speakers > 1:
            self.emb_g = nn.Embedding(speakers, SPEAKER_CHANNELS)

    def forward(self, input, input_lengths, scales, sid=None):
        """input [B, N] -> samples [B, 1, 1, T]"""
        noise_scale, length_scale, duration_noise_scale = scales[0], scales[1], scales[2]
        speaker = None if sid is None else self.emb_g(sid).unsqueeze(-1)
        x, mean, log_deviation, mask = self.enc_p(input, input_lengths)
        log_durations = self.dp(x, mask, speaker, duration_noise_scale)
        durations = torch.ceil(torch.exp(log_durations) * mask * length_scale)
        frames = torch.clamp_min(torch.sum(durations, [1, 2]), 1).long()
        frame_mask = length_mask(frames, frames.max()).unsqueeze(1).type_as(mask)
        path = path_of(durations, mask.unsqueeze(2) * frame_mask.unsqueeze(-1)).squeeze(1)
        mean = torch.matmul(path, mean.transpose(1, 2)).transpose(1, 2)
        log_deviation = torch.matmul(path, log_deviation.transpose(1, 2)).transpose(1, 2)
        prior = mean + torch.randn_like(mean) * torch.exp(log_deviation) * noise_scale
        return self.dec(self.flow(prior, frame_mask, speaker) * frame_mask, speaker).unsqueeze(1)


def path_of(durations, mask):
    """durations [B, 1, N], mask [B, 1, T, N] -> 1 where a frame belongs to a symbol [B, 1, T, N]"""
    batch, _, frame_count, count = mask.shape
    ends = torch.cumsum(durations, -1).view(batch * count)
    before_end = length_mask(ends, frame_count).to(mask.dtype).view(batch, count, frame_count)
    path = before_end - F.pad(before_end, (0, 0, 1, 0))[:, :-1]
    return path.unsqueeze(1).transpose(2, 3) * mask


@torch.no_grad()
def make_plausible(voice, sample_rate, symbol_ids):
    """Sets how long symbols last and how loud the voice is; both are anything with random weights."""
    ids, lengths = text_of(symbol_ids, 400)
    speaker = voice.emb_g(torch.tensor([0])).unsqueeze(-1) if hasattr(voice, "emb_g") else None
    x, _, _, mask = voice.enc_p(ids, lengths)
    logs = voice.dp(x, mask, speaker, SCALES[2])
    spread = float(logs.std()) / DURATION_SPREAD
    shape = (logs - logs.mean()) / spread
    # In frames; the mean grows with the shift, so that it is found by halving.
    target, low, high = SYMBOL_S * sample_rate / HOP, -5.0, 5.0
    for _ in range(40):
        shift = (low + high) / 2
        if float(torch.ceil(torch.exp(shape + shift)).mean()) < target:
            low = shift
        else:
            high = shift
    affine = voice.dp.flows[-1]
    # Rounded: the last digits are not the same on every processor.
    affine.logs.fill_(round(float(torch.tensor(spread).log()), 2))
    affine.m.fill_(round(float(logs.mean()) - shift * spread, 2))
    levels = []
    hook = voice.dec.conv_post.register_forward_hook(lambda _, __, out: levels.append(float(out.square().mean().sqrt())))
    voice(*text_of(symbol_ids, 40), torch.tensor(SCALES), None if speaker is None else torch.tensor([0]))
    hook.remove()
    voice.dec.conv_post.weight.mul_(float(f"{LEVEL / levels[0]:.2g}"))


def text_of(symbol_ids, phonemes):
    """As real ones are: start, phonemes with a pad after each, end."""
    letters = [ids[0] for symbol, ids in symbol_ids.items() if symbol not in "_^$"]
    start, pad, end = (symbol_ids[symbol][0] for symbol in "^_$")
    chosen = [letters[place] for place in torch.randint(len(letters), (phonemes,)).tolist()]
    ids = [start, pad, *(one for phoneme in chosen for one in (phoneme, pad)), end]
    return torch.tensor([ids]), torch.tensor([len(ids)])


def export(voice, speakers, path):
    ids = torch.randint(0, SYMBOLS, (1, 50))
    sid = torch.tensor([0]) if speakers > 1 else None
    with warnings.catch_warnings(), torch.no_grad():
        # Of sizes that are the same for every text.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            voice,
            (ids, torch.tensor([50]), torch.tensor(SCALES), sid),
            path,
            opset_version=OPSET,
            input_names=["input", "input_lengths", "scales", "sid"][: 4 if speakers > 1 else 3],
            output_names=["output"],
            dynamic_axes={
                "input": {0: "batch_size", 1: "phonemes"},
                "input_lengths": {0: "batch_size"},
                "output": {0: "batch_size", 1: "time"},
            },
        )
    onnx.checker.check_model(path)


def piper_config(quality, sample_rate, speakers, symbol_ids):
    return {
        "dataset": "bench",
        "audio": {"sample_rate": sample_rate, "quality": quality},
        "espeak": {"voice": "en-us"},
        "language": {
            "code": "en_US",
            "family": "en",
            "region": "US",
            "name_native": "English",
            "name_english": "English",
            "country_english": "United States",
        },
        "inference": {"noise_scale": SCALES[0], "length_scale": SCALES[1], "noise_w": SCALES[2]},
        "phoneme_type": "espeak",
        "phoneme_map": {},
        "phoneme_id_map": symbol_ids,
        "num_symbols": SYMBOLS,
        "num_speakers": speakers,
        "speaker_id_map": {f"speaker {number}": number for number in range(speakers)} if speakers > 1 else {},
        "hop_length": HOP,
        "piper_version": "1.0.0",
        "license": "CC0-1.0",
    }


def make(quality, speakers, seed, folder):
    torch.manual_seed(seed)
    sample_rate, encoder, decoder = QUALITIES[quality]
    with open(SYMBOL_IDS, encoding="utf-8") as file:
        symbol_ids = json.load(file)
    voice = Voice(encoder, decoder, speakers).eval()
    make_plausible(voice, sample_rate, symbol_ids)
    name = "bench" if speakers == 1 else f"bench_{speakers}"
    path = os.path.join(folder, f"en_US-{name}-{quality}.onnx")
    # Whoever finds the model finds its config, and the whole of both.
    export(voice, speakers, f"{path}.part")
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump(piper_config(quality, sample_rate, speakers, symbol_ids), file, ensure_ascii=False, indent=2)
    os.replace(f"{path}.part", path)
    return path


def describe(path):
    counts = collections.Counter(node.op_type for node in onnx.load(path).graph.node)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    return f"{path}: {os.path.getsize(path) / 1e6:.2f} MB, {sum(counts.values())} nodes: {kinds}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qualities", nargs="*", metavar="QUALITY")
    parser.add_argument("--folder", default=".")
    parser.add_argument("--speakers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    qualities = args.qualities or ["medium"]
    unknown = [quality for quality in qualities if quality not in QUALITIES]
    if unknown:
        parser.error(f"no such quality: {', '.join(unknown)}")
    torch.set_num_threads(1)
    os.makedirs(args.folder, exist_ok=True)
    for quality in qualities:
        path = make(quality, args.speakers, args.seed, args.folder)
        print(describe(path))
        size_mb, usual_mb = os.path.getsize(path) / 1e6, USUAL_SIZE_MB[quality]
        if args.speakers == 1 and abs(size_mb / usual_mb - 1) > 0.02:
            sys.exit(f"a real {quality} voice has {usual_mb} MB: the structure is not the same")


if __name__ == "__main__":
    main()
