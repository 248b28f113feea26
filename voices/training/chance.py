#!/usr/bin/env python3
"""How much of a word error rate is chance: the same recordings again and again, each time with a little noise.

usage: chance.py FOLDER PHONEMES.jsonl [--times 8]
       chance.py HEARD.json PHONEMES.jsonl

FOLDER is what speak.ts has made of PHONEMES.jsonl; HEARD.json is what another recognizer heard there (hear.ts), once.
Errors are counted in three ways: every word as it is written; other spellings of a word right, also as one word or two; and
what sounds the same in the recognizer's dictionary right, too.
"""
import argparse
import json
import re
import tempfile

import numpy as np

from measure import recognize, word_errors, words_of, write_wav
from transcript import read_dictionary
from vocoder import SAMPLE_RATE

NOISE = 2e-4  # -74 dB
LONGEST_LEAD_S, TAIL_S = 0.1, 0.05
SPELLINGS = {
    "cancelled": "canceled",
    "dr": "doctor",
    "harbour": "harbor",
    "mr": "mister",
    "mrs": "missus",
    "theatre": "theater",
}
WAYS = ["as written", "other spellings right", "the same sound right"]


class Sound:
    """A word, equal to those that the dictionary says alike."""

    def __init__(self, word, pronunciations):
        self.word, self.said = word, pronunciations.get(word, {word})

    def __eq__(self, other):
        return not self.said.isdisjoint(other.said)


def read_pronunciations():
    return {word: set(ways) for word, ways in read_dictionary().items()}


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


def repeated(folder, names, times):
    """What the recognizer hears [{name: words}], first as it came, then so often with noise"""
    spoken = {name: np.fromfile(f"{folder}/{name}.f32", np.float32) for name in names}
    for time in range(times + 1):
        rng = np.random.default_rng(time)
        with tempfile.TemporaryDirectory() as scratch:
            for name, samples in spoken.items():
                write_wav(f"{scratch}/{name}.wav", disturbed(samples, rng) if time else samples)
            yield recognize(scratch, names, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spoken", help="FOLDER or HEARD.json")
    parser.add_argument("phonemes")
    parser.add_argument("--times", type=int, default=8)
    args = parser.parse_args()
    with open(args.phonemes, encoding="utf-8") as lines:
        wanted = {row["id"]: words_of(row["text"]) for row in map(json.loads, lines)}
    word_count = sum(len(words) for words in wanted.values())
    pronunciations = read_pronunciations()

    def errors_of(heard):
        return sum(count_errors(words, heard.get(name, []), pronunciations) for name, words in wanted.items())

    if args.spoken.endswith(".json"):
        with open(args.spoken, encoding="utf-8") as file:
            counts = [errors_of({name: words_of(text) for name, text in json.load(file).items()})]
    else:
        as_it_came, *counts = map(errors_of, repeated(args.spoken, list(wanted), args.times))
        print("as it came:", *as_it_came)
    for name, column in zip(WAYS, np.array(counts).T):
        share = 100 * column.mean() / word_count
        print(f"{name}: {column.mean():.1f} ({column.min()} to {column.max()}) of {word_count} words = {share:.1f} %")


if __name__ == "__main__":
    main()
