#!/usr/bin/env python3
"""Aligned recordings → a shard like generate.py's, to be read by data.py.

    prepare.py SPEAKER PHONEMES.jsonl SENTENCES.tsv RECORDINGS ALIGNMENT.npz CHECKPOINTS OUT.npz

SENTENCES.tsv has the columns file, split (train or held) and characters_per_second. CHECKPOINTS (import_model.py) read some of
the sentences, so that the energy of the recordings can be expressed as the model's.
"""
import argparse
import csv
import json
import os

import numpy as np
import torch
from scipy.signal import resample_poly

from data import HELD_OUT, HELD_OUT_EVERY
from export import read_checkpoint
from german import PAUSE, nearest_ids, phones, symbol_ids
from model import Prosody, Sound, Voice
from recordings import RATE, log_mel, read_recording, track_pitch

CHARACTERS_PER_SECOND = (12, 22)      # others are left out
DROPPED_SHARE = 0.04                  # share of the sentences with the lowest alignment scores that is left out
LENGTH_SHARE = 0.4                    # of a long vowel's time that counts for its length mark
STOP_FRAMES = 4                       # of the silence after a sentence that count for its last punctuation
LOUDNESS_SPEAKER = 2                  # recordings get the level of this built-in voice
CALIBRATION = 40                      # sentences


def symbol_frames(symbols, starts):
    """Frames of start, symbols and end. Stress marks, diacritics and spaces beside punctuation have none."""
    found = phones(symbols)
    frames = np.zeros(len(symbols) + 2, int)
    lengths = np.diff(starts)
    frames[0] = lengths[0]
    for (name, first, size), length in zip(found, lengths[1:]):
        inside = [1 + k for k in range(first, first + size)]
        if name == PAUSE:
            marks = [k for k in inside if symbols[k - 1] != " "]
            frames[marks[0] if marks else inside[0]] = length
            continue
        base = next(k for k in inside if symbols[k - 1] not in "ˈˌ")
        frames[base] = length
        if inside[-1] > base and symbols[inside[-1] - 1] == "ː":
            frames[inside[-1]] = round(length * LENGTH_SHARE)
            frames[base] -= frames[inside[-1]]
    if found[-1][0] == PAUSE:                                  # punctuation and the silence at the end are one pause
        last = 1 + found[-1][1]
        frames[-1] = max(0, frames[last] - STOP_FRAMES)
        frames[last] -= frames[-1]
    else:
        frames[-1] = lengths[-1]
    return frames


def energy_features(samples):
    """[frames, 9]: log power of three bands, with those of the frames before and after, smoothed."""
    x = log_mel(samples, 24, 6400)
    bands = np.stack([np.logaddexp.reduce(x[:, a:b], 1) for a, b in ((0, 8), (8, 16), (16, 24))], 1)
    bands = np.maximum(bands, bands.max() - 12)
    pad = np.pad(bands, ((2, 2), (0, 0)), "edge")
    return np.concatenate([pad[1:-3], bands, pad[3:-1], pad[:-4] + pad[4:]], 1)


