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


def expired(times, now, tiers, proven=()):
    """Return the steps that may go: those that no tier holds and damaged ones, but only behind the last whole one.

    `times` maps each step to its time, or to None where it is damaged; `proven` are steps that have been read back,
    the last of which stays as well. Where none is whole, nothing goes.

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
    """Delete the checkpoints of a folder that may go, and return their steps.

    `time_of` gives the time of a checkpoint in the unit of the tiers: its step, or `saved_at`. No file is read: what
    a verification has found is remembered. Each loses its name first, so that a crash leaves no half of one behind.
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
    """Return the Unix time in whole seconds at which a checkpoint was saved, as its notes have it."""
    return int(durable.body(path)["notes"]["at"])
