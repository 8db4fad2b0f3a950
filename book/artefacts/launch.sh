#!/usr/bin/env bash
# Start one node of an elastic run. On every node: launch.sh RUN_ID FIRST_NODE [arguments of train.py]
set -euo pipefail

run=${1:?name the run}
first=${2:?name the node that hosts the rendezvous}
shift 2

# In an array a comment may follow each option; after a backslash it would end the command.
options=(
  --nnodes=90:100                     # = operations.book_servers
  --nproc-per-node=8                  # devices of a server
  --max-restarts=84                   # = operations.run_retries
  --rdzv-backend=c10d
  --rdzv-endpoint="$first:29400"
  --rdzv-id="$run"
)
exec torchrun "${options[@]}" train.py "$@"
