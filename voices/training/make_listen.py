#!/usr/bin/env python3
"""Writes an offline page for blind listening, OUT/index.html with its recordings beside it:

make_listen.py OUT SENTENCES.tsv NAME=FOLDER NAME=FOLDER      FOLDER/ID.wav for id<TAB>text, e.g. of synthesize.ts

The page has the two recordings of each sentence in random order and shows the result at the end.
"""
import argparse
import json
import os
import shutil


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("sentences")
    parser.add_argument("recordings", nargs=2, metavar="NAME=FOLDER")
    args = parser.parse_args()
    recordings = [recording.split("=", 1) for recording in args.recordings]
    with open(args.sentences, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if "\t" in line]
    sentences = [{"id": row[0], "text": row[-1]} for row in rows
                 if all(os.path.exists(f"{folder}/{row[0]}.wav") for _, folder in recordings)]
    if not sentences:
        raise SystemExit("no sentence has both recordings")
    for side, (_, folder) in zip("ab", recordings):
        os.makedirs(f"{args.out}/{side}", exist_ok=True)
        for sentence in sentences:
            shutil.copyfile(f"{folder}/{sentence['id']}.wav", f"{args.out}/{side}/{sentence['id']}.wav")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "listen.html"), encoding="utf-8") as file:
        page = file.read()
    data = json.dumps({"names": [name for name, _ in recordings], "sentences": sentences}, ensure_ascii=False).replace("<", "\\u003c")
    with open(f"{args.out}/index.html", "w", encoding="utf-8") as file:
        file.write(page.replace("/*DATA*/ null", data))
    print(f"{args.out}/index.html: {len(sentences)} sentences")


if __name__ == "__main__":
    main()
