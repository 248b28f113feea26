#!/usr/bin/env python3
"""Trains the sound network on shards with sound: regression first, then adversarial training with spectrogram and period
discriminators. The schedule follows the clock: a slower device makes fewer steps.

Phase, pitch and voicing come from the teacher, so that its samples can be compared with the network's.
"""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import weight_norm

from average import Clock, MovingAverage, Progress
from data import Data
from model import HOP, NOISE_FRAMES, RATE as SAMPLE_RATE, Sound, bfloat16_on_cuda, length_regulator
from voices import TEACHER_VOICES

CROP, MARGIN = 112, 24                # frames: 1.4 s that are compared, 0.3 s of context at both sides
RESOLUTIONS = [(512, 128, 480), (1024, 256, 960), (2048, 512, 1800)]                # STFT: size, hop, window
MELS = [(512, 128, 40), (1024, 256, 80), (2048, 512, 120)]              # size, hop, mel bands
WAVE_TOP = 4000                       # Hz: below it the phase is compared too
FIGURES = "log convergence wave mel adversarial matching discriminator norm".split()
RATE, ADVERSARIAL_RATE, DISCRIMINATOR_RATE = 1.5e-3, 5e-4, 3e-4
WARM_UP = 200                         # steps
ADVERSARIAL_FROM, RAMP_S = 0.3, 40    # after 30 % of the time; the weight of the adversarial losses grows for 40 s


