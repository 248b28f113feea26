#!/usr/bin/env python3
"""Spectrograms of recordings, one above the other. Needs python3-matplotlib, which nothing else here does."""
import argparse
import wave

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

WINDOW, HOP = 768, 120               # 32 ms and 5 ms at 24 kHz


def read_wav(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768, file.getframerate()


def spectrogram(samples):
    windows = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP] * np.hanning(WINDOW)
    return 20 * np.log10(np.abs(np.fft.rfft(windows)).T + 1e-6)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", metavar="OUT.png")
    parser.add_argument("recordings", nargs="+", metavar="TITLE=FILE.wav")
    args = parser.parse_args()
    pairs = [recording.split("=", 1) for recording in args.recordings]
    sounds = [(title, *read_wav(path)) for title, path in pairs]
    longest = max(len(samples) / rate for _, samples, rate in sounds)
    _, axes = plt.subplots(len(sounds), 1, figsize=(9, 2.4 * len(sounds)), sharex=True, squeeze=False)
    for axis, (title, samples, rate) in zip(axes[:, 0], sounds):
        levels = spectrogram(samples)
        top = levels.max()
        extent = (0, len(samples) / rate, 0, rate / 2000)
        axis.imshow(levels, origin="lower", aspect="auto", extent=extent, cmap="gray_r", vmin=top - 65, vmax=top)
        axis.set_xlim(0, longest)
        axis.set_title(title, fontsize=9, loc="left")
        axis.set_ylabel("kHz")
    axes[-1, 0].set_xlabel("s")
    plt.tight_layout()
    plt.savefig(args.out, dpi=60)


if __name__ == "__main__":
    main()
