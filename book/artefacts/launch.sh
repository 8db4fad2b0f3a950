#!/usr/bin/env bash
# Start one node of a run: launch.sh RUN FIRST_NODE --folder FOLDER [arguments of the run]
set -euo pipefail

# The node of the rendezvous is a single point of failure: rent it on demand, and let the scheduler start the job
# again when it dies. Without the next line a restarted group may read addresses of dead ranks.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1

run=${1:?name the run}
first=${2:?name the node that hosts the rendezvous}
folder=${4:?name the folder of the run: --folder FOLDER}
shift 2
if [[ -e $folder/hold ]]; then
  echo "$run is held: $(< "$folder/hold"). Remove $folder/hold when this is resolved." >&2
  exit 78
fi
copies=${folder%/*}/copy/$run            # replicated to the second region

here=$(uname -n)                         # not HOSTNAME, which Slurm copies from the first node

# In an array a comment may follow each option; after a backslash it would end the command.
launcher=(
  --nnodes="${NODES:-90:100}"           # = operations.book_servers
  --nproc-per-node="${RANKS:-8}"
  --max-restarts=117                    # = operations.run_retries
  --shutdown-timeout=235                # = operations.run_shutdown | s
  --rdzv-backend=c10d
  --rdzv-endpoint="$first:${PORT:-29400}"
  --rdzv-id="$run"
)
young=10800                             # = operations.run_tiers.j_1 | s
middle=86400                            # = operations.run_tiers.j_2 | s
middle_step=21600                       # = operations.run_tiers.g_2 | s
old=604800                              # = operations.run_tiers.j_3 | s
old_step=172800                         # = operations.run_tiers.g_3 | s
training=(
  --interval=3600                       # = operations.run_interval | s
  --async-save
  --memory="${MEMORY:-/dev/shm}/$here/$run"
  --memory-interval=720                 # = operations.run_interval.tau_f | s
  --tiers="$young:0,$middle:$middle_step,$old:$old_step"
  --copies="$copies"
  --copy-every=178907                   # = operations.region_copy | s
  --screen=1262                         # = resilience.decisions.check_steps
  --collective-timeout=720              # = operations.stuck_after | s
)
heartbeat=(
  --heartbeats="$(mktemp -d)"           # on this node, where no checkpoint storage delays a heartbeat
  --heartbeat-every=5                   # = operations.torch_beat | s
)
watch=(
  --heartbeat-timeout=322               # = operations.hang_timeout.d_a | s
)
if [[ ${first%%.*} == "${here%%.*}" ]]; then
  watch+=(--series="${SERIES:-/var/lib/node_exporter/textfile}/$run.prom")
fi

# Next to the launcher: one kills hung ranks and writes metrics, the other waits for a preemption notice.
python -m practice.run.sidecar "$$" "$run" "${watch[@]}" "${heartbeat[@]}" "$@" &
python interruption.py --cloud "${CLOUD:-aws}" --launcher "$$" &

exec torchrun "${launcher[@]}" -m practice.run.train "${training[@]}" "${heartbeat[@]}" "$@"
