"""Take Alertmanager's webhooks: drain a broken node in Slurm and move its job, or hand the alert to a person.

`judge` decides, from the alert and from what was done before. A rule that is wrong must not be able to empty the
fleet: a node is replaced once, few are in an hour and in a day, and none where no spare is idle.
`python receiver.py --pager COMMAND` listens on a port of this machine; COMMAND gets an alert as JSON on its input.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

HOUR_S, DAY_S = 3600, 86400
REPLACED_AN_HOUR = 2  # = operations.hour_replaced
REPLACED_A_DAY = 7  # = operations.day_replaced
DRAINS = {"replace", "reset"}


def judge(alert, earlier, spares, now):
    """Return `(what to do, about what)`: replace or reset a node, page a person, or nothing that is not done yet.

    `earlier` holds `(time, node)` of what was drained before, `spares` counts the idle nodes.
    """
    labels = alert.get("labels", {})
    node, severity = labels.get("Hostname"), labels.get("severity")
    if alert.get("status") != "firing":
        return "nothing", "resolved"
    if severity not in DRAINS:
        return "page", "a person decides"
    if not node:
        return "page", "the alert names no node"
    recent = [(moment, name) for moment, name in earlier if now - moment < DAY_S]
    if any(name == node for _, name in recent):
        return "nothing", f"{node} is drained already"
    if len(recent) >= REPLACED_A_DAY:
        return "page", f"{len(recent)} nodes drained in a day: look at the rule"
    if (hour := sum(now - moment < HOUR_S for moment, _ in recent)) >= REPLACED_AN_HOUR:
        return "page", f"{hour} nodes drained in an hour: look at the rule"
    if spares < 1:
        return "page", f"{node} is broken, and no spare is idle"
    return severity, node


def command(*words):
    """Run a command of Slurm and return what it prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def spares():
    """Return the number of idle nodes that are up."""
    return len(set(command("sinfo", "--noheader", "--Node", "--states=idle", "--format=%N")))


def drain(node, reason):
    """Take a node out of the queue, and give its jobs notice, so that they save and go back into the queue."""
    command("scontrol", "update", f"NodeName={node}", "State=DRAIN", f"Reason={reason}")
    for job in command("squeue", "--noheader", f"--nodelist={node}", "--format=%A"):
        command("scancel", "--batch", "--signal=TERM", job)


def reset(node, gpu):
    """Reset a GPU once the node's jobs have left, and take the node back; where that fails the node stays drained."""
    for _ in range(60):
        if command("sinfo", "--noheader", f"--nodes={node}", "--format=%T") == ["drained"]:
            command("ssh", node, "nvidia-smi", "--gpu-reset", "-i", gpu)
            command("scontrol", "update", f"NodeName={node}", "State=RESUME")
            return
        time.sleep(5)


class Receiver(BaseHTTPRequestHandler):
    """The end of Alertmanager's webhook; what was done is kept in a file, so that a restart does not forget it."""

    def do_POST(self):
        """Judge each alert of a notification and act on it."""
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for alert in payload["alerts"]:
            try:
                self.act(alert)
            except (subprocess.SubprocessError, OSError) as error:
                self.page(alert, f"not done: {error}")
        self.send_response(200)
        self.end_headers()

    def act(self, alert):
        """Do what the verdict is, and write it down before."""
        verdict, about = judge(alert, self.earlier(), spares(), time.time())
        name = alert.get("labels", {}).get("alertname", "")
        if verdict in DRAINS:
            self.note(verdict, about, name)
            drain(about, name)
            if verdict == "reset":
                reset(about, alert["labels"]["gpu"])
        elif verdict == "page":
            self.note(verdict, about, name)
            self.page(alert, about)

    def page(self, alert, why):
        """Hand an alert to the pager."""
        payload = json.dumps({**alert, "why": why, "at": time.time()})
        subprocess.run(self.server.pager, input=payload, text=True, shell=True, check=False)

    def note(self, verdict, about, name):
        """Write down what is done."""
        with open(self.server.log, "a") as file:
            file.write(json.dumps({"at": time.time(), "verdict": verdict, "about": about, "alert": name}) + "\n")

    def earlier(self):
        """Return time and node of what was drained before."""
        if not os.path.exists(self.server.log):
            return []
        with open(self.server.log) as file:
            done = [json.loads(line) for line in file]
        return [(one["at"], one["about"]) for one in done if one["verdict"] in DRAINS]

    def log_message(self, *_):
        """Leave the requests out of the log."""


def main(given=None):
    """Listen until the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=9099)
    parser.add_argument("--log", default="receiver.jsonl", help="file with what was done")
    parser.add_argument("--pager", required=True, help="command that reaches a person")
    args = parser.parse_args(given)
    server = HTTPServer(("127.0.0.1", args.port), Receiver)
    server.log, server.pager = args.log, args.pager
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
