#!/usr/bin/env python3
"""Adapts trained networks to another speaker from recordings:   adapt.py prosody|sound SHARDS CHECKPOINT OUT --minutes M

Trains only the parameters of the speaker: its rows in the speaker embeddings, the embeddings of its language's symbols (german.py)
and the low-rank corrections (Adapted in model.py). All other weights are unchanged, and so are the samples of the other voices.

Sound: the recordings are compressed and lack the teacher's phase, so only magnitudes below TOP_HZ are compared. Above, the speaker
keeps the level of the donor, a built-in voice, in the same phonemes.
"""
import argparse
import math
import os

import numpy as np
import torch
import torch.nn as nn

import train_prosody
from average import Clock, MovingAverage, Progress
from data import Data
from export import read_checkpoint
from german import nearest_ids
from model import HOP, NOISE_FRAMES, RATE as SAMPLE_RATE, Adapted, Prosody, Sound, length_regulator
from train_sound import CROP, MARGIN, MELS, RESOLUTIONS, mel_filters
from voices import VOICES

SPEAKER = next(number for number, voice in enumerate(VOICES) if voice.style is None)
DONOR = 2                             # initial rows: a female voice whose language has ø, œ, y and ʁ
RANK = {"prosody": 8, "sound": 16}
RATE = {"prosody": 3e-3, "sound": 2e-3}
ROWS = {"prosody": 1, "sound": 4}     # factor of the rate for rows of embeddings: levels of the filters are far from the donor's
TOP_HZ = 6200                         # the level of the recordings falls from 6 kHz on
BLEND_HZ = 6800                       # from here on the level is compared with the donor's
DONOR_EVERY = 3                       # every third step compares the band above
WARM_UP = 30                          # steps
LENGTH_WEIGHT = 2                     # durations of an alignment are noisy
DECAY = 0.95                          # of the average of weights


def extend(network_class, path, rank):
    """The network of a checkpoint with one more speaker, and embeddings for the language's symbols."""
    old = read_checkpoint(network_class, path)
    network = network_class(**{**old.config, "speakers": SPEAKER + 1, "rank": rank})
    weights = old.state_dict()
    for name, value in network.state_dict().items():
        if name in weights and weights[name].shape != value.shape:
            weights[name] = torch.cat([weights[name][:SPEAKER], weights[name][DONOR:DONOR + 1]])
    for new_id, nearest in nearest_ids().items():
        weights["embed.weight"][new_id] = weights["embed.weight"][nearest]
    network.load_state_dict(weights, strict=False)
    return network


def speaker_rows(name):
    """Rows of an embedding that belong to the speaker."""
    return list(nearest_ids()) if name == "embed" else [SPEAKER]


def trained_parameters(network):
    """Trained parameters: corrections and embeddings; gradients of the rows of other speakers are set to zero."""
    network.requires_grad_(False)
    corrections, embeddings = [], []
    for name, module in network.named_modules():
        if isinstance(module, Adapted):
            corrections += [module.inward, module.outward]
        elif isinstance(module, nn.Embedding):
            rows = torch.zeros(len(module.weight), 1)
            rows[speaker_rows(name)] = 1
            embeddings.append(module.weight.requires_grad_(True))
            module.weight.register_hook(lambda gradient, rows=rows: gradient * rows)
    for parameter in corrections:
        parameter.requires_grad_(True)
    return corrections, embeddings


def render(network, b, noise_at):
    """Samples of the crops without their margins, [B, CROP · HOP]."""
    hidden = length_regulator(network.encode(b["symbols"], b["mask"]), b["frames"], b["t"], network.place)
    melody = torch.stack([b["log"], b["voiced"], b["energy"]], 2)
    generated = network(hidden, melody, b["phase"], b["hertz"], b["following"], b["voiced"], b["speaker"], noise_at, b["inside"])
    return generated[:, MARGIN * HOP:(MARGIN + CROP) * HOP]


