#!/usr/bin/env python3
"""Compares speech with recordings of the same sentences:   compare.py RECORDINGS NAMES.tsv NAME=FOLDER ...

NAMES.tsv is id<TAB>text, or has the columns file and split, of which "held" sentences are compared. FOLDER/NAME.wav is the speech,
RECORDINGS that of a person or of a voice. Both are aligned by dynamic time warping over mel spectra; only what is below 6.2 kHz
counts, and levels of whole sentences are made equal.

distance: of log mel spectra (24 bands), in dB, mean absolute; of log spectra (197 bins), root mean square of a frame. pitch (110 to 420 Hz): medians; deviation in semitones; correlation of contours and
mean error (around the median of each sentence). voicing: share of frames that are voiced in only one. length: speech between the
outer silences, against that of the recording, in percent; its spread. pauses: as measure.py counts them.
"""
import argparse
import csv
import os

import numpy as np

from measure import PAUSE_DB, PAUSE_FRAMES
from recordings import FFT, RATE, find_recording, log_mel, power_spectrum, read_recording, track_pitch

BANDS, TOP_HZ = 24, 6200
FRAMES_PER_SECOND = 80


def analyze(samples):
    """Mel spectrum and spectrum in dB without the outer silences, pitch, number of pauses; the loudest tenth has 0 dB."""
    mel = log_mel(samples, BANDS, TOP_HZ) * 10 / np.log(10)
    level = 10 * np.log10((10 ** (mel / 10)).sum(1))
    top = np.percentile(level, 90)
    loud = np.nonzero(level > top + PAUSE_DB)[0]
    inside = slice(loud[0], loud[-1] + 1)
    pauses = int((np.diff(loud) > PAUSE_FRAMES / 100 * FRAMES_PER_SECOND).sum())
    bins = slice(60 * FFT // RATE + 1, TOP_HZ * FFT // RATE + 1)
    spectrum = 10 * np.log10(power_spectrum(samples)[inside, bins] + 1e-12)
    return relative_to_loudest(mel[inside]), relative_to_loudest(spectrum), track_pitch(samples)[inside], pauses


def relative_to_loudest(spectrum):
    """In dB over the loudest tenth, not less than −60."""
    return np.maximum(spectrum - np.percentile(spectrum.max(1), 90), -60)


def align_frames(a, b):
    """Pairs of frames of the cheapest path of steps (1, 1), (1, 0) and (0, 1), the latter two at 1.3 times the cost."""
    cost = np.sqrt(np.maximum(((a ** 2).sum(1)[:, None] + (b ** 2).sum(1) - 2 * a @ b.T) / a.shape[1], 0))
    n, m = cost.shape
    total, back = np.full((n + 1, m + 1), np.inf), np.zeros((n + 1, m + 1), np.int8)
    total[0, 0] = 0
    for diagonal in range(2, n + m + 1):                       # all cells with i + j = diagonal at once
        i = np.arange(max(1, diagonal - m), min(n, diagonal - 1) + 1)
        j = diagonal - i
        cell_cost = cost[i - 1, j - 1]
        candidates = np.stack([total[i - 1, j - 1] + cell_cost, total[i - 1, j] + 1.3 * cell_cost, total[i, j - 1] + 1.3 * cell_cost])
        back[i, j] = candidates.argmin(0)
        total[i, j] = candidates.min(0)
    pairs, i, j = [], n, m
    while i > 0 and j > 0:
        pairs.append((i - 1, j - 1))
        step = back[i, j]
        i, j = i - (step != 2), j - (step != 1)
    return np.array(pairs[::-1])


def semitones(pitch):
    voiced = pitch[pitch > 0]
    if not len(voiced):
        return pitch
    return np.where(pitch > 0, 12 * np.log2(np.maximum(pitch, 1) / np.median(voiced)), 0)


def compare(reference, other):
    """Figures of one sentence."""
    (mel, spectrum, pitch, _), (mel2, spectrum2, pitch2, pauses) = reference, other
    pairs = align_frames(mel, mel2)
    a, b = pairs.T
    both = (pitch[a] > 0) & (pitch2[b] > 0)
    x, y = semitones(pitch)[a][both], semitones(pitch2)[b][both]
    voiced = pitch2 > 0
    return {
        "distance": abs(mel[a] - mel2[b]).mean(),
        "spectral": np.sqrt(((spectrum[a] - spectrum2[b]) ** 2).mean(1)).mean(),
        "median": np.median(pitch2[voiced]) if voiced.any() else np.nan,
        "deviation": semitones(pitch2)[voiced].std() if voiced.any() else np.nan,
        "correlation": np.corrcoef(x, y)[0, 1] if len(x) > 20 else np.nan,
        "error": abs(x - y).mean() if both.any() else np.nan,
        "voicing": 100 * ((pitch[a] > 0) != (pitch2[b] > 0)).mean(),
        "length": 100 * (len(mel2) / len(mel) - 1),
        "pauses": pauses,
        "seconds": len(mel2) / FRAMES_PER_SECOND,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings")
    parser.add_argument("names")
    parser.add_argument("speech", nargs="*", metavar="NAME=FOLDER")
    args = parser.parse_args()
    with open(args.names, encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    held_out = [row for row in rows if "split" not in rows[0] or row[rows[0].index("split")] == "held"]
    names = [name for name in (row[0].removesuffix(".opus") for row in held_out) if find_recording(args.recordings, name)]
    references = {name: analyze(read_recording(args.recordings, name)) for name in names}
    for title, folder in [("recording", args.recordings), *(item.split("=", 1) for item in args.speech)]:
        rows = [compare(references[name], analyze(read_recording(folder, name)) if folder != args.recordings else references[name])
                for name in names if folder == args.recordings or os.path.exists(os.path.join(folder, name + ".wav"))]
        column = {key: np.array([row[key] for row in rows], float) for key in rows[0]}
        print(f"{title}: {len(rows)} sentences; distance {column['distance'].mean():.2f} dB, of spectra {column['spectral'].mean():.2f} dB; pitch {np.nanmedian(column['median']):.0f} Hz, deviation "
              f"{np.nanmean(column['deviation']):.2f} st, correlation {np.nanmean(column['correlation']):.2f}, error {np.nanmean(column['error']):.2f} st; voicing "
              f"{column['voicing'].mean():.1f} %; length {column['length'].mean():+.1f} ± {column['length'].std():.1f} %; "
              f"{60 * column['pauses'].sum() / column['seconds'].sum():.1f} pauses a minute", flush=True)


if __name__ == "__main__":
    main()
