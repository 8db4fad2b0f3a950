"""The functions of `special` for arrays of numpy: by scipy where it is installed, else element by element."""

from collections.abc import Callable

from mathcore import special
from mathcore.types import Array

SERIES = (1.0, -1 / 3, 1 / 36, 1 / 270, 1 / 4320, -1 / 17010, -139 / 5443200, -1 / 204120)  # of 1 + W0 in sqrt(2y)
SMALL = 0.1  # below this sqrt(2y) the series is exact, and the Lambert function loses digits when added to 1


def functions() -> dict[str, Callable]:
    """Return the functions by their names in generated code.

    >>> [float(f"{functions()[name](1 / 3):.4f}") for name in ("one_plus_lambertw0", "neg_inv_lambertw0_minus1")]
    [0.6111, 1.5714]
    """
    import numpy as np

    return {name: np.vectorize(f, otypes=[float]) for name, f in special.FUNCTIONS.items()} | _of_scipy()


def _of_scipy() -> dict[str, Callable]:
    """Return what scipy computes as accurately, where it is installed."""
    import numpy as np

    try:
        from scipy.special import erfc, gammainc, gammaincc, lambertw
    except ModuleNotFoundError:
        return {}

    def gammainc_regularized(a: Array, x: Array, upper: float) -> Array:
        a, x = np.broadcast_arrays(np.asarray(a, float), np.maximum(x, 0.0))
        share = gammaincc(a, x) if upper else gammainc(a, x)
        return np.where(a > 0, share, np.nan)

    def parts(y: Array) -> tuple[list[Array], Array, Array]:
        y = np.asarray(y, dtype=float)
        q = np.sqrt(2.0 * y)
        series = q * np.polynomial.polynomial.polyval(q, SERIES)
        return [y < 0, q < SMALL], series, lambertw(-np.exp(-1.0 - y)).real

    @np.errstate(all="ignore")
    def one_plus_lambertw0(y: Array) -> Array:
        cases, series, lambert = parts(y)
        return np.select(cases, [np.nan, series], 1.0 + lambert)

    @np.errstate(all="ignore")  # the branches that are not chosen may have no value
    def neg_inv_lambertw0_minus1(y: Array) -> Array:
        cases, series, lambert = parts(y)
        return np.select(
            [*cases, np.greater(y, 708.0)], [np.nan, series / (1.0 - series), np.inf], -1.0 / lambert - 1.0
        )

    found = (erfc, gammainc_regularized, one_plus_lambertw0, neg_inv_lambertw0_minus1)
    return {f.__name__: f for f in found}
