"""Which checkpoints stay: tiers of age, thinned again whenever a checkpoint is added.

Times are whole seconds, or steps of training. A checkpoint stays as long as one tier holds it. The first of
each step of the calendar is held, not the first of each step of age: see `by_age` for why.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

from practice import durable


class Tier(NamedTuple):
    """Up to this age (s) one checkpoint stays in each step (s); with step 0 every one."""

    age: int
    step: int = 0


HOUR, DAY, WEEK = 3600, 86400, 604800
TIERS = (Tier(6 * HOUR), Tier(7 * DAY, DAY), Tier(13 * WEEK, WEEK))


def by_calendar(times, now, tiers=TIERS):
    """Return the times that stay: in each tier the first of each step of the calendar.

    >>> by_calendar([0, 10, 20, 30, 40], 40, (Tier(15), Tier(60, 20)))
    [0, 20, 30, 40]
    """
    kept = set()
    for tier in tiers:
        young = [t for t in times if now - t < tier.age]
        if tier.step == 0:
            kept |= set(young)
            continue
        first = {}
        for t in sorted(young):
            first.setdefault(t // tier.step, t)
        kept |= set(first.values())
    return sorted(kept)


def by_age(times, now, tiers=TIERS):
    """Return the times that stay if each tier keeps the newest in each step of age.

    It looks like the same rule. But the newest is another one at each thinning, so that no checkpoint
    is ever held long enough to grow old.

    >>> by_age([0, 10, 20, 30, 40], 40, (Tier(15), Tier(60, 20)))
    [0, 20, 30, 40]
    """
    kept = set()
    for tier in tiers:
        young = [t for t in times if now - t < tier.age]
        newest = {((now - t) // tier.step if tier.step else t): t for t in sorted(young)}
        kept |= set(newest.values())
    return sorted(kept)


def thinned(length, interval, rule=by_calendar, tiers=TIERS):
    """Run through `length` seconds, add a checkpoint each `interval`, thin; return what is kept each time.

    >>> [len(kept) for kept in thinned(5, 1, tiers=(Tier(2), Tier(4, 2)))]
    [1, 2, 3, 3, 3]
    """
    kept, history = [], []
    for now in range(0, length, interval):
        kept = rule([*kept, now], now, tiers)
        history.append(kept)
    return history


def tiers(text):
    """Return the tiers that a text names, as age:step with commas between.

    >>> tiers("6:0,40:10")
    (Tier(age=6, step=0), Tier(age=40, step=10))
    """
    return tuple(Tier(*map(int, part.split(":"))) for part in (text or "").split(",") if part)


def doomed(steps, whole, now, tiers):
    """Return the steps that may go: whole ones that no tier holds, damaged ones behind a whole one, never the last.

    `steps` are all there are, `whole` those that have been verified. Where none is whole, nothing goes.

    >>> doomed([0, 10, 20, 30, 40], {0, 10, 20, 30}, 40, (Tier(15), Tier(60, 20)))
    [10]
    >>> doomed([0, 10], set(), 40, (Tier(5),)), doomed([0, 10], {0}, 40, (Tier(5),))
    ([], [])
    """
    if not whole:
        return []
    kept = {*by_calendar(sorted(whole), now, tiers), max(whole)}
    return [step for step in steps if step not in kept and step < max(whole)]


def sweep(folder, now, tiers):
    """Delete the checkpoints of a folder that may go, and return their steps.

    Each loses its name first, so that a crash leaves no half of one behind. All are verified before.
    """
    paths = {durable.step_of(path): path for path in durable.listed(folder)}
    whole = {step for step, path in paths.items() if not durable.faults(path)}
    gone = doomed(sorted(paths), whole, now, tiers)
    for step in gone:
        hidden = Path(folder, f".{paths[step].name}.gone")
        paths[step].rename(hidden)
        shutil.rmtree(hidden)
    return gone
