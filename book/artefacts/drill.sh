#!/usr/bin/env bash
# Rehearse the loss of a region and time it: drill.sh RUN. Nothing of the first region is touched but its name.
set -euo pipefail

run=${1:?name the run}
promise=7200          # = resilience.book_rto | s
noticing=5002         # = operations.book_notice | s
begun=$SECONDS

step() {
  local name=$1 since=$SECONDS
  shift
  "$@"
  echo "$name: $((SECONDS - since)) s"
}

step "provision" terraform -chdir=second-region apply -auto-approve -var "run=$run"
newest=$(aws s3 ls "s3://checkpoints-second/$run/" | awk '/step-/ {name = $2} END {print name}')
step "load" aws s3 sync "s3://checkpoints-second/$run/$newest" "/fsx/$run/$newest"
step "start" kubectl --context second-region apply -f train.yaml
step "first step" kubectl --context second-region wait --for=condition=Ready pod -l "run=$run" --timeout=15m

spent=$((SECONDS - begun))
echo "spent $spent s of $promise s; noticing may take $noticing s"
((spent + noticing <= promise))
