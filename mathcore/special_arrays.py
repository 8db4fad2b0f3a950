"""The functions of `special` for arrays of numpy: by scipy where it is installed, else element by element."""

from collections.abc import Callable

from mathcore import special
from mathcore.types import Array

SERIES = (1.0, -1 / 3, 1 / 36, 1 / 270, 1 / 4320, -1 / 17010, -139 / 5443200, -1 / 204120)  # of 1 + W0 in sqrt(2y)
SMALL = 0.1  # below this sqrt(2y) the series is exact, and the Lambert function loses digits when added to 1


def array_functions() -> dict[str, Callable]:
    """Return the functions by their names in generated code.

    >>> [float(f"{array_functions()[name](1 / 3):.4f}") for name in ("one_plus_lambertw0", "neg_inv_lambertw0_minus1")]
    [0.6111, 1.5714]
    """
    import numpy as np

    by_name: dict[str, Callable] = {name: np.vectorize(f, otypes=[float]) for name, f in special.FUNCTIONS.items()}
    try:
        from scipy.special import erfc
    except ModuleNotFoundError:
        return by_name
    vectorized = (gammainc_regularized, one_plus_lambertw0, neg_inv_lambertw0_minus1)
    return by_name | {"erfc": erfc} | {f.__name__: f for f in vectorized}


def gammainc_regularized(a: Array, x: Array, upper: float) -> Array:
    """Return the share of Γ(a) beyond x (upper = 1) or before x (upper = 0) of each element."""
    import numpy as np
    from scipy.special import gammainc, gammaincc

    a, x = np.broadcast_arrays(np.asarray(a, float), np.maximum(x, 0.0))
    share = gammaincc(a, x) if upper else gammainc(a, x)
    return np.where(a > 0, share, np.nan)


def one_plus_lambertw0(y: Array) -> Array:
    """Return 1 + W0(-exp(-1 - y)) of each element."""
    import numpy as np

    conditions, series, lambertw0 = _lambert_parts(y)
    return np.select(conditions, [np.nan, series], 1.0 + lambertw0)


def neg_inv_lambertw0_minus1(y: Array) -> Array:
    """Return -1/W0(-exp(-1 - y)) - 1 of each element."""
    import numpy as np

    conditions, series, lambertw0 = _lambert_parts(y)
    with np.errstate(divide="ignore"):  # beyond e^709, where it is inf
        values = [np.array(np.nan), series / (1.0 - series), -1.0 / lambertw0 - 1.0]
    return np.select([*conditions, np.less_equal(y, 708.0)], values, np.where(np.isnan(y), np.nan, np.inf))


def _lambert_parts(y: Array) -> tuple[list[Array], Array, Array]:
    """Return where there is no value and where the series holds, the series of 1 + W0, and W0(-exp(-1 - y))."""
    import numpy as np
    from scipy.special import lambertw

    y = np.asarray(y, dtype=float)
    with np.errstate(invalid="ignore"):
        q = np.sqrt(2.0 * y)
    series = q * np.polynomial.polynomial.polyval(q, SERIES)
    return [y < 0, q < SMALL], series, lambertw(-np.exp(-1.0 - y)).real
