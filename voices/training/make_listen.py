#!/usr/bin/env python3
"""Writes an offline page for blind listening, OUT/index.html with its recordings beside it:

make_listen.py OUT SENTENCES.tsv NAME=FOLDER NAME=FOLDER ...      FOLDER/ID.wav for id<TAB>text, e.g. of record.ts

The page has the recordings of each sentence in random order, at the same level, and shows the result at the end. Files are mono
with 16 bits. Their names do not tell which voice it is.
"""
import argparse
import array
import json
import os
import random
import wave


def read(path):
    """→ rate, samples"""
    with wave.open(path) as file:
        if file.getnchannels() != 1 or file.getsampwidth() != 2:
            raise SystemExit(f"{path}: not mono with 16 bits")
        return file.getframerate(), array.array("h", file.readframes(file.getnframes()))


def level(samples):
    """Root mean square of samples louder than a tenth of the peak, which excludes pauses."""
    threshold = max(1, max(abs(sample) for sample in samples) // 10)
    loud = [sample for sample in samples if abs(sample) >= threshold]
    return (sum(sample * sample for sample in loud) / len(loud)) ** 0.5


def write(path, rate, samples, factor):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(array.array("h", (round(sample * factor) for sample in samples)).tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("sentences")
    parser.add_argument("recordings", nargs="+", metavar="NAME=FOLDER")
    args = parser.parse_args()
    recordings = [recording.split("=", 1) for recording in args.recordings]
    with open(args.sentences, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if "\t" in line]
    sentences = [{"id": row[0], "text": row[-1]} for row in rows
                 if all(os.path.exists(f"{folder}/{row[0]}.wav") for _, folder in recordings)]
    if not sentences:
        raise SystemExit("no sentence has a recording in each folder")
    os.makedirs(args.out, exist_ok=True)
    numbers = random.sample(range(len(recordings) * len(sentences)), len(recordings) * len(sentences))
    for sentence in sentences:
        files = [read(f"{folder}/{sentence['id']}.wav") for _, folder in recordings]
        target = min(level(samples) for _, samples in files)
        sentence["files"] = []
        for rate, samples in files:
            name = f"{numbers.pop():03}.wav"
            write(f"{args.out}/{name}", rate, samples, target / level(samples))
            sentence["files"].append(name)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "listen.html"), encoding="utf-8") as file:
        page = file.read()
    data = {"id": f"listen-{random.getrandbits(64):x}", "names": [name for name, _ in recordings], "sentences": sentences}
    with open(f"{args.out}/index.html", "w", encoding="utf-8") as file:
        file.write(page.replace("/*DATA*/ null", json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")))
    print(f"{args.out}/index.html: {len(sentences)} sentences")


if __name__ == "__main__":
    main()
