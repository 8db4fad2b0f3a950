"""Watch the metadata server of a spot machine and pass its notice on before the machine is taken back.

Under Slurm the node is drained and the job's script gets TERM, so that all launchers learn of it and the job goes
back into the queue; elsewhere the launcher of this node gets TERM. `launch.sh` starts it on every node.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

POLL_S = {
    "aws": 5,  # <= operations.aws_poll_sure | s
    "gcp": 1,  # <= operations.gcp_poll | s
}
SERVERS = {"aws": "http://169.254.169.254", "gcp": "http://metadata.google.internal"}
BLIND_AFTER = 3  # = operations.torch_misses


def fetch(url, method="GET", headers=None):
    """Return `(status, text)` of a request; an answer of any status is an answer."""
    request = urllib.request.Request(url, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=1) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def noticed_by_aws(server):
    """Return True when EC2 has announced an interruption; the second protocol asks for a token first."""
    lifetime = {"X-aws-ec2-metadata-token-ttl-seconds": "60"}
    status, token = fetch(f"{server}/latest/api/token", "PUT", lifetime)
    if status != 200:
        raise OSError(f"the metadata server gives no token: {status}")
    url = f"{server}/latest/meta-data/spot/instance-action"
    status, _ = fetch(url, headers={"X-aws-ec2-metadata-token": token})
    if status not in (200, 404):  # 404 is the good news: nothing is announced
        raise OSError(f"the metadata server answers {status}")
    return status == 200


def noticed_by_gcp(server):
    """Return True when Compute Engine has preempted the machine."""
    url = f"{server}/computeMetadata/v1/instance/preempted"
    status, text = fetch(url, headers={"Metadata-Flavor": "Google"})
    if status != 200:
        raise OSError(f"the metadata server answers {status}")
    return text.strip() == "TRUE"


NOTICED = {"aws": noticed_by_aws, "gcp": noticed_by_gcp}


def watch(cloud, server, every, launcher):
    """Poll until the notice comes and return True; say so when blind. End with the launcher."""
    blind = 0
    while alive(launcher):
        try:
            if NOTICED[cloud](server):
                return True
            blind = 0
        except OSError as error:
            blind += 1
            if blind == BLIND_AFTER:
                print(f"blind: {error}", file=sys.stderr, flush=True)
        time.sleep(every)
    return False


def alive(pid):
    """Say whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pass_on(launcher, surroundings=os.environ):
    """Hand the notice to whoever can end the run in order: the script of the Slurm job, else the launcher here."""
    job, node = surroundings.get("SLURM_JOB_ID"), surroundings.get("SLURMD_NODENAME")
    if not job:
        os.kill(launcher, signal.SIGTERM)
        return
    # Else the scheduler might start the job here again. It takes an operator of the cluster; without, go on.
    subprocess.run(["scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=taken back"], check=False)
    subprocess.run(["scancel", "--batch", "--signal=TERM", job], check=True)


def main(arguments=None):
    """Read the command line, watch, and pass the notice on."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cloud", choices=sorted(NOTICED), required=True)
    parser.add_argument("--launcher", type=int, required=True, help="number of the process that starts the ranks")
    parser.add_argument(
        "--server", default=os.environ.get("METADATA_SERVER"), help="another metadata server, for tests"
    )
    parser.add_argument("--every", type=float, help="seconds between two polls")
    args = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # whoever gets the notice is told of it with this signal as well
    every = POLL_S[args.cloud] if args.every is None else args.every
    if watch(args.cloud, args.server or SERVERS[args.cloud], every, args.launcher):
        pass_on(args.launcher)


if __name__ == "__main__":
    main()
