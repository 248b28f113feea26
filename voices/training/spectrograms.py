#!/usr/bin/env python3
"""Pictures of two recordings, one above the other. usage: spectrograms.py OUT.png TITLE=FILE.wav TITLE=FILE.wav

Needs python3-matplotlib, which nothing else here does.
"""
import sys
import wave

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

WINDOW, HOP = 512, 80


def read_wav(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768, file.getframerate()


def spectrogram(samples):
    windows = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP] * np.hanning(WINDOW)
    return 20 * np.log10(np.abs(np.fft.rfft(windows)).T + 1e-6)


def main():
    out, *recordings = sys.argv[1:]
    pairs = [recording.split("=", 1) for recording in recordings]
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
    plt.savefig(out, dpi=60)


if __name__ == "__main__":
    main()
