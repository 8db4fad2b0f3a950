"""Watch the metadata server of a spot machine and leave a flag when the machine will be taken back.

The training loop looks for the flag at each step, and all ranks agree on it: see checkpoint.py.
`python interruption.py --cloud aws --flag FILE` runs until the notice comes.
"""

import argparse
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

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


def watch(cloud, flag, server, every):
    """Poll until the notice comes, then leave the flag; say so when blind."""
    blind = 0
    while True:
        try:
            if NOTICED[cloud](server):
                break
            blind = 0
        except OSError as error:
            blind += 1
            if blind == BLIND_AFTER:
                print(f"blind: {error}", file=sys.stderr, flush=True)
        time.sleep(every)
    Path(flag).write_text(f"{time.time():.3f}\n")


def main(arguments=None):
    """Read the command line and watch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cloud", choices=sorted(NOTICED), required=True)
    parser.add_argument("--flag", required=True)
    parser.add_argument("--server", help="another metadata server, for tests")
    parser.add_argument("--every", type=float, help="seconds between two polls")
    asked = parser.parse_args(arguments)
    every = POLL_S[asked.cloud] if asked.every is None else asked.every
    watch(asked.cloud, asked.flag, asked.server or SERVERS[asked.cloud], every)


if __name__ == "__main__":
    main()
