#!/usr/bin/env python3
"""Pitch, pauses and spectrum of recordings:   measure.py NAME=FOLDER ...   (FOLDER/*.wav of 16 bits, mono, e.g. of synthesize.ts)

pitch: autocorrelation of 40 ms windows, 70 to 400 Hz; deviation in semitones around the median of each sentence, averaged.
pauses: at least 120 ms inside a sentence, 35 dB under its loud parts. bands: mean power of the long-time spectrum, in dB under
the strongest of all 100 Hz. lines: how far narrow tones stand out, in dB over the 600 Hz around them; a wrong phase of the
teacher's STFT gave lines at 4.8 and 9.6 kHz.
"""
import argparse
import glob
import wave

import numpy as np

PITCH_HZ = (70, 400)
VOICED = 0.6                          # autocorrelation
PAUSE_FRAMES, PAUSE_DB = 12, -35
BANDS_HZ = [(100, 1000), (1000, 2000), (2000, 4000), (4000, 6000), (6000, 8000), (8000, 10000), (10000, 11900)]
LINES_HZ = (2400, 4800, 7200, 9600)
FFT = 2048


def read_wav(path):
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768, file.getframerate()


def track_pitch(samples, rate):
    """Pitch in Hz (0: unvoiced) and level of frames of 10 ms."""
    hop, size = rate // 100, rate // 25
    shortest, longest = rate // PITCH_HZ[1], rate // PITCH_HZ[0]
    pitch, level = [], []
    for start in range(0, len(samples) - size, hop):
        window = samples[start:start + size]
        level.append(np.sqrt((window * window).mean()))
        r = np.fft.irfft(abs(np.fft.rfft(window - window.mean(), 4 * size)) ** 2)[:size]
        r = r / max(r[0], 1e-12) / (1 - np.arange(size) / size)
        lags = r[shortest:longest]
        # the shortest lag that is nearly as good as the best one, so that the pitch is no octave too low
        k = int(np.nonzero(lags >= lags.max() - 0.1 * abs(lags.max()))[0][0])
        while k + 1 < len(lags) and lags[k + 1] > lags[k]:
            k += 1
        pitch.append(rate / (shortest + k) if lags[k] > VOICED else 0)
    pitch, level = np.array(pitch), np.array(level)
    pitch[level < 0.05 * np.percentile(level, 95)] = 0
    return pitch, level


def count_pauses(level):
    loud = np.nonzero(level > 10 ** (PAUSE_DB / 20) * np.percentile(level, 90))[0]
    return int((np.diff(loud) > PAUSE_FRAMES).sum())


def power_spectrum(samples):
    frames = np.lib.stride_tricks.sliding_window_view(samples, FFT)[::FFT // 2] * np.hanning(FFT)
    return (abs(np.fft.rfft(frames)) ** 2).sum(0)


def measure(folder):
    deviations, pauses, seconds, power = [], 0, 0.0, 0
    for path in sorted(glob.glob(folder + "/*.wav")):
        samples, rate = read_wav(path)
        pitch, level = track_pitch(samples, rate)
        voiced = pitch[pitch > 0]
        if len(voiced) > 20:
            semitones = 12 * np.log2(voiced / np.median(voiced))
            deviations.append(semitones[abs(semitones) < 14].std())
        pauses += count_pauses(level)
        seconds += len(samples) / rate
        power = power + power_spectrum(samples)
    hertz = np.fft.rfftfreq(FFT, 1 / rate)
    within = lambda low, high: power[(hertz >= low) & (hertz < high)]
    top = max(within(low, low + 100).mean() for low in range(100, rate // 2 - 100, 100))
    bands = [10 * np.log10(within(low, high).mean() / top) for low, high in BANDS_HZ if high < rate / 2]
    lines = [10 * np.log10(within(line - 15, line + 15).max() / np.median(within(line - 300, line + 300)))
             for line in LINES_HZ if line < rate / 2]
    return (f"{seconds:.0f} s; pitch deviation {np.mean(deviations):.2f} semitones; {60 * pauses / seconds:.1f} pauses a minute; bands "
            + " ".join(f"{value:.1f}" for value in bands) + " dB; lines " + " ".join(f"{value:.1f}" for value in lines) + " dB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", metavar="NAME=FOLDER")
    for recording in parser.parse_args().recordings:
        name, folder = recording.split("=", 1)
        print(f"{name}: {measure(folder)}", flush=True)


if __name__ == "__main__":
    main()
