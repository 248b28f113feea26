#!/usr/bin/env python3
"""How much of a word error rate is chance: the same recordings again and again, each time with a little noise.

usage: chance.py FOLDER PHONEMES.jsonl [--times 8]

FOLDER is what speak.ts has made of PHONEMES.jsonl. Errors are counted in three ways: every word as it is written; other
spellings of a word right, also as one word or two; and what sounds the same in the recognizer's dictionary right, too.
"""
import argparse
import json
import re
import tempfile

import numpy as np

from measure import RECOGNIZER, recognize, word_errors, words_of, write_wav
from vocoder import SAMPLE_RATE

NOISE = 2e-4  # -74 dB
LONGEST_LEAD_S, TAIL_S = 0.1, 0.05
SPELLINGS = {"cancelled": "canceled", "harbour": "harbor", "dr": "doctor", "mr": "mister", "mrs": "missus"}


class Sound:
    """A word, equal to those that the dictionary says alike."""

    def __init__(self, word, pronunciations):
        self.word, self.said = word, pronunciations.get(word, {word})

    def __eq__(self, other):
        return not self.said.isdisjoint(other.said)


def read_pronunciations():
    found = {}
    with open(f"{RECOGNIZER}/cmudict-en-us.dict", encoding="utf-8") as lines:
        for line in lines:
            word, said = line.rstrip("\n").split(" ", 1)
            found.setdefault(re.sub(r"\(\d+\)$", "", word), set()).add(said)
    return found


def joined(words, others):
    """Two words that the other side has as one become that."""
    made, known = [], set(others)
    for word in words:
        if made and made[-1] + word in known:
            made[-1] += word
        else:
            made.append(word)
    return made


def count_errors(wanted, heard, pronunciations):
    as_written = word_errors(wanted, heard)
    wanted, heard = ([SPELLINGS.get(word, word) for word in words] for words in (wanted, heard))
    wanted, heard = joined(wanted, heard), joined(heard, wanted)
    sounds = ([Sound(word, pronunciations) for word in words] for words in (wanted, heard))
    return np.array([as_written, word_errors(wanted, heard), word_errors(*sounds)])


def disturbed(samples, rng):
    """With noise, up to a tenth louder or softer, up to a tenth of a second later."""
    lead, tail = rng.integers(0, int(LONGEST_LEAD_S * SAMPLE_RATE)), int(TAIL_S * SAMPLE_RATE)
    samples = np.pad(samples * rng.uniform(0.9, 1.1), (lead, tail))
    return samples + rng.standard_normal(len(samples)) * NOISE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("phonemes")
    parser.add_argument("--times", type=int, default=8)
    args = parser.parse_args()
    with open(args.phonemes, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    spoken = {row["id"]: np.fromfile(f"{args.folder}/{row['id']}.f32", np.float32) for row in rows}
    wanted = {row["id"]: words_of(row["text"]) for row in rows}
    word_count = sum(len(words) for words in wanted.values())
    pronunciations = read_pronunciations()
    counts = []
    for time in range(args.times + 1):
        rng = np.random.default_rng(time)
        with tempfile.TemporaryDirectory() as scratch:
            for name, samples in spoken.items():
                write_wav(f"{scratch}/{name}.wav", disturbed(samples, rng) if time else samples)
            heard = recognize(scratch, list(spoken), [])
        errors = sum(count_errors(words, heard.get(name, []), pronunciations) for name, words in wanted.items())
        print("as it came" if time == 0 else f"with noise, {time}", *errors, flush=True)
        if time:
            counts.append(errors)
    for name, column in zip(["as written", "other spellings right", "the same sound right"], np.array(counts).T):
        share = 100 * column.mean() / word_count
        print(f"{name}: {column.mean():.1f} ({column.min()} to {column.max()}) of {word_count} words = {share:.1f} %")


if __name__ == "__main__":
    main()
