#!/usr/bin/env python3
"""Aligns recordings with their phonemes:   align.py MODEL.onnx PHONEMES.jsonl RECORDINGS OUT.npz

A classifier of frames learns the phones from speech of the built-in voices, whose durations are exact, then from the recordings
themselves, as the Viterbi algorithm segments them. OUT.npz has for each sentence ("ID/name") the first frame of each phone and of
the end ("starts"), and the mean log probability of the frames' phones ("score").
"""
import argparse
import json
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from german import PAUSE, nearest_ids, phones, symbol_ids
from recordings import HOP, RATE, log_mel, read_recording

MELS, TOP_HZ = 40, 6400
SYNTHETIC_SENTENCES, SPEAKERS = 180, 5    # sentences read by the built-in voices in turn
ROUNDS = [(0, 8), (1, 3), (2, 2)]    # (round, epochs)
BATCH, CROP = 24, 160                 # crops of 2 s
MIN_FRAMES = {PAUSE: 3}              # frames; other phones 2
IGNORED = -1


class Classifier(nn.Module):
    """[B, T, MELS] → [B, T, phones]; sees 0.2 s at both sides."""

    def __init__(self, phone_count, size=144):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(MELS if i == 0 else size, size, 5, padding=2 * d, dilation=d) for i, d in enumerate((1, 1, 2, 2, 2))])
        self.last = nn.Linear(size, phone_count)

    def forward(self, x):
        x = x.transpose(1, 2)
        for i, layer in enumerate(self.layers):
            y = F.dropout(F.relu(layer(x)), 0.1, self.training)
            x = y if i == 0 else x + y
        return self.last(x.transpose(1, 2))


def features(samples, warp=1.0):
    x = log_mel(samples, MELS, TOP_HZ, warp)
    x = np.maximum(x, np.percentile(x, 99) - 9)               # 78 dB
    return ((x - x.mean(0)) / (x.std(0) + 0.3)).astype(np.float32)


def synthesize(session, sentence, speaker):
    """Features of a sentence in a built-in voice, and the phone of each frame."""
    nearest, ids = nearest_ids(), symbol_ids()
    symbols = [nearest.get(ids[s][0], ids[s][0]) for s in sentence["phonemes"]]
    found = phones(sentence["phonemes"])
    for name, first, size in found:
        if name == "R":
            symbols[first + size - 1] = ids["ɐ"][0]
    row = np.array([[1, *symbols, 2]])
    scale = np.random.uniform(0.8, 1.25)
    output, durations = session.run(None, {"input": row, "input_lengths": np.array([row.shape[1]]), "sid": np.array([speaker]),
                                           "scales": np.array([0.667, scale, 0.8], np.float32)})
    from scipy.signal import resample_poly
    x = features(resample_poly(output[0, 0], 2, 3), np.random.uniform(0.9, 1.12))
    frames = durations[0].astype(int)[1:-1]
    labels = [PAUSE] * int(durations[0][0])
    for name, first, size in found:
        count = int(frames[first:first + size].sum())
        labels += [name if name != PAUSE or count > 6 else None] * count
    labels += [PAUSE] * (len(x) + 9)
    return x, labels[:len(x)]


def scaled_log_likelihoods(classifier, x, log_prior):
    with torch.no_grad():
        return F.log_softmax(classifier(torch.from_numpy(x)[None])[0], 1).numpy() - log_prior


def viterbi(score, names, phone_ids):
    """Best first frames of the phones and of the end, and the mean score. Pauses inside the sentence may be left out."""
    emission, phone_of, first_of, last_of = [], [], [], []
    for i, name in enumerate(names):
        first_of.append(len(emission))
        for _ in range(MIN_FRAMES.get(name, 2) if 0 < i < len(names) - 1 else 1):
            emission.append(phone_ids[name])
            phone_of.append(i)
        last_of.append(len(emission) - 1)
    states, frames = len(emission), len(score)
    if frames < states:
        return None
    e = score[:, emission]
    can_stay = np.full(states, -np.inf)
    can_stay[last_of] = 0
    skip_from = np.full(states, -1)
    for i in range(2, len(names)):
        if names[i - 1] == PAUSE:
            skip_from[first_of[i]] = last_of[i - 2]
    skip = np.nonzero(skip_from >= 0)[0]
    best = np.full(states, -np.inf)
    best[0] = e[0, 0]
    back = np.zeros((frames, states), np.int32)
    index = np.arange(states)
    for t in range(1, frames):
        stay, come = best + can_stay, np.concatenate([[-np.inf], best[:-1]])
        source = np.where(stay >= come, index, index - 1)
        value = np.maximum(stay, come)
        jump = best[skip_from[skip]]
        better = jump > value[skip]
        value[skip[better]], source[skip[better]] = jump[better], skip_from[skip[better]]
        best, back[t] = value + e[t], source
    path, state = np.zeros(frames, int), states - 1
    for t in range(frames - 1, -1, -1):
        path[t] = phone_of[state]
        state = back[t, state]
    return np.searchsorted(path, np.arange(len(names) + 1)), best[-1] / frames