def mel_filters(fft, bands, device):
    """[bands, bins] triangles of equal sum."""
    top = 2595 * np.log10(1 + SAMPLE_RATE / 2 / 700)
    points = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    f = np.arange(fft // 2 + 1) * SAMPLE_RATE / fft
    w = np.maximum(0, np.minimum((f[None] - points[:-2, None]) / (points[1:-1] - points[:-2])[:, None],
                                 (points[2:, None] - f[None]) / (points[2:] - points[1:-1])[:, None]))
    return torch.tensor(w / np.maximum(w.sum(1, keepdims=True), 1e-9), dtype=torch.float32, device=device)


class SoundLoss:
    """Distances of samples [B, N] to the teacher's: log magnitude, spectral convergence, complex spectrum below 4 kHz, mel."""

    def __init__(self, device):
        self.windows = {n: torch.hann_window(n, device=device) for n in {w for _, _, w in RESOLUTIONS} | {f for f, _, _ in MELS}}
        self.mels = [mel_filters(f, b, device) for f, _, b in MELS]

    def stft(self, x, fft, hop, window):
        return torch.stft(x, fft, hop, window, self.windows[window], center=False, return_complex=True)

    def __call__(self, generated, real):
        log = wave = convergence = mel = 0.0
        for fft, hop, window in RESOLUTIONS:
            a, b = self.stft(generated, fft, hop, window), self.stft(real, fft, hop, window)
            ma, mb = (a.real.square() + a.imag.square() + 1e-7).sqrt(), (b.real.square() + b.imag.square() + 1e-7).sqrt()
            log = log + ((ma + 1e-3).log() - (mb + 1e-3).log()).abs().mean() / 3
            convergence = convergence + (ma - mb).abs().sum() / mb.sum() / 3
            k = int(fft * WAVE_TOP / SAMPLE_RATE)
            d = a[:, :k] - b[:, :k]
            wave = wave + (d.real.square() + d.imag.square() + 1e-9).sqrt().sum() / mb[:, :k].sum() / 3
        for (fft, hop, _), w in zip(MELS, self.mels):
            pa = torch.einsum("mf,bft->bmt", w, self.stft(generated, fft, hop, fft).abs().square())
            pb = torch.einsum("mf,bft->bmt", w, self.stft(real, fft, hop, fft).abs().square())
            mel = mel + 0.5 * ((pa + 1e-6).log() - (pb + 1e-6).log()).abs().mean() / 3
        return log, convergence, wave, mel


class Discriminator(nn.Module):
    """Convolutions `layers`, a common score `last` and a score per `speaker` from the features of the last layer."""

    def score(self, y, speaker):
        """[B, 1, H, W] → scores, features of the layers."""
        features = []
        with bfloat16_on_cuda(y.is_cuda):
            for layer in self.layers:
                y = F.leaky_relu(layer(y), 0.1)
                features.append(y)
            return (self.last(y) + (y * self.speaker(speaker)[:, :, None, None]).sum(1, keepdim=True)).float(), features


class SpectrogramDiscriminator(Discriminator):
    """Convolutions over a log spectrogram. [B, N] → scores, features of the layers."""

    def __init__(self, fft, hop, speakers, size=32):
        super().__init__()
        self.fft, self.hop = fft, hop
        self.register_buffer("window", torch.hann_window(fft))
        convolution = lambda i, o, k, s: weight_norm(nn.Conv2d(i, o, k, s, (k[0] // 2, k[1] // 2)))
        self.layers = nn.ModuleList([convolution(1, size, (3, 9), (1, 2)), convolution(size, size, (3, 9), (1, 2)),
                                     convolution(size, size, (3, 9), (2, 2)), convolution(size, size, (3, 9), (1, 2)),
                                     convolution(size, size, (3, 3), (1, 1))])
        self.last = convolution(size, 1, (3, 3), (1, 1))
        self.speaker = nn.Embedding(speakers, size)

    def forward(self, x, speaker):
        y = torch.stft(x, self.fft, self.hop, self.fft, self.window, center=False, return_complex=True)
        return self.score(((y.real.square() + y.imag.square() + 1e-7).log() * 0.2 + 1).transpose(1, 2).unsqueeze(1), speaker)


class PeriodDiscriminator(Discriminator):
    """Convolutions over every period-th sample (HiFi-GAN). [B, N] → scores, features of the layers."""

    def __init__(self, period, speakers, sizes=(24, 64, 128, 256, 256)):
        super().__init__()
        self.period = period
        self.layers, channels = nn.ModuleList(), 1
        for i, size in enumerate(sizes):
            self.layers.append(weight_norm(nn.Conv2d(channels, size, (5, 1), (3 if i < 4 else 1, 1), (2, 0))))
            channels = size
        self.last = weight_norm(nn.Conv2d(channels, 1, (3, 1), 1, (1, 0)))
        self.speaker = nn.Embedding(speakers, channels)

    def forward(self, x, speaker):
        n = x.shape[1] // self.period * self.period
        return self.score(x[:, :n].reshape(len(x), 1, -1, self.period), speaker)


class Discriminators(nn.Module):
    """Each scores with a part that is common and one of the speaker."""

    def __init__(self, speakers):
        super().__init__()
        self.all = nn.ModuleList([SpectrogramDiscriminator(f, h, speakers) for f, h in ((512, 128), (1024, 256), (2048, 512))]
                                 + [PeriodDiscriminator(p, speakers) for p in (2, 3, 5, 7, 11)])
        for one in self.all:
            nn.init.zeros_(one.speaker.weight)

    def forward(self, x, speaker):
        return [one(x, speaker) for one in self.all]


def render(network, b):
    """Samples of the crops without their margins, [B, CROP · HOP]."""
    hidden = length_regulator(network.encode(b["symbols"], b["mask"]), b["frames"], b["t"], network.place)
    energy = b["energy"]
    if network.training:                      # the energy of the prosody network will not be exact
        energy = energy + 0.03 * torch.randn(len(energy), 1, device=energy.device)
    melody = torch.stack([b["log"], b["voiced"], energy], 2)
    noise_at = torch.randint(0, NOISE_FRAMES, (len(hidden),), device=hidden.device)
    generated = network(hidden, melody, b["phase"], b["hertz"], b["following"], b["voiced"], b["speaker"], noise_at, b["inside"])
    return generated[:, MARGIN * HOP:(MARGIN + CROP) * HOP]


def train_discriminators(discriminators, optimizer, generated, real, speaker):
    """One step (least squares). Returns the loss and the outputs for the teacher's speech."""
    real_outputs, generated_outputs = discriminators(real, speaker), discriminators(generated.detach(), speaker)
    loss = sum(((1 - r[0]) ** 2).mean() + (m[0] ** 2).mean() for r, m in zip(real_outputs, generated_outputs)) / len(real_outputs)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach(), real_outputs


def adversarial_losses(discriminators, generated, real_outputs, speaker):
    """Of the generator: scores, and distances of the features to those of the teacher's speech."""
    discriminators.requires_grad_(False)
    outputs = discriminators(generated, speaker)
    discriminators.requires_grad_(True)
    adversarial = sum(((1 - output[0]) ** 2).mean() for output in outputs) / len(outputs)
    matching = sum((x.float() - y.detach().float()).abs().mean() / (y.detach().float().abs().mean() + 1e-4)
                   for r, m in zip(real_outputs, outputs) for x, y in zip(m[1], r[1])) / len(outputs) / 5
    return adversarial, matching


class Training:
    def __init__(self, network, discriminators, device):
        self.network, self.discriminators, self.distances = network, discriminators, SoundLoss(device)
        foreach = device == "cuda"
        self.optimizer = torch.optim.AdamW(network.parameters(), RATE, (0.8, 0.98), weight_decay=1e-3, foreach=foreach)
        self.d_optimizer = torch.optim.AdamW(discriminators.parameters(), DISCRIMINATOR_RATE, (0.8, 0.99), weight_decay=1e-3, foreach=foreach)

    def set_rates(self, fraction, step):
        """fraction: elapsed share of the time. The rate falls to 40 % in regression, along a cosine to 1e-5 after it."""
        warm = min(1, (step + 1) / WARM_UP)
        if fraction <= ADVERSARIAL_FROM:
            rate, d_rate = warm * RATE * (1 - 0.6 * fraction / ADVERSARIAL_FROM), 0.0
        else:
            cosine = 0.5 + 0.5 * math.cos(math.pi * (fraction - ADVERSARIAL_FROM) / (1 - ADVERSARIAL_FROM))
            rate, d_rate = warm * ADVERSARIAL_RATE * cosine + 1e-5, DISCRIMINATOR_RATE * cosine + 1e-5
        for optimizer, value in ((self.optimizer, rate), (self.d_optimizer, d_rate)):
            for group in optimizer.param_groups:
                group["lr"] = value

    def step(self, b, ramp):
        """One step on a batch; ramp: None in regression, else the weight of the adversarial losses. Returns FIGURES."""
        generated, real = render(self.network, b), b["audio"]
        adversarial = matching = discriminator = torch.zeros((), device=generated.device)
        if ramp is not None:
            discriminator, real_outputs = train_discriminators(self.discriminators, self.d_optimizer, generated, real, b["speaker"])
            adversarial, matching = adversarial_losses(self.discriminators, generated, real_outputs, b["speaker"])
        log, convergence, wave, mel = self.distances(generated, real)
        loss = 2 * mel + log + 0.5 * convergence
        loss = loss + wave if ramp is None else loss + 0.5 * wave + ramp * (adversarial + 2 * matching)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimizer.step()
        return torch.stack([x.detach() for x in (log, convergence, wave, mel, adversarial, matching, discriminator, norm)])

    def measure(self, data, average):
        """Distances of up to 96 held-out crops."""
        if not len(data.held_out):
            return ""
        with average.averaged_weights():
            b = data.crops(data.held_out[:96], CROP, MARGIN)
            return "" if b is None else " ".join(f"{float(x):.3f}" for x in self.distances(render(self.network, b), b["audio"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shards")
    parser.add_argument("checkpoint")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--hours", type=float, required=True, help="of teacher speech with sound, at most")
    parser.add_argument("--init", help="checkpoint to start from")
    parser.add_argument("--batch", type=int, default=48, help="crops")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(0)
    np.random.seed(0)
    data = Data(args.shards, [voice.name for voice in TEACHER_VOICES], args.device, args.hours, audio=True)
    network, discriminators = Sound(len(TEACHER_VOICES)).to(args.device), Discriminators(len(TEACHER_VOICES)).to(args.device)
    if args.init:
        weights = torch.load(args.init, map_location=args.device)["weights"]
        network.load_state_dict({name: value.float() for name, value in weights.items()}, strict=False)
    average, training = MovingAverage(network, data.speakers), Training(network, discriminators, args.device)
    clock = Clock(args.checkpoint, args.minutes, args.device, network=network, discriminators=discriminators, average=average,
                  optimizer=training.optimizer, d_optimizer=training.d_optimizer)
    progress = Progress(FIGURES, args.device)
    while (fraction := clock.fraction()) < 1:
        training.set_rates(fraction, average.steps)
        b = data.crops(data.pick(args.batch), CROP, MARGIN)
        if b is None:
            continue
        ramp = min(1.0, (fraction - ADVERSARIAL_FROM) * clock.limit / RAMP_S) if fraction > ADVERSARIAL_FROM else None
        current_losses = training.step(b, ramp)
        average.update()
        clock.tick()
        progress.add(current_losses, average.steps, lambda: training.measure(data, average))
    average.save(args.checkpoint)
    clock.finish()


if __name__ == "__main__":
    main()
