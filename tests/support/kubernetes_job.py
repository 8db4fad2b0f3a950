"""A small model of the Job controller of Kubernetes: what it does with the pods of an Indexed Job when they end.

From the documentation of Jobs: an index whose pod has exited with 0 is done for good; the rules of `podFailurePolicy`
are tried in order; `Ignore` replaces a pod uncounted; what no rule meets counts against the limit, which is one for
each index where `backoffLimitPerIndex` is set, and otherwise one for all pods together.
"""

from collections import Counter

DEFAULT_LIMIT = 6


class IndexedJob:
    """The state of a Job: which indexes run, which are done, and whether the whole has failed."""

    def __init__(self, manifest):
        """Start one pod for each index of a manifest."""
        self.spec = manifest["spec"]
        self.running = set(range(self.spec["completions"]))
        self.done, self.counted, self.failed = set(), Counter(), None

    def exits(self, index, code, disrupted=False):
        """End the pod of an index; `disrupted` if it was evicted."""
        if self.failed or index not in self.running:
            return
        if code == 0:
            self.running.remove(index)
            self.done.add(index)
            return
        action = self._action(code, disrupted)
        if action == "FailJob":
            self.failed, self.running = f"index {index} exited with {code}", set()
        elif action == "Count":
            self._count(index)

    def _action(self, code, disrupted):
        for rule in self.spec.get("podFailurePolicy", {}).get("rules", []):
            codes = rule.get("onExitCodes")
            if codes and (code in codes["values"]) == (codes["operator"] == "In"):
                return rule["action"]
            if disrupted and any(each["type"] == "DisruptionTarget" for each in rule.get("onPodConditions", [])):
                return rule["action"]
        return "Count"

    def _count(self, index):
        self.counted[index] += 1
        each = self.spec.get("backoffLimitPerIndex")
        over = sum(self.counted.values()) > self.spec.get("backoffLimit", DEFAULT_LIMIT)
        if self.counted[index] > each if each is not None else over:
            self.failed, self.running = f"the limit of index {index}", set()
