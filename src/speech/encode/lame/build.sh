#!/bin/sh
# Makes lame.wasm out of LAME 3.100, unchanged. On Debian 12:
#   apt-get install clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc
#   apt-get source --download-only lame    (or lame-3.100.tar.gz from https://lame.sourceforge.io, the same file)
#   sh src/speech/encode/lame/build.sh lame_3.100.orig.tar.gz
# Other bytes out of the encoder mean another engine version: test/speech/mp3.test.ts says so.
set -eu

tarball=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
echo "ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e  $tarball" | sha256sum --check --quiet

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
tar -xzf "$tarball" -C "$build" --strip-components=1
cp "$here/config.h" "$here/no-system.c" "$build"
cd "$build"

exports=
for name in malloc lame_init lame_set_num_channels lame_set_mode lame_set_in_samplerate lame_set_out_samplerate \
  lame_set_brate lame_set_quality lame_set_scale lame_set_disable_reservoir lame_set_bWriteVbrTag \
  lame_init_params lame_encode_buffer_ieee_float lame_close; do
  exports="$exports -Wl,--export=$name"
done

# No SIMD: JavaScriptCore has it only on processors with AVX. No -ffast-math: it gains nothing here.
# The stack comes first, so that running over it is an error and not another number somewhere.
clang-19 --target=wasm32-wasi -mexec-model=reactor -O3 -mbulk-memory -mnontrapping-fptoint \
  -DNDEBUG -DHAVE_CONFIG_H -w -I. -Iinclude -Ilibmp3lame libmp3lame/*.c no-system.c \
  -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=131072 $exports -o "$here/lame.wasm"
chmod 644 "$here/lame.wasm"
