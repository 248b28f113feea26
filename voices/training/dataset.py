#!/usr/bin/env python3
"""Phoneme ids and what the teacher made of the same sentences -> what the student learns from.

usage: dataset.py PHONEMES.jsonl TEACHER.bin DATASET.npz --melody rms|slt|none

Every id gets a duration in frames of 5 ms; the teacher's frames get the melody and rhythm that this teacher lacks (melody.py).
"""
import argparse
import json
from multiprocessing import Pool

import numpy as np

from align import durations, read_teacher
from melody import STYLES, with_melody, with_rhythm


def read_phonemes(path):
    with open(path, encoding="utf-8") as lines:
        return {int(row["id"]): row for row in map(json.loads, lines)}


def example(job):
    """One sentence: its id, phoneme ids, durations and frames; None where teacher and phonemizer differ too much."""
    row, phones, frames, style = job
    aligned = durations(row["ids"], row["phonemes"], phones, len(frames))
    if aligned is None:
        return None
    counts, kept = aligned
    frames = np.nan_to_num(frames[kept], nan=0, posinf=0, neginf=0)
    if style is not None:
        counts, frames = with_rhythm(row["phonemes"], counts, frames)
        frames = with_melody(row["text"], row["phonemes"], counts, frames, style)
    return row["id"], np.array(row["ids"], np.int16), counts, np.clip(frames, -99, 999).astype(np.float16)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phonemes")
    parser.add_argument("teacher")
    parser.add_argument("out")
    parser.add_argument("--melody", choices=[*STYLES, "none"], required=True)
    args = parser.parse_args()

    rows = read_phonemes(args.phonemes)
    style = STYLES.get(args.melody)
    jobs = ((rows[s], phones, frames, style) for s, phones, frames in read_teacher(args.teacher) if s in rows)
    with Pool(2) as pool:
        examples = [made for made in pool.imap(example, jobs, 64) if made is not None]
    sentences, ids, counts, frames = zip(*examples)
    for one, made in zip(counts, frames):
        assert int(one.sum()) == len(made)
    np.savez(
        args.out,
        sentence=np.array([int(s) for s in sentences]),
        ids=np.concatenate(ids),
        durations=np.concatenate(counts),
        frames=np.concatenate(frames),
        id_counts=np.array([len(one) for one in ids]),
        frame_counts=np.array([len(one) for one in frames]),
    )
    print(f"{len(examples)} of {len(rows)} sentences aligned well, {sum(map(len, frames)) * 0.005 / 3600:.2f} hours")


if __name__ == "__main__":
    main()
