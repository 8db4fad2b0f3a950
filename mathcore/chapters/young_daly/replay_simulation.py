"""A job on a cluster whose failures are read from a log: the clock is moved from one entry to the next.

Times are floats in any one unit. No law of failures and no closed form is used.
"""

import itertools


def replayed(moments, tau, C, R):
    """Return the time lost for each unit of useful work between the first and the last of `moments`.

    `moments` are the failures of the cluster in order. After each the job restarts, which takes `R` and
    begins anew if the next failure comes first; then it works in segments of `tau`, each followed by a
    write of `C`, and loses what was not written when it is struck.

    >>> replayed([0, 26, 30, 59], tau=8, C=2, R=5)
    0.84375
    """
    useful = 0.0
    for before, after in itertools.pairwise(moments):
        clock, kept = before + R, 0.0
        while clock + tau + C <= after:
            clock, kept = clock + tau + C, kept + tau
        useful += kept
    if not useful:
        raise ValueError(f"not one segment of {tau} was written between two failures")
    return (moments[-1] - moments[0]) / useful - 1
