"""Retention of checkpoints in tiers of age, applied whenever a checkpoint is added.

Times are whole seconds, or training steps. A checkpoint is kept as long as one tier retains it. A tier retains the
first checkpoint of each calendar interval, not of each interval of age: see `by_age` for the reason.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

from practice import durable


class Tier(NamedTuple):
    """Up to `age` (s) one checkpoint is kept in each interval of `step` (s); all of them if `step` is 0."""

    age: int
    step: int = 0


HOUR, DAY, WEEK = 3600, 86400, 604800
TIERS = (Tier(6 * HOUR), Tier(7 * DAY, DAY), Tier(13 * WEEK, WEEK))


def by_calendar(times, now, tiers=TIERS):
    """Return the times that are kept: in each tier the first of each calendar interval.

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
    """Return the times that are kept if each tier retains the newest in each interval of age.

    The rule looks equivalent, but the newest changes at each thinning, so no checkpoint is kept long enough to age.

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
    """Simulate `length` seconds with a checkpoint each `interval`; return what is kept after each.

    >>> [len(kept) for kept in thinned(5, 1, tiers=(Tier(2), Tier(4, 2)))]
    [1, 2, 3, 3, 3]
    """
    kept, history = [], []
    for now in range(0, length, interval):
        kept = rule([*kept, now], now, tiers)
        history.append(kept)
    return history


def tiers(text):
    """Parse tiers from a text of age:step pairs, separated by commas.

    >>> tiers("6:0,40:10")
    (Tier(age=6, step=0), Tier(age=40, step=10))
    """
    return tuple(Tier(*map(int, part.split(":"))) for part in (text or "").split(",") if part)


def expired(times, now, tiers, proven=()):
    """Return the steps to delete: expired or damaged ones that are older than the newest intact one.

    `times` maps each step to its time, or to None if it is damaged; `proven` are verified steps, the newest of which
    is kept as well. If none is intact, nothing is deleted.

    >>> expired({0: 0, 10: 10, 20: 20, 30: 30, 40: None}, 40, (Tier(15), Tier(60, 20)))
    [10]
    >>> expired({0: None, 10: None}, 40, (Tier(5),)), expired({0: 0, 10: None}, 40, (Tier(5),))
    ([], [])
    >>> expired({0: 0, 10: 10, 20: 20}, 40, (Tier(5),), proven=[0, 10])
    [0]
    """
    whole = {step: time for step, time in times.items() if time is not None}
    if not whole:
        return []
    held = set(by_calendar(sorted(whole.values()), now, tiers))
    kept = {max(whole), max(whole.keys() & proven, default=max(whole)), *(s for s, t in whole.items() if t in held)}
    return [step for step in sorted(times) if step not in kept and step < max(whole)]


def sweep(folder, now, tiers, time_of=durable.step_of):
    """Delete the expired checkpoints of a folder and return their steps.

    `time_of` returns the time of a checkpoint in the unit of the tiers: its step, or `saved_at`. No file is read,
    since results of verification are stored. A folder is renamed before it is deleted, in case of a crash.
    """
    paths = {durable.step_of(path): path for path in durable.listed(folder)}
    times = {step: time_of(path) if durable.intact(path) else None for step, path in paths.items()}
    proven = [step for step, path in paths.items() if durable.verdict(path) == []]
    gone = expired(times, now, tiers, proven)
    for step in gone:
        hidden = Path(folder, f".{paths[step].name}.gone")
        paths[step].rename(hidden)
        shutil.rmtree(hidden)
        durable.forget(paths[step])
    return gone


def saved_at(path):
    """Return the Unix time in whole seconds at which a checkpoint was saved, from its metadata."""
    return int(durable.body(path)["notes"]["at"])