class BandDistance:
    """Distances of samples in a band: log magnitude, spectral convergence, log mel."""

    def __init__(self, low, high):
        self.mels = []
        for fft, _, bands in MELS:
            filters = mel_filters(fft, bands, "cpu")
            middle = (filters * torch.arange(fft // 2 + 1)).sum(1) * SAMPLE_RATE / fft
            self.mels.append(filters[(middle >= low) & (middle < high)])
        self.bins = [slice(int(low * fft / SAMPLE_RATE), int(high * fft / SAMPLE_RATE)) for fft, _, _ in RESOLUTIONS]

    def __call__(self, generated, real):
        log = convergence = mel = 0.0
        for (fft, hop, _), bins, filters in zip(MELS, self.bins, self.mels):
            window = torch.hann_window(fft)
            a, b = (torch.stft(x, fft, hop, fft, window, center=False, return_complex=True) for x in (generated, real))
            a, b = a.real.square() + a.imag.square() + 1e-7, b.real.square() + b.imag.square() + 1e-7
            mel = mel + 0.5 * ((filters @ a + 1e-6).log() - (filters @ b + 1e-6).log()).abs().mean() / 3
            a, b = a[:, bins].sqrt(), b[:, bins].sqrt()
            log = log + ((a + 1e-3).log() - (b + 1e-3).log()).abs().mean() / 3
            convergence = convergence + (a - b).abs().sum() / b.sum() / 3
        return log, convergence, mel


class SoundTask:
    figures = "log convergence mel above".split()
    network_class = Sound

    def __init__(self, path):
        self.donor = read_checkpoint(Sound, path)
        self.below, self.above = BandDistance(60, TOP_HZ), BandDistance(BLEND_HZ, SAMPLE_RATE / 2)
        self.nearest = torch.arange(256)
        for new_id, nearest in nearest_ids().items():
            self.nearest[new_id] = nearest
        self.steps, self.last = 0, torch.zeros(())

    def batch(self, data, count):
        return data.crops(data.pick(count), CROP, MARGIN)

    def held_out_batch(self, data):
        np.random.seed(1)
        return data.crops(data.held_out[:16], CROP, MARGIN)

    def losses(self, network, b):
        if network.training:                  # tolerate errors of the energy that the prosody network predicts
            b["energy"] = b["energy"] + 0.03 * torch.randn(len(b["energy"]), 1)
        noise_at = torch.randint(0, NOISE_FRAMES, (len(b["energy"]),))
        generated = render(network, b, noise_at)
        log, convergence, mel = self.below(generated, b["audio"])
        above = torch.zeros(())
        if not network.training or self.steps % DONOR_EVERY == 0:
            with torch.no_grad():
                donor = render(self.donor, {**b, "symbols": self.nearest[b["symbols"]], "speaker": torch.full_like(b["speaker"], DONOR)}, noise_at)
            above = self.above(generated, donor)[2]
            self.last = above.detach()
        self.steps += network.training
        return 0.7 * log + 0.5 * convergence + 1.5 * mel + above, torch.stack([log, convergence, mel, self.last]).detach()


class ProsodyTask:
    figures = train_prosody.FIGURES
    network_class = Prosody

    def __init__(self, path):
        pass

    def batch(self, data, count):
        return data.sentences(data.pick(count))

    def held_out_batch(self, data):
        return data.sentences(data.held_out)

    def losses(self, network, b):
        return train_prosody.losses(network, b, LENGTH_WEIGHT)


def measure(task, network, data, average):
    with average.averaged_weights():
        return " ".join(f"{figure:.3f}" for figure in task.losses(network, task.held_out_batch(data))[1].tolist())


def save(path, network, average):
    """As float32, with the original rows of other speakers, as an average of equal numbers is rounded."""
    weights = network.state_dict()
    for name, module in network.named_modules():
        if isinstance(module, Adapted):
            weights.update({f"{name}.{part}": average.weights[f"{name}.{part}"] for part in ("inward", "outward")})
        elif isinstance(module, nn.Embedding):
            rows = speaker_rows(name)
            weights[f"{name}.weight"] = weights[f"{name}.weight"].clone()
            weights[f"{name}.weight"][rows] = average.weights[f"{name}.weight"][rows]
    torch.save({"config": network.config, "weights": weights}, path + ".part")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("prosody", "sound"))
    for name in ("shards", "checkpoint", "out"):
        parser.add_argument(name)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)
    task = {"prosody": ProsodyTask, "sound": SoundTask}[args.part](args.checkpoint)
    data = Data(args.shards, [voice.name for voice in VOICES], "cpu", 2.0, audio=args.part == "sound")
    network = extend(task.network_class, args.checkpoint, RANK[args.part])
    if args.part == "prosody":
        network.base[SPEAKER] = data.base[SPEAKER]
    corrections, embeddings = trained_parameters(network)
    optimizer = torch.optim.Adam([{"params": corrections, "factor": 1}, {"params": embeddings, "factor": ROWS[args.part]}], betas=(0.9, 0.98))
    average, progress = MovingAverage(network, data.speakers, DECAY), Progress(task.figures, "cpu", 240)
    clock = Clock(args.out, args.minutes, "cpu", network=network, average=average, optimizer=optimizer)
    print("before:", measure(task, network, data, average), flush=True)
    while (fraction := clock.fraction()) < 1:
        for group in optimizer.param_groups:
            group["lr"] = group["factor"] * RATE[args.part] * min(1, (average.steps + 1) / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * fraction)) + 1e-6
        b = task.batch(data, args.batch)
        if b is None:
            continue
        loss, current_losses = task.losses(network, b)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(corrections + embeddings, 1.0)
        optimizer.step()
        average.update()
        clock.tick()
        progress.add(current_losses, average.steps, lambda: measure(task, network, data, average))
    save(args.out, network, average)
    clock.finish()


if __name__ == "__main__":
    main()
