#!/bin/bash
# Runs the executable where nothing is but a minimal Debian: no network, no Bun, no Node.js, a read-only root, an empty
# environment, an unknown user id, no /tmp to write to, one writable data folder. Needs root, debootstrap, iproute2 and
# strace. The Debian tree is made once and kept in the temporary folder.
#
# Usage: bare-tree.sh [EXECUTABLE]
set -uo pipefail

executable=$(realpath "${1:-$(dirname "$0")/../../dist/lectern}")
cache=/var/tmp/lectern-bare-tree
user=12345

if [[ ${BARE_TREE_INSIDE:-} != yes ]]; then
  [[ -x $executable ]] || { echo "There is no executable $executable; run: bun run build" >&2; exit 1; }
  if [[ ! -O $cache || -L $cache || ! -e $cache/complete ]]; then
    echo 'Making a minimal Debian tree...'
    # A mirror may be out of reach for a moment.
    for attempt in 1 2 3; do
      rm -rf "$cache"
      mkdir -m 700 "$cache"
      debootstrap --variant=minbase bookworm "$cache/tree" >"$cache/log" 2>&1 && break
      tail -20 "$cache/log" >&2
      [[ $attempt != 3 ]] || exit 1
      sleep 10
    done
    install -d "$cache/tree/data"
    touch "$cache/tree/usr/local/bin/lectern" "$cache/complete"
  fi
  # A process namespace of its own takes every leftover process with it.
  BARE_TREE_INSIDE=yes exec unshare --mount --net --pid --fork bash "$0" "$executable"
fi

work=$(mktemp -d)
root=$work/root
data=$work/data
trap 'umount -R "$root" && rm -rf --one-file-system "$work"' EXIT
mkdir "$root"
install -d -m 700 -o "$user" -g "$user" "$data"
ip link set lo up
mount --bind "$cache/tree" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$executable" "$root/usr/local/bin/lectern"
mount -o remount,bind,ro "$root/usr/local/bin/lectern"
mount -t proc proc "$root/proc"
mount --bind "$data" "$root/data"

failed=0

# check NAME COMMAND...: one thing that must be so
check() {
  local name=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok      $name"
  else
    echo "NOT OK  $name"
    sed 's/^/        /' "$work/output" | head -20
    failed=$((failed + 1))
  fi
}

# The program, as it is run in there. Its own shell-less call, so that a signal reaches it.
inside=(chroot "--userspec=$user:$user" "--groups=$user" "$root" /usr/bin/env -i)
lectern() { "${inside[@]}" /usr/local/bin/lectern "$@"; }

tells_version() { lectern version | grep -qE '[0-9]+\.[0-9]+\.[0-9]+'; }
lists_voice() { lectern voice list --json | tee /dev/stderr | grep -q 'aspen'; }
speaks() {
  lectern say 'The quick brown fox jumps over the lazy dog.' -o /data/fox.mp3
  [[ $(stat -c %s "$data/fox.mp3") -gt 5000 ]]
}
keeps_to_itself() {
  strace -f -e trace=connect -o "$work/trace" "${inside[@]}" /usr/local/bin/lectern \
    say 'Nobody hears this.' -o /data/quiet.mp3
  # Not even an attempt: without a network it would fail without a sound.
  [[ -s $data/quiet.mp3 ]] && ! grep 'AF_INET' "$work/trace" | grep -vE '127\.0\.0\.1|"::1"'
}
unpacks_privately() {
  local folder=$data/native-$user
  [[ $(stat -c '%a %u' "$folder") == "700 $user" ]] && [[ -z $(find "$folder" -type f -perm /077) ]]
}
heals_damage() {
  local file
  for file in "$data/native-$user"/*/*; do
    chmod 700 "$file"
    printf 'x' | dd of="$file" bs=1 seek=100 conv=notrunc status=none
    chmod 500 "$file"
  done
  lectern say 'Healed.' -o /data/healed.mp3 && [[ -s $data/healed.mp3 ]]
}

serve() {
  "${inside[@]}" /usr/local/bin/lectern serve --port 8080 >"$work/server" 2>&1 &
  server=$!
  for _ in $(seq 600); do
    grep -q 'http://' "$work/server" && return 0
    kill -0 "$server" || break
    sleep 0.1
  done
  cat "$work/server"
  return 1
}
is_ready() {
  local status
  for _ in $(seq 600); do
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET /readyz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
    read -r status <&3
    exec 3>&-
    echo "$status"
    [[ $status == *' 200 '* ]] && return 0
    sleep 0.1
  done
  return 1
}
stops_cleanly() {
  local code watch started=$SECONDS
  kill -TERM "$server"
  # One that never ends is no clean end either.
  { sleep 60 && kill -KILL "$server"; } &
  watch=$!
  wait "$server"
  code=$?
  kill "$watch"
  echo "exit $code after $((SECONDS - started)) s"
  cat "$work/server"
  [[ $code == 0 && $((SECONDS - started)) -le 10 ]]
}

tells_why_it_cannot_show() {
  local said code
  said=$(timeout 60 unshare --net "${inside[@]}" /usr/local/bin/lectern demo --port 0 2>&1)
  code=$?
  echo "exit $code: $said"
  [[ $code == 1 && $said == *'loopback interface'* ]]
}

# Without a data folder and a home, /tmp is next; $1 prepares it.
speaks_from_tmp() {
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  "$1" "$root/tmp/lectern-$user"
  lectern say 'Where am I loaded from?' --data /nowhere -o /tmp/said.mp3
  local code=$?
  unpacked=$(find "$root/tmp" -name '*.node' -user "$user" -perm 500 | wc -l)
  umount "$root/tmp"
  return $code
}
untouched() { :; }
# What another user has made there before would lead to a folder in which they can exchange the libraries.
foreign_folder() { install -d -m 777 -o 666 -g 666 "$1"; }
foreign_link() {
  install -d -m 777 -o 666 -g 666 "$root/tmp/elsewhere"
  ln -s /tmp/elsewhere "$1"
  chown -h 666:666 "$1"
}
unpacks_to_tmp() { speaks_from_tmp untouched && [[ $unpacked -gt 0 ]]; }
refuses() { speaks_from_tmp "$1" && [[ $unpacked == 0 ]]; }

# noexec on the only writable places leaves memory to load from.
runs_noexec() {
  mount -t tmpfs -o mode=1777,noexec tmpfs "$root/data"
  lectern say 'No folder lets me.' -o /data/memory.mp3
  local code=$?
  [[ -s $root/data/memory.mp3 ]] || code=1
  umount "$root/data"
  return $code
}

check 'version' tells_version
check 'voice list --json' lists_voice
check 'say' speaks
check 'say tries no connection outside this machine' keeps_to_itself
check 'native libraries are unpacked for this user alone' unpacks_privately
check 'damaged native libraries are replaced' heals_damage
check 'serve prints its address' serve
check '/readyz answers 200' is_ready
check 'check --url' lectern check --url http://127.0.0.1:8080
check 'check --live --url, the health check of the image' lectern check --live --url http://127.0.0.1:8080
check 'SIGTERM ends it cleanly within 10 s' stops_cleanly
check 'demo tells what it lacks without a loopback interface' tells_why_it_cannot_show
check 'without a data folder it unpacks to /tmp' unpacks_to_tmp
check "another user's folder in /tmp is not used" refuses foreign_folder
check "another user's link in /tmp is not followed" refuses foreign_link
check 'a data folder mounted noexec does' runs_noexec

[[ $failed == 0 ]]