def train(classifier, material, epochs, phone_count, rate):
    """material: [(features, labels)]"""
    optimizer = torch.optim.Adam(classifier.parameters(), rate)
    steps = epochs * sum(len(x) for x, _ in material) // (BATCH * CROP)
    weight = np.array([len(x) for x, _ in material], float)
    right = seen = 0
    classifier.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / steps) + 1e-5
        xs, ys = [], []
        for i in np.random.choice(len(material), BATCH, p=weight / weight.sum()):
            x, y = material[i]
            at = np.random.randint(0, max(1, len(x) - CROP))
            xs.append(np.pad(x[at:at + CROP], ((0, max(0, CROP - len(x))), (0, 0))))
            ys.append(np.pad(y[at:at + CROP], (0, max(0, CROP - len(y))), constant_values=IGNORED))
        y = torch.from_numpy(np.stack(ys))
        out = classifier(torch.from_numpy(np.stack(xs)) + 0.1 * torch.randn(BATCH, CROP, MELS))
        loss = F.cross_entropy(out.reshape(-1, phone_count), y.reshape(-1), ignore_index=IGNORED, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step > steps * 0.9:
            right, seen = right + int((out.argmax(2) == y).sum()), seen + int((y >= 0).sum())
    classifier.eval()
    return right / max(1, seen)


def compute_log_prior(material, phone_count):
    count = np.bincount(np.concatenate([y[y >= 0] for _, y in material]), minlength=phone_count) + 50
    return np.log(count / count.sum()).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "phonemes", "recordings", "out"):
        parser.add_argument(name)
    args = parser.parse_args()
    import onnxruntime
    torch.manual_seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    begin = time.time()
    note = lambda text: print(f"{time.time() - begin:.0f} s: {text}", flush=True)
    with open(args.phonemes, encoding="utf-8") as file:
        sentences = [json.loads(line) for line in file]
    names = {s["id"]: [PAUSE, *(name for name, _, _ in phones(s["phonemes"])), PAUSE] for s in sentences}
    # the punctuation at the end and the silence after it are one pause
    names = {key: value[:-1] if value[-2] == PAUSE else value for key, value in names.items()}
    kinds = sorted({name for value in names.values() for name in value})
    phone_ids = {name: number for number, name in enumerate(kinds)}
    session = onnxruntime.InferenceSession(args.model, options)
    material = []
    for i, k in enumerate(np.random.permutation(len(sentences))[:SYNTHETIC_SENTENCES]):
        x, labels = synthesize(session, sentences[k], i % SPEAKERS)
        material.append((x, np.array([phone_ids.get(name, IGNORED) for name in labels])))
    note(f"{sum(len(x) for x, _ in material) / 4800:.0f} minutes of built-in voices")
    recorded = {s["id"]: features(read_recording(args.recordings, s["id"])) for s in sentences}
    note("recordings read")
    classifier = Classifier(len(kinds))
    for number, epochs in ROUNDS:
        accuracy = train(classifier, material, epochs, len(kinds), 2e-3 if number == 0 else 1e-3)
        prior = compute_log_prior(material, len(kinds))
        found = {}
        for key, x in recorded.items():
            result = viterbi(scaled_log_likelihoods(classifier, x, prior), names[key], phone_ids)
            if result is not None:
                found[key] = result
        note(f"round {number}: {accuracy:.3f} of the training frames right, mean score {np.mean([score for _, score in found.values()]):.3f}")
        material = []
        for key, (starts, _) in found.items():
            labels = np.repeat([phone_ids[name] for name in names[key]], np.diff(starts))
            material.append((recorded[key], labels))
        np.savez_compressed(args.out + ".part.npz", **{f"{key}/starts": starts for key, (starts, _) in found.items()},
                            **{f"{key}/score": score for key, (_, score) in found.items()})
        os.replace(args.out + ".part.npz", args.out)
        torch.save({"weights": classifier.state_dict(), "kinds": kinds, "prior": prior}, args.out + ".classifier.pt")


if __name__ == "__main__":
    main()
