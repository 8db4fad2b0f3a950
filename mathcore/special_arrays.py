"""The functions of `special` for arrays of numpy: the same numbers, all elements at once.

What has no vectorised form of the same accuracy is called element by element.
"""

from collections.abc import Callable

from mathcore import special
from mathcore.types import Array

SERIES = (1.0, -1 / 3, 1 / 36, 1 / 270, 1 / 4320, -1 / 17010, -139 / 5443200, -1 / 204120)  # of 1 + W0 in sqrt(2y)
STEPS = 50  # of Newton's at most; seven are enough but near the borders
SMALL = 0.03  # below this sqrt(2y) the series has all digits


def _solved(y: Array, start: Callable, step: Callable) -> Array:
    """Return where Newton's steps end from `start(y, sqrt(2y))`."""
    import numpy as np

    x = start(y, np.sqrt(2.0 * y))
    for _ in range(STEPS):
        change = step(x, y)
        x += change
        if (np.abs(change) <= 1e-16 * x).all():
            break
    return x


def _branches(y: Array, large: float, at_large: Callable, middle: Callable, of_series: Callable) -> Array:
    """Return a function that is given by a series, by a root and by an asymptote, by where y lies."""
    import numpy as np

    y = np.asarray(y, dtype=float)
    flat = y.ravel()
    found = np.where(flat < 0, np.nan, flat)
    q = np.sqrt(2.0 * flat)
    series, far = q < SMALL, flat > large
    between = (flat >= 0) & ~series & ~far
    found[far] = at_large(flat[far])
    found[series] = of_series(q[series] * np.polynomial.polynomial.polyval(q[series], SERIES))
    found[between] = middle(flat[between])
    return found.reshape(y.shape)[()]


def one_plus_lambertw0(y: Array) -> Array:
    """Return 1 + W0(-exp(-1 - y)) of each element.

    >>> float(abs(one_plus_lambertw0([1 / 3, 40])[0] - special.one_plus_lambertw0(1 / 3))) < 1e-15
    True
    """
    import numpy as np

    def above(y: Array, q: Array) -> Array:
        return np.minimum(q, 1.0 - np.exp(-1.0 - y))

    def step(x: Array, y: Array) -> Array:
        return (x + np.log1p(-x) + y) * (1.0 - x) / x

    return _branches(y, 30.0, lambda y: 1.0 - np.exp(-1.0 - y), lambda y: _solved(y, above, step), lambda x: x)


def neg_inv_lambertw0_minus1(y: Array) -> Array:
    """Return -1/W0(-exp(-1 - y)) - 1 of each element.

    >>> float(abs(neg_inv_lambertw0_minus1([1.0])[0] - special.neg_inv_lambertw0_minus1(1.0))) < 1e-14
    True
    """
    import numpy as np

    def step(z: Array, y: Array) -> Array:
        lost = np.expm1(-z)
        return (z + lost - y) / lost

    def middle(y: Array) -> Array:
        return np.expm1(_solved(y, lambda y, q: 1.0 + y, step))

    return _branches(y, 708.0, lambda y: np.inf, middle, lambda x: x / (1.0 - x))


def functions() -> dict[str, Callable]:
    """Return the functions by their names in generated code."""
    import numpy as np

    found = {name: np.vectorize(f, otypes=[float]) for name, f in special.FUNCTIONS.items()}
    return found | {f.__name__: f for f in (one_plus_lambertw0, neg_inv_lambertw0_minus1)} | _of_scipy()


def _of_scipy() -> dict[str, Callable]:
    """Return what scipy computes as accurately, where it is installed."""
    import numpy as np

    try:
        from scipy.special import erfc, gammainc, gammaincc
    except ModuleNotFoundError:
        return {}

    def gammainc_regularized(a: Array, x: Array, upper: float) -> Array:
        a, x = np.broadcast_arrays(np.asarray(a, float), np.maximum(x, 0.0))
        share = gammaincc(a, x) if upper else gammainc(a, x)
        return np.where(a > 0, share, np.nan)

    return {"erfc": erfc, "gammainc_regularized": gammainc_regularized}
