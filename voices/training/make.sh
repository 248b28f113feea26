#!/bin/bash
# Makes both voices from nothing but Debian packages and this repository, into ./made (or the folder that is named).
#   voices/training/make.sh [FOLDER]
# Set for other runs: MINUTES of training a student (40) and then of making it clearer (CLEARER_MINUTES, 30), and further
# options in PROMPTS (prompts.py), TRAIN (train.py) and MEASURE (measure.py).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
made=$(realpath -m "${1:-made}")
minutes=${MINUTES:-40} clearer_minutes=${CLEARER_MINUTES:-30}
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

# The teacher, a sentence after the other, on all processors.
if [ ! -s "$made/rms.bin" ]; then
  split -n "l/$(nproc)" "$made/sentences.tsv" "$made/rms.part."
  for part in "$made"/rms.part.??; do "$made/teacher" rms "$part.bin" <"$part" & done
  wait
  cat "$made"/rms.part.??.bin >"$made/rms.bin.all"
  mv "$made/rms.bin.all" "$made/rms.bin"
  rm "$made"/rms.part.*
fi
[ -s "$made/rms.npz" ] || "$python" "$here/dataset.py" "$made/phonemes.jsonl" "$made/rms.bin" "$made/rms.npz" --melody rms

# One student for both voices: linden is it with a shorter vocal tract and a higher voice.
voices=("$here/alder.json" "$here/linden.json")
[ -s "$made/rms.pt" ] || "$python" "$here/train.py" "$made/rms.npz" "$made/rms.pt" --minutes "$minutes" --fix-voicing ${TRAIN:-}
[ -s "$made/clear.pt" ] || "$python" "$here/clarify.py" "$made/rms.npz" "$made/rms.bin" "$made/sentences.tsv" \
  "$made/rms.pt" "$made/clear.pt" "${voices[@]}" --minutes "$clearer_minutes"

for settings in "${voices[@]}"; do
  "$python" "$here/export.py" "$made/clear.pt" "$settings" "$made"
  bun "$here/check.ts" "$made/en_US-$(basename "$settings" .json)-low.onnx"
  "$python" "$here/measure.py" "$made/clear.pt" "$settings" "$made/heldout.jsonl" --dataset "$made/rms.npz" ${MEASURE:-}
done
