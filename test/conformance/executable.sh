#!/bin/bash
# Every row of the source document's tables, asked of the executable as it is delivered, with its default settings.
#
#     bun run build && bash test/conformance/executable.sh [--write FILE]
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
server=''
trap '[[ -z $server ]] || kill $server 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
cp dist/lectern "$folder/lectern"
export LECTERN_DATA=$folder/data LECTERN_LOG_LEVEL=error
password=$(head -c 24 /dev/urandom | base64)
printf %s "$password" | "$folder/lectern" user create --email admin@example.org --role admin --password-stdin >/dev/null
"$folder/lectern" serve --port 0 >"$folder/said" &
server=$!
for _ in $(seq 600); do
  url=$(sed -nE 's/.*listening on (\S+).*/\1/p' "$folder/said")
  [[ -z $url ]] || break
  kill -0 $server
  sleep 0.1
done
# The reference page travels in the executable.
for file in /docs /docs/reference.js /docs/page.css /assets/tokens.css /assets/page.css /assets/fonts/newsreader-latin.woff2 /favicon.ico; do
  curl -fsS --max-time 60 -o /dev/null "$url$file"
done
printf %s "$password" | npx -y bun@1.4.5 test/conformance/conformance.ts "$url" --email admin@example.org --password-stdin "$@"
