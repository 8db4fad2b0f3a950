#!/usr/bin/env bash
# Turn round one bit of a file, anywhere in it: corrupt.sh FILE [POSITION]. For checkpoints of drills only.
set -euo pipefail

file=${1:?name a file}
size=$(stat -c %s "$file")
random=$(od -An -N7 -tu8 /dev/urandom | tr -d ' ')
position=${2:-$((random % size))}
old=$(od -An -j "$position" -N1 -tu1 "$file" | tr -d ' ')
# shellcheck disable=SC2059  # the byte is made in the format on purpose
printf "\\x$(printf '%02x' $((old ^ 1)))" | dd of="$file" bs=1 seek="$position" conv=notrunc status=none
echo "$position"
