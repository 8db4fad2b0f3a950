"""Which checkpoints stay: tiers of age, thinned again whenever a checkpoint is added.

Times are whole seconds. A checkpoint stays as long as one tier holds it. The first of each step of
the calendar is held, not the first of each step of age: see `by_age` for why.
"""

from typing import NamedTuple


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
