"""How far another system may lie from a prediction: statistics between systems, not between rows.

Rows of one system share whatever a formula leaves out, so that a thousand of them determine another system no better
than a few do. Intervals therefore depend on the number of systems: Student's distribution with one degree of freedom
less.
"""

import math
from collections.abc import Mapping, Sequence

from mathcore.types import Array

COVERED = 0.9  # share of other systems, or of their rows, in an interval
NORMAL_90 = 1.6449  # of a normal distribution, 90 % lie within so many standard deviations
FEWEST_SYSTEMS = 3  # from which an interval for another system is given
FEWEST_TO_TRY = FEWEST_SYSTEMS + 1  # systems of which each can be tried against the band of the others


def student_quantile(systems: int) -> float:
    """Return within how many standard deviations another system lies with 90 %, as estimated from `systems`."""
    from scipy.stats import t

    return float(t.ppf((1 + COVERED) / 2, systems - 1))


def prediction_band(residuals: Mapping[str, Array]) -> tuple[float, float] | None:
    """Return the 90 % band of the logarithm of a row of another system; None for fewer than three systems.

    `residuals` are the logarithms of measured over predicted, an array (rows,) for each system, where no prediction
    was fitted on its own system. Every system counts alike, whatever its rows.
    """
    import numpy as np

    count = len(residuals)
    if count < FEWEST_SYSTEMS:
        return None
    means = np.array([np.mean(each) for each in residuals.values()])
    within = float(np.mean([np.var(each) for each in residuals.values()]))
    half = student_quantile(count) * math.sqrt(float(np.var(means, ddof=1)) * (1 + 1 / count) + within)
    return float(means.mean()) - half, float(means.mean()) + half


def band_coverage(residuals: Mapping[str, Array]) -> float | None:
    """Return which share of a system's rows lies in the band of the others, on average; None for fewer than four."""
    if len(residuals) < FEWEST_TO_TRY:
        return None
    shares = []
    for name, rows in residuals.items():
        low, high = prediction_band({other: each for other, each in residuals.items() if other != name}) or (
            math.nan,
            math.nan,
        )
        shares.append(float(((low <= rows) & (rows <= high)).mean()))
    return math.fsum(shares) / len(shares)


def parameter_variances(slopes: Array, residuals: Array, weights: Array, groups: Sequence) -> Array:
    """Return the variances of the parameters of a robust fit, an array, from the variability between groups of rows.

    `slopes` is (rows, parameters), `residuals` and `weights` are (rows,), `groups` names the group of each row. What
    the rows of a group pull is summed before it is squared; no distribution is taken for granted.
    """
    import numpy as np

    names, places = np.unique(np.array(groups), return_inverse=True)
    pulls = np.zeros((len(names), slopes.shape[1]))
    np.add.at(pulls, places, slopes * (weights * residuals)[:, None])
    bread = np.linalg.pinv((slopes.T * weights) @ slopes)
    return np.diag(bread @ (pulls.T @ pulls) @ bread)


def half_widths(slopes: Array, residuals: Array, systems: Sequence[str]) -> Array | None:
    """Return half the 90 % intervals of the parameters of another system, an array, or None for too few systems.

    So many parameters need one system more. Every system counts alike, whatever its rows, and outliers count in full:
    another system may be one.
    """
    import numpy as np

    count = len(set(systems))
    if count < max(FEWEST_SYSTEMS, slopes.shape[1] + 1):
        return None
    alike = np.array([1 / list(systems).count(name) for name in systems])
    common = parameter_variances(slopes, residuals, alike, systems) * count / (count - 1)
    return student_quantile(count) * np.sqrt(common * (count + 1))  # the common fit errs as well as the other system


def row_half_widths(slopes: Array, residuals: Array, weights: Array, reading: float = 0.0) -> Array:
    """Return half the 90 % intervals of the parameters of the same systems, an array, from the variability of rows.

    A reading is off by anything up to `reading`, relative, equally likely and independent of the other rows.
    """
    import numpy as np

    rows, parameters = slopes.shape
    variances = parameter_variances(slopes, residuals, weights, range(rows)) * rows / max(rows - parameters, 1)
    variances = variances + parameter_variances(slopes, np.full(rows, reading / math.sqrt(3)), weights, range(rows))
    return NORMAL_90 * np.sqrt(variances)
