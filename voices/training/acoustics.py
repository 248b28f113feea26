"""pocketsphinx's American English acoustic model in torch: what it makes of a sound has a gradient here.

It knows 5,126 states of phones in their contexts ("senones"). Each is a mixture of the 128 Gaussians of its phone, in three
streams: 13 mel-cepstra every 10 ms, their first and their second differences. Not as in the recognizer: noise is not
subtracted, and all Gaussians count, not the nearest four.
"""
import re
import subprocess
import tempfile

import numpy as np
import torch

RECOGNIZER = "/usr/share/pocketsphinx/model/en-us"
SAMPLE_RATE, HOP, WINDOW, FFT = 16000, 160, 410, 512
FILTERS, LOWEST_HZ, HIGHEST_HZ = 25, 130, 6800
CEPSTRA, LIFTER, PREEMPHASIS = 13, 22, 0.97
STREAMS = 3
POWER_FLOOR, VARIANCE_FLOOR, WEIGHT_FLOOR = 1.0, 1e-4, 1e-30
NATS_OF_A_WEIGHT_STEP = 1024 * np.log(1.0001)


def mel(hz):
    return 2595 * np.log10(1 + hz / 700)


class Features:
    """Samples [N], -1 to 1 -> [frames, 39], without the mean of the recording."""

    def __init__(self):
        step = SAMPLE_RATE / FFT
        edges = 700 * (10 ** (np.linspace(mel(LOWEST_HZ), mel(HIGHEST_HZ), FILTERS + 2) / 2595) - 1)
        edges = np.floor(edges / step + 0.5) * step
        hz = np.arange(FFT // 2 + 1) * step
        low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
        triangles = np.minimum((hz - low) / (middle - low), (high - hz) / (high - middle)).clip(min=0) * 2 / (high - low)
        cosines = np.cos(np.pi / FILTERS * np.arange(CEPSTRA)[:, None] * (np.arange(FILTERS) + 0.5)) * np.sqrt(2 / FILTERS)
        cosines[0] *= np.sqrt(0.5)
        lifter = 1 + LIFTER / 2 * np.sin(np.pi * np.arange(CEPSTRA) / LIFTER)
        self.triangles = torch.tensor(triangles.T, dtype=torch.float32)
        self.cosines = torch.tensor((cosines * lifter[:, None]).T, dtype=torch.float32)
        self.window = torch.tensor(np.hamming(WINDOW), dtype=torch.float32)

    def __call__(self, samples):
        samples = samples * 32768
        samples = torch.cat([samples[:1], samples[1:] - PREEMPHASIS * samples[:-1]])
        spectra = torch.fft.rfft(samples.unfold(0, WINDOW, HOP) * self.window, FFT)
        power = spectra.real**2 + spectra.imag**2
        cepstra = torch.log(power @ self.triangles + POWER_FLOOR) @ self.cosines
        cepstra = cepstra - cepstra.mean(0)
        x = torch.cat([cepstra[:1].expand(3, -1), cepstra, cepstra[-1:].expand(3, -1)])
        first = x[5:-1] - x[1:-5]
        second = (x[6:] - x[2:-4]) - (x[4:-2] - x[:-6])
        return torch.cat([cepstra, first, second], 1)


class AcousticModel:
    def __init__(self):
        self.phones, self.states_of = read_phones(f"{RECOGNIZER}/en-us/mdef")
        means = read_gaussians(f"{RECOGNIZER}/en-us/means")
        variances = np.maximum(read_gaussians(f"{RECOGNIZER}/en-us/variances"), VARIANCE_FLOOR)
        self.gaussians = means.shape[2]
        # -(x - m)^2 / 2v and what is constant, as a product of [x^2, x, 1] with a matrix of each stream.
        constant = -0.5 * (np.log(2 * np.pi * variances) + means**2 / variances).sum(-1, keepdims=True)
        matrices = np.concatenate([-0.5 / variances, means / variances, constant], -1)
        matrices = matrices.transpose(1, 3, 0, 2).reshape(STREAMS, 2 * CEPSTRA + 1, -1)
        self.matrices = torch.tensor(matrices, dtype=torch.float32)
        weights = read_weights(f"{RECOGNIZER}/en-us/sendump", self.gaussians)
        phone_of = np.zeros(weights.shape[2], int)
        for (phone, *_), states in self.states_of.items():
            phone_of[list(states)] = self.phones.index(phone)
        members = [np.flatnonzero(phone_of == k) for k in range(len(self.phones))]
        self.weights = [torch.tensor(weights[:, :, states]) for states in members]
        self.phone_of = torch.tensor(phone_of)
        self.places = torch.tensor(np.argsort(np.concatenate(members)))

    def scores(self, features):
        """Features [T, 39] -> log likelihood of each senone [T, senones]"""
        ones = torch.ones(len(features), 1)
        nearness = []
        for stream, matrix in enumerate(self.matrices):
            x = features[:, stream * CEPSTRA : (stream + 1) * CEPSTRA]
            # Cut once: cutting a phone out at a time has a gradient as large as all of them.
            nearness.append((torch.cat([x * x, x, ones], 1) @ matrix).split(self.gaussians, 1))
        scores = []
        for phone, weights in enumerate(self.weights):
            total = 0
            for stream in range(STREAMS):
                logs = nearness[stream][phone]
                nearest = logs.detach().max(1, keepdim=True).values
                total = total + torch.log(torch.exp(logs - nearest) @ weights[stream] + WEIGHT_FLOOR) + nearest
            scores.append(total)
        return torch.cat(scores, 1).index_select(1, self.places)


def read_phones(path):
    """The phones, and the senones {(phone, left, right, place in the word): (first, second, third)}; "-" is any."""
    with tempfile.TemporaryDirectory() as scratch:
        convert = ["pocketsphinx_mdef_convert", "-text", path, f"{scratch}/text"]
        subprocess.run(convert, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(f"{scratch}/text", encoding="utf-8") as lines:
            rows = [line.split() for line in lines if re.match(r" *(\S+ +){4}(n/a|filler) ", line)]
    states_of = {(phone, left, right, place): tuple(map(int, states)) for phone, left, right, place, _, _, *states, _ in rows}
    return [phone for phone, *_, place in states_of if place == "-"], states_of


def read_gaussians(path):
    """[phones, streams, Gaussians of a phone, CEPSTRA]"""
    with open(path, "rb") as file:
        data = file.read()
    start = data.index(b"endhdr\n") + len(b"endhdr\n") + 4
    phones, streams, gaussians = np.frombuffer(data, "<i4", 3, start)
    if (streams, data[start - 4 : start]) != (STREAMS, b"\x44\x33\x22\x11"):
        raise ValueError(f"{path} is of another kind than this can read")
    count = phones * streams * gaussians * CEPSTRA
    return np.frombuffer(data, "<f4", count, len(data) - 4 * count - 4).reshape(phones, streams, gaussians, CEPSTRA)


def read_weights(path, gaussians):
    """Of each Gaussian in each senone [streams, Gaussians, senones]"""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while (length := int.from_bytes(data[at : at + 4], "little")) > 0:
        at += 4 + length
    rows, senones = np.frombuffer(data, "<i4", 2, at + 4)
    if rows != gaussians or len(data) - at - 12 != STREAMS * gaussians * senones:
        raise ValueError(f"{path} is of another kind than this can read")
    steps = np.frombuffer(data, np.uint8, offset=at + 12).reshape(STREAMS, gaussians, senones)
    return np.exp(-steps * NATS_OF_A_WEIGHT_STEP).astype(np.float32)
