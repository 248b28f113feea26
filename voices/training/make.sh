#!/bin/bash
# Makes both voices from nothing but Debian packages and this repository, into ./made (or the folder that is named).
#   voices/training/make.sh [FOLDER]
# Set for other runs: MINUTES of training a voice (40), and further options in PROMPTS (prompts.py), TRAIN (train.py) and
# MEASURE (measure.py).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
made=$(realpath -m "${1:-made}")
minutes=${MINUTES:-40}
python=/usr/bin/python3
packages=(flite1-dev gcc libc6-dev pocketsphinx pocketsphinx-en-us python3-numpy python3-onnx python3-torch)

missing=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>&1 | grep -v '^ii' || true)
if [ -n "$missing" ]; then
  echo "needed: apt-get install ${packages[*]}" >&2
  exit 1
fi
command -v bun >/dev/null || { echo "needed: bun (https://bun.sh)" >&2; exit 1; }
(cd "$here/../.." && bun install --frozen-lockfile --silent)
mkdir -p "$made"

phonemize() { bun "$here/phonemize.ts" "$here/../en_US-alder-low.onnx.json" "$1" "$2"; }

gcc -O2 -o "$made/teacher" "$here/teacher.c" \
  -lflite_cmu_us_slt -lflite_cmu_us_rms -lflite_usenglish -lflite_cmulex -lflite -lm
[ -s "$made/sentences.tsv" ] || "$python" "$here/prompts.py" "$made/sentences.tsv" ${PROMPTS:-}
[ -s "$made/phonemes.jsonl" ] || phonemize "$made/sentences.tsv" "$made/phonemes.jsonl"
phonemize "$here/../../test/fixtures/heldout.tsv" "$made/heldout.jsonl"
phonemize "$here/dev.tsv" "$made/dev.jsonl"

make_voice() { # NAME TEACHER [options of train.py]
  local name=$1 teacher=$2
  shift 2
  if [ ! -s "$made/$teacher.bin" ]; then
    split -n "l/$(nproc)" "$made/sentences.tsv" "$made/$teacher.part."
    local part
    for part in "$made/$teacher".part.??; do "$made/teacher" "$teacher" "$part.bin" <"$part" & done
    wait
    cat "$made/$teacher".part.??.bin >"$made/$teacher.bin.all"
    mv "$made/$teacher.bin.all" "$made/$teacher.bin"
    rm "$made/$teacher".part.*
  fi
  [ -s "$made/$teacher.npz" ] || "$python" "$here/dataset.py" "$made/phonemes.jsonl" "$made/$teacher.bin" "$made/$teacher.npz" --melody "$teacher"
  [ -s "$made/$teacher.pt" ] || "$python" "$here/train.py" "$made/$teacher.npz" "$made/$teacher.pt" --minutes "$minutes" "$@" ${TRAIN:-}
  "$python" "$here/export.py" "$made/$teacher.pt" "$here/$name.json" "$made"
  bun "$here/check.ts" "$made/en_US-$name-low.onnx"
  "$python" "$here/measure.py" "$made/$teacher.pt" "$here/$name.json" "$made/heldout.jsonl" --dataset "$made/$teacher.npz" ${MEASURE:-}
}

make_voice alder rms --fix-voicing
# The same student with a shorter vocal tract and a higher voice: its words are clearer than those of a student of slt.
make_voice linden rms --fix-voicing
