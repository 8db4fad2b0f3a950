#!/usr/bin/env bash
# Rehearse the loss of a region and time it, on a node of the second one: drill.sh RUN [arguments of the run].
# Nothing in the first region is changed. A step counts when it is in the event log.
set -euo pipefail

run=${1:?name the run}
shift
disk=${DISK:-/fsx}    # where the second region mounts its file system
objective=7200          # = resilience.book_rto | s
detection=4120        # = operations.book_notice | s
begun=$SECONDS

timed() {
  local name=$1 since=$SECONDS
  shift
  "$@"
  echo "$name: $((SECONDS - since)) s"
}

provision() { # servers, a file system, and Slurm on both; the cluster is up when the nodes are idle
  ${PROVISION:-terraform -chdir=second-region apply -auto-approve -input=false -var "run=$run"}
}

load() { # the newest complete copy: replication keeps no order
  python -m practice.run.store load checkpoints-second "$run" "$disk/$run/checkpoints"
}

first_step() {
  for _ in {1..900}; do
    if grep -qs '"what": "step"' "$disk/$run/events-0.jsonl"; then return 0; fi
    sleep 1
  done
  echo "no step within 15 minutes" >&2
  return 1
}

timed "provision" provision
timed "load" load
timed "start" sbatch "$PWD/job.sbatch" "$run" "$@"
timed "first step" first_step

spent=$((SECONDS - begun))
echo "spent $spent s of $objective s; detection may take $detection s"
((spent + detection <= objective))
