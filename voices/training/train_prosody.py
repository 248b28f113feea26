#!/usr/bin/env python3
"""Trains the prosody network on shards with and without sound. The schedule follows the clock: a slower device makes fewer steps."""
import argparse
import math

import numpy as np
import torch
import torch.nn.functional as F

from average import Clock, MovingAverage, Progress
from data import Data
from model import Prosody
from voices import TEACHER_VOICES

FIGURES = "duration pitch movement voicing energy r ratio".split()
END = 2                               # id of the end of a sentence
RATE = 8e-4                           # highest learning rate, reached after WARM_UP steps
WARM_UP = 300


def mean_of(x, weight):
    return (x * weight).sum() / weight.sum().clamp(min=1)


def losses(network, b, length_weight=0.0):
    """Loss and FIGURES: errors of log durations, log pitch, its movement, voicing and energy; correlation of the pitch contours
    with the teacher's and ratio of their deviations."""
    hidden, duration = network.encode(b["symbols"], b["speaker"], b["mask"])
    inner = b["mask"].squeeze(2).clone()
    inner[:, 0] = 0                                           # silence at both ends is trimmed at random: nothing to learn
    inner = inner * (b["symbols"] != END)
    duration_loss = mean_of((duration - torch.log1p(b["frames"].float())).abs(), inner)
    # the error of each symbol's logarithm alone makes sentences short where durations are noisy
    lengths = ((torch.expm1(duration.clamp(0, 5)) * inner).sum(1), (b["frames"] * inner).sum(1))
    length_loss = torch.log(lengths[0] / lengths[1].clamp(min=1)).abs().mean()
    contours = network.contours(hidden, b["frames"], b["t"], b["speaker"], b["inside"])
    pitch, voicing, energy = contours.unbind(2)
    inside, log = b["inside"].squeeze(2), b["log"]
    voiced = b["voiced"] * inside
    weight = voiced * (0.3 + (b["energy"] + 1.5).clamp(0, 1))  # the teacher's pitch wanders where speech is quiet
    pitch_loss = mean_of((pitch - log).abs(), weight)
    # the mean absolute error alone makes contours flat: errors of the movement over 50, 150 and 400 ms count too
    movement_loss = sum(mean_of(((pitch[:, k:] - pitch[:, :-k]) - (log[:, k:] - log[:, :-k])).abs(), weight[:, k:] * voiced[:, :-k])
                        for k in (4, 12, 32)) / 3
    voicing_loss = mean_of(F.binary_cross_entropy_with_logits(voicing, b["voiced"], reduction="none"), inside)
    energy_loss = mean_of((energy - b["energy"]).abs(), inside)
    with torch.no_grad():
        centred = lambda x: (x - (x * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=1)) * voiced
        x, y = centred(pitch), centred(log)
        r = (x * y).sum() / (x.square().sum() * y.square().sum()).sqrt()
        ratio = (x.square().sum() / y.square().sum()).sqrt()
    figures = [figure.detach() for figure in (duration_loss, pitch_loss, movement_loss, voicing_loss, energy_loss, r, ratio)]
    return 2 * duration_loss + length_weight * length_loss + 3 * pitch_loss + 2 * movement_loss + voicing_loss + energy_loss, torch.stack(figures)


def measure(network, data, average):
    """Figures of up to 48 held-out sentences of each speaker."""
    texts = []
    for number, speaker in enumerate(data.speakers):
        rows = data.held_out[data.held_out[:, 0] == number][:48] if len(data.held_out) else []
        if len(rows) > 3:
            with average.averaged_weights():
                texts.append(speaker + " " + " ".join(f"{figure:.3f}" for figure in losses(network, data.sentences(rows))[1].tolist()))
    return "; ".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shards")
    parser.add_argument("checkpoint")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--hours", type=float, required=True, help="of teacher speech, at most")
    parser.add_argument("--batch", type=int, default=64, help="sentences")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(0)
    np.random.seed(0)
    data = Data(args.shards, [voice.name for voice in TEACHER_VOICES], args.device, args.hours, audio=False)
    network = Prosody(len(TEACHER_VOICES)).to(args.device)
    network.base.copy_(data.base)
    average = MovingAverage(network, data.speakers)
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, betas=(0.9, 0.98), weight_decay=1e-2, foreach=args.device == "cuda")
    clock = Clock(args.checkpoint, args.minutes, args.device, network=network, average=average, optimizer=optimizer)
    progress = Progress(FIGURES, args.device)
    while (fraction := clock.fraction()) < 1:
        rate = RATE * min(1, (average.steps + 1) / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * max(0, fraction - 0.2) / 0.8)) + 1e-6
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss, current_losses = losses(network, data.sentences(data.pick(args.batch)))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        average.update()
        clock.tick()
        progress.add(current_losses, average.steps, lambda: measure(network, data, average))
    average.save(args.checkpoint)
    clock.finish()


if __name__ == "__main__":
    main()
