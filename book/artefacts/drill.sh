#!/usr/bin/env bash
# Rehearse the loss of a region and time it: drill.sh RUN. Nothing of the first region is touched but its name.
# A step counts when the run has told of it, not when its pods are ready.
set -euo pipefail

run=${1:?name the run}
disk=${DISK:-/fsx}    # where the second region mounts its file system
promise=7200          # = resilience.book_rto | s
noticing=5002         # = operations.book_notice | s
begun=$SECONDS

timed() {
  local name=$1 since=$SECONDS
  shift
  "$@"
  echo "$name: $((SECONDS - since)) s"
}

newest() { # a checkpoint counts when its manifest is there: that goes last
  aws s3 ls --recursive "s3://checkpoints-second/copy/$run/" | awk '/\/manifest\.json$/ {print $4}' | sort | tail -n 1
}

load() {
  local manifest
  manifest=$(newest)
  [[ -n $manifest ]] || { echo "no copy of $run in the second region" >&2; return 1; }
  local step=${manifest%/manifest.json}
  aws s3 sync --only-show-errors "s3://checkpoints-second/$step" "$disk/$run/checkpoints/${step##*/}"
}

first_step() {
  for _ in {1..900}; do
    if grep -qs '"what": "step"' "$disk/$run/events-0.jsonl"; then return 0; fi
    sleep 1
  done
  echo "no step within 15 minutes" >&2
  return 1
}

timed "provision" terraform -chdir=second-region apply -auto-approve -input=false -var "run=$run"
timed "load" load
timed "start" kubectl --context second-region apply -f train.yaml
timed "first step" first_step

spent=$((SECONDS - begun))
echo "spent $spent s of $promise s; noticing may take $noticing s"
((spent + noticing <= promise))