def measure_level(samples):
    """RMS of the loudest tenth of the frames of 12.5 ms."""
    power = (samples[:len(samples) // 200 * 200].reshape(-1, 200) ** 2).mean(1)
    return float(np.sqrt(np.sort(power)[-len(power) // 10:].mean()))


@torch.no_grad()
def calibrate(checkpoints, sentences):
    """Level of the built-in voice, and weights of energy_features for the energy that the model gave it."""
    voice = Voice(read_checkpoint(Prosody, checkpoints + "/prosody.pt"), read_checkpoint(Sound, checkpoints + "/sound.pt")).eval()
    nearest, ids, outputs = nearest_ids(), symbol_ids(), []
    contours = voice.prosody.contours
    voice.prosody.contours = lambda *inputs: outputs.append(contours(*inputs)) or outputs[-1]
    xs, ys, levels = [], [], []
    for sentence in sentences:
        symbols = torch.tensor([[1, *(nearest.get(ids[s][0], ids[s][0]) for s in sentence["phonemes"]), 2]])
        samples, _ = voice(symbols, torch.tensor([symbols.shape[1]]), torch.tensor([0.667, 1, 0.8]), torch.tensor([LOUDNESS_SPEAKER]))
        samples = samples[0, 0].numpy()
        levels.append(measure_level(samples))
        x, y = energy_features(resample_poly(samples, 2, 3)), outputs[-1][0, :, 2].numpy()
        xs.append(x[:len(y)])
        ys.append(y[:len(x)])
    x = np.concatenate([np.concatenate(xs), np.ones((sum(len(x) for x in xs), 1))], 1)
    y = np.concatenate(ys)
    weights = np.linalg.solve(x.T @ x + 10 * np.eye(x.shape[1]), x.T @ y)
    print(f"energy: correlation {np.corrcoef(x @ weights, y)[0, 1]:.3f}, error {abs(x @ weights - y).mean():.3f}; level {np.median(levels):.3f}", flush=True)
    return float(np.median(levels)), weights


def choose_sentences(rows, alignment, sentences):
    """→ [(id, is held out)] of the used sentences"""
    scores = {key.removesuffix("/score"): float(alignment[key]) for key in alignment.files if key.endswith("/score")}
    lowest_score = np.quantile(list(scores.values()), DROPPED_SHARE)
    low, high = CHARACTERS_PER_SECOND
    chosen, reasons = [], {"rate": 0, "score": 0}
    for row in rows:
        name = row["file"].rsplit(".", 1)[0]
        is_held_out = row["split"] == "held"
        if not is_held_out and not low <= float(row["characters_per_second"]) <= high:
            reasons["rate"] += 1
        elif name not in scores or not is_held_out and scores[name] < lowest_score:
            reasons["score"] += 1
        elif name in sentences:
            chosen.append((name, is_held_out))
    print(f"{len(chosen)} sentences; left out: {reasons}", flush=True)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("speaker", "phonemes", "sentences", "recordings", "alignment", "checkpoints", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with open(args.phonemes, encoding="utf-8") as file:
        sentences = {row["id"]: row for row in map(json.loads, file)}
    with open(args.sentences, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    alignment, ids = np.load(args.alignment), symbol_ids()
    level, weights = calibrate(args.checkpoints, list(sentences.values())[:CALIBRATION])
    arrays = {name: [] for name in ("symbols", "frames", "f0", "energy", "phase", "audio")}
    numbers = []
    for i, (name, is_held_out) in enumerate(choose_sentences(rows, alignment, sentences)):
        samples = read_recording(args.recordings, name)
        samples = samples * (level / measure_level(samples))
        symbols = sentences[name]["phonemes"]
        frames = symbol_frames(symbols, alignment[name + "/starts"])
        pitch = track_pitch(samples)
        x = energy_features(samples)
        energy = np.concatenate([x, np.ones((len(x), 1))], 1) @ weights
        assert frames.sum() == len(pitch) == len(energy), name
        numbers.append(i * HELD_OUT_EVERY + (HELD_OUT if is_held_out else 0))
        for key, value, dtype in (("symbols", [1, *(ids[s][0] for s in symbols), 2], np.uint8), ("frames", frames, np.int16),
                                  ("f0", pitch, np.float16), ("energy", 4 * (energy + 1), np.float16),
                                  ("phase", np.cumsum(pitch / 80) % 1.0, np.float32),
                                  ("audio", (resample_poly(samples, 3, 2).clip(-1, 1) * 32767).round(), np.int16)):
            arrays[key].append(np.asarray(value, dtype))
    os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
    np.savez(args.out + ".part.npz", **{key: np.concatenate(value) for key, value in arrays.items()}, speaker=np.array(args.speaker),
             lengths=np.array([len(value) for value in arrays["symbols"]]), totals=np.array([len(value) for value in arrays["f0"]]),
             numbers=np.array(numbers))
    os.replace(args.out + ".part.npz", args.out)
    seconds = sum(len(value) for value in arrays["f0"]) / 80
    print(f"{seconds / 60:.1f} minutes", flush=True)


if __name__ == "__main__":
    main()
