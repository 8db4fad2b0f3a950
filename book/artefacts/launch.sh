#!/usr/bin/env bash
# Start one node of an elastic run. On every node: launch.sh RUN_ID FIRST_NODE [arguments of the run]
set -euo pipefail

# The node of the rendezvous is a single point of failure: rent it on demand,
# and let the scheduler start the job again when it dies. Without the next line
# a restarted group may read the addresses of the dead.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1

run=${1:?name the run}
first=${2:?name the node that hosts the rendezvous}
shift 2
nodes=${NODES:-90:100}                # = operations.book_servers
ranks=${RANKS:-8}                     # devices of a server

# Beside the launcher: kills a silent rank, and writes what the alerts watch.
python -m practice.run.beside "$$" "$run" "$@" ${SERIES:+--series "$SERIES"} &

# In an array a comment may follow each option; after a backslash it would end
# the command.
options=(
  --nnodes="$nodes"
  --nproc-per-node="$ranks"
  --max-restarts=117                  # = operations.run_retries
  --rdzv-backend=c10d
  --rdzv-endpoint="$first:${PORT:-29400}"
  --rdzv-id="$run"
)
exec torchrun "${options[@]}" -m practice.run.train "$@"
