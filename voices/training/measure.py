#!/usr/bin/env python3
"""Figures of a voice: words, melody, spectrum, distance to its teacher.

usage: measure.py STUDENT.pt VOICE.json PHONEMES.jsonl [--dataset DATASET.npz] [--wavs FOLDER] [--quick | --no-words]

PHONEMES.jsonl is what phonemize.ts makes of sentences; ids that begin with a letter are counted by it as well. The
recognizer is pocketsphinx with its own American English model. --quick lets it look at fewer possibilities: six times as
fast, and good enough to compare settings.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
import wave
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from acoustics import RECOGNIZER
from export import build_voice
from model import CEPSTRA, frame_centres
from vocoder import SAMPLE_RATE, WARPING

QUICK = ["-maxhmmpf", "5000", "-fwdflat", "no"]
FRAMES_PER_S = 100
# Critical bands of ANSI S3.5-1997: centres in Hz, and the spectrum of speech at normal effort in dB.
BAND_EDGES = [100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400, 5300, 6400, 7700]
SPEECH_DB = [31.44, 34.75, 34.14, 34.58, 33.17, 30.64, 27.59, 25.01, 23.52, 22.28, 20.15, 18.29, 16.37, 13.8, 12.21, 11.09, 9.33, 5.84, 3.47, 1.78]


# ---------------------------------------------------------------- words


def words_of(text):
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()


def word_errors(wanted, heard):
    row = list(range(len(heard) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1]


def recognize(folder, names, options):
    """What the recognizer hears in FOLDER/NAME.wav: {name: words}"""

    def part(names):
        with tempfile.TemporaryDirectory() as scratch:
            with open(f"{scratch}/control", "w", encoding="utf-8") as file:
                file.write("\n".join(names) + "\n")
            subprocess.run(
                ["pocketsphinx_batch", "-adcin", "yes", "-adchdr", "44", "-cepdir", folder, "-cepext", ".wav"]
                + ["-ctl", f"{scratch}/control", "-hyp", f"{scratch}/heard", "-hmm", f"{RECOGNIZER}/en-us"]
                + ["-lm", f"{RECOGNIZER}/en-us.lm.bin", "-dict", f"{RECOGNIZER}/cmudict-en-us.dict", *options],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            with open(f"{scratch}/heard", encoding="utf-8") as file:
                matches = [re.match(r"(.*)\((\S+) [-\d]+\)\s*$", line) for line in file]
        # "read(2)" is the second way to say "read".
        return {m.group(2): words_of(re.sub(r"\(\d+\)", "", m.group(1))) for m in matches if m}

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(part, [names[::2], names[1::2]])
    return {**first, **second}


def word_error_rates(rows, folder, options):
    heard = recognize(folder, [row["id"] for row in rows], options)
    counts = {}
    for row in rows:
        wanted = words_of(row["text"])
        errors = word_errors(wanted, heard.get(row["id"], []))
        for group in {"all", re.match(r"[a-z]*", row["id"]).group() or "all"}:
            known = counts.get(group, (0, 0))
            counts[group] = (known[0] + errors, known[1] + len(wanted))
    return counts


# ---------------------------------------------------------------- melody


def semitones(hz):
    return 12 * np.log2(hz)


def melody(spoken):
    """spoken: [(text, voicing and pitch [2, T])] -> figures in semitones, of sentences of a second and more"""
    deviations, slopes, falls, rises, whs = [], [], [], [], []
    for text, frames in spoken:
        voiced = frames[0] > 0.5
        if voiced.sum() < FRAMES_PER_S:
            continue
        pitch = semitones(frames[1][voiced])
        end = pitch[-8:].mean() - pitch.mean()
        if not text.endswith("?"):
            deviations.append(pitch.std())
            slopes.append(np.polyfit(np.flatnonzero(voiced) / FRAMES_PER_S, pitch, 1)[0])
            falls.append(end)
        elif re.match(r"(who|what|where|when|why|how|which)\b", text.lower()):
            whs.append(end)
        else:
            rises.append(end)
    return {
        "pitch_deviation": np.mean(deviations),
        "declination_per_s": np.mean(slopes),
        "end_of_statements": np.mean(falls),
        "end_of_yes_no_questions": np.mean(rises) if rises else None,
        "end_of_wh_questions": np.mean(whs) if whs else None,
    }


# ---------------------------------------------------------------- spectrum


def power_frames(samples):
    windows = np.lib.stride_tricks.sliding_window_view(samples, 512)[::256] * np.hanning(512)
    return np.abs(np.fft.rfft(windows)) ** 2


def spectrum(recordings):
    """Against the speech spectrum of ANSI S3.5, level at 200 to 3000 Hz: dB by which the bands above 4.4 kHz differ,
    and the modulation there: dB between the loudest twentieth of the frames and their median."""
    power = np.concatenate([power_frames(samples) for samples in recordings])
    hz = np.arange(power.shape[1]) * SAMPLE_RATE / 512
    bands = [10 * np.log10(power[:, (hz >= low) & (hz < high)].mean()) for low, high in zip(BAND_EDGES, BAND_EDGES[1:])]
    above = np.array(bands) - np.array(SPEECH_DB)
    above -= above[1:15].mean()
    high = 10 * np.log10(power[:, hz >= 4500].sum(1) + 1e-9)
    loud = 10 * np.log10(power.sum(1) + 1e-9) > 10 * np.log10(power.sum(1).max()) - 40
    return {
        "rms_from_ansi_200_7700_db": float(np.sqrt((above**2).mean())),
        "above_4400_hz_from_ansi_db": float(above[17:].mean()),
        "modulation_above_4500_hz_db": float(np.percentile(high[loud], 95) - np.median(high[loud])),
    }


# ---------------------------------------------------------------- teacher


def distance_to_teacher(student, path, count=100):
    """Over the sentences that were held out of training, with the teacher's durations."""
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    omega = np.linspace(0, np.pi, 257)
    warped = omega + 2 * np.arctan2(WARPING * np.sin(omega), 1 - WARPING * np.cos(omega))
    basis = np.cos(np.arange(CEPSTRA)[:, None] * warped)
    spectral, cepstral, pitch, durations = [], [], [], []
    id_end = frame_end = 0
    for id_count, frame_count in zip(data["id_counts"][:count], data["frame_counts"][:count]):
        ids = torch.tensor(data["ids"][id_end : id_end + id_count].astype(np.int64))[None]
        wanted = torch.tensor(data["durations"][id_end : id_end + id_count])[None]
        teacher = data["frames"][frame_end : frame_end + frame_count].astype(float)
        teacher = teacher[: len(teacher) // 2 * 2]
        id_end, frame_end = id_end + id_count, frame_end + frame_count
        with torch.no_grad():
            meaning, log_duration = student.encode(ids, torch.ones(1, 1, ids.shape[1]))
            times = frame_centres(len(teacher) // 2)[None]
            made = student.decode(student.spread(meaning, wanted, times), torch.ones_like(times)[:, None])
            made = student.in_units(made)[0].T.numpy()
        cepstra = teacher[:, 1 : 1 + CEPSTRA].reshape(-1, 2, CEPSTRA).mean(1)
        loud = cepstra[:, 0] > 3.5
        difference = (made[:, 2 : 2 + CEPSTRA] - cepstra)[loud]
        spectral.extend(20 / np.log(10) * np.sqrt(((difference @ basis) ** 2).mean(1)))
        cepstral.extend(10 / np.log(10) * np.sqrt(2 * (difference[:, 1:] ** 2).sum(1)))
        hz = teacher[:, 0].reshape(-1, 2)
        voiced = ((hz > 50) & (hz < 400)).all(1) & (made[:, 0] > 0.5)
        pitch.extend(12 / np.log(2) * made[voiced, 1] - semitones(hz[voiced].mean(1)))
        sounding = wanted[0].numpy() > 0
        durations.extend(5 * np.abs(torch.expm1(log_duration.clamp(min=0))[0].numpy() - wanted[0].numpy())[sounding])
    return {
        "log_spectral_distance_db": np.mean(spectral),
        "mel_cepstral_distortion_db": np.mean(cepstral),
        "pitch_error_semitones_rms": np.sqrt(np.mean(np.square(pitch))),
        "duration_error_ms": np.mean(durations),
    }


def write_wav(path, samples):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", None))
        file.writeframes((np.clip(samples, -1, 1) * 32767).round().astype("<i2").tobytes())


def speak(voice, rows, folder):
    """Writes FOLDER/ID.wav of each; [(text, voicing and pitch, samples)]"""
    os.makedirs(folder, exist_ok=True)
    vocoder = voice.vocoder
    spoken = []
    for row in rows:
        ids, lengths = torch.tensor([row["ids"]]), torch.tensor([len(row["ids"])])
        with torch.no_grad():
            frames = voice.frames(ids, lengths, torch.tensor([1.0]))
            samples = voice(ids, lengths, torch.tensor([0.667, 1.0, 0.8]))[0, 0].numpy()
        moved = vocoder.pitch_centre + vocoder.pitch_shift + (frames[0, 1] - vocoder.pitch_centre) * vocoder.pitch_scale
        write_wav(f"{folder}/{row['id']}.wav", samples)
        spoken.append((row["text"], np.stack([frames[0, 0].numpy(), np.exp(moved.numpy())]), samples))
    return spoken


def show(figures):
    print(", ".join(f"{name} {value:.2f}" for name, value in figures.items() if value is not None), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("student")
    parser.add_argument("voice")
    parser.add_argument("phonemes")
    parser.add_argument("--dataset")
    parser.add_argument("--wavs")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-words", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    with open(args.voice, encoding="utf-8") as file:
        voice = build_voice(args.student, json.load(file))
    with open(args.phonemes, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.wavs or scratch
        spoken = speak(voice, rows, folder)
        seconds = sum(len(samples) for _, _, samples in spoken) / SAMPLE_RATE
        words = sum(len(words_of(row["text"])) for row in rows)
        print(f"{len(rows)} sentences, {seconds:.0f} s, {60 * words / seconds:.0f} words a minute")
        show(melody([(text, frames) for text, frames, _ in spoken]))
        show(spectrum([samples for _, _, samples in spoken if len(samples) > SAMPLE_RATE]))
        if args.dataset:
            show(distance_to_teacher(voice.student, args.dataset))
        if args.no_words:
            return
        for group, (errors, count) in sorted(word_error_rates(rows, folder, QUICK if args.quick else []).items()):
            print(f"word errors, {group}: {errors} of {count} = {100 * errors / count:.1f} %")


if __name__ == "__main__":
    main()
