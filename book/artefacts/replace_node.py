"""Decide what to do with a node that an alert names: drain and replace it, or call a person.

`judge` gets the alert of an Alertmanager webhook and the times of earlier replacements. A rule that is
wrong must not be able to empty the fleet: beyond the number that chance explains, bursts included, nothing is replaced.
"""

import time

REPLACEMENTS_A_DAY = 13  # = operations.day_limit
DAY_S = 86400


def judge(alert, earlier, now=None):
    """Return `("replace", node)` or `("page", why)`."""
    now = time.time() if now is None else now
    labels = alert.get("labels", {})
    node = labels.get("Hostname")
    if alert.get("status") != "firing" or labels.get("severity") != "replace":
        return "page", "not an alert that replaces a node"
    if not node:
        return "page", "the alert names no node"
    recent = [moment for moment in earlier if now - moment < DAY_S]
    if len(recent) >= REPLACEMENTS_A_DAY:
        return "page", f"{len(recent)} replaced in a day: look at the rule"
    return "replace", node


def replace(node, kubectl, terminate):
    """Cordon and drain the node, then hand its instance back; the scaling group starts another."""
    kubectl("cordon", node)
    kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=2m")
    terminate(kubectl("get", "node", node, "-o", "jsonpath={.spec.providerID}").rsplit("/", 1)[-1])
