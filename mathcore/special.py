"""Functions that neither `math` nor JavaScript has, computed without loss of digits.

The text of each function is also what a reader copies with a formula that needs it, so
it stands on its own. The JavaScript versions are in `book/_static/mc-special.js`; tests hold
both to the same points, and to mpmath's thirty digits.
"""

import math


def one_plus_lambertw0(y: float) -> float:
    """Return x = 1 + W0(-exp(-1 - y)) for y >= 0, the root in [0, 1) of x + ln(1 - x) + y = 0.

    Written with the Lambert function alone, a small y would lose half of its digits when added to 1.

    >>> abs(one_plus_lambertw0(1 / 3) - 0.6111) < 1e-4
    True
    """
    from math import exp, log1p, sqrt

    if y > 30.0:
        return 1.0 - exp(-1.0 - y)
    q = sqrt(2.0 * y)
    if q < 0.03:
        tail = q * (-1 / 17010 + q * (-139 / 5443200 + q * (-1 / 204120)))
        return q * (1 + q * (-1 / 3 + q * (1 / 36 + q * (1 / 270 + q * (1 / 4320 + tail)))))
    x = min(q, 1.0 - exp(-1.0 - y))  # above the root, whence Newton falls to it without a turn
    for _ in range(50):
        step = (x + log1p(-x) + y) * (1.0 - x) / x
        x += step
        if abs(step) <= 1e-16 * x:
            break
    return x


def neg_inv_lambertw0_minus1(y: float) -> float:
    """Return w = -1/W0(-exp(-1 - y)) - 1 for y >= 0, the root of ln(1 + w) - w/(1 + w) = y.

    It is x/(1 - x) of `one_plus_lambertw0`, which for a large y has lost what lies between x and 1. Beyond e^709
    it is inf.

    >>> abs(neg_inv_lambertw0_minus1(1.0) - 5.3054) < 1e-4
    True
    """
    from math import expm1, inf, sqrt

    q = sqrt(2.0 * y)
    if q < 0.03:  # the series of 1 + W0
        tail = q * (-1 / 17010 + q * (-139 / 5443200 + q * (-1 / 204120)))
        x = q * (1 + q * (-1 / 3 + q * (1 / 36 + q * (1 / 270 + q * (1 / 4320 + tail)))))
        return x / (1.0 - x)
    if y > 708.0:
        return inf
    z = 1.0 + y  # above the root of z + exp(-z) - 1 = y, whence Newton falls to z = ln(1 + w)
    for _ in range(50):
        step = (z + expm1(-z) - y) / expm1(-z)
        z += step
        if abs(step) <= 1e-16 * z:
            break
    return expm1(z)


def log_gamma(x: float) -> float:
    """Return ln Γ(x) for x > 0, and infinity at the poles, so that 1/Γ is zero there.

    >>> log_gamma(1.0), log_gamma(0.0)
    (0.0, inf)
    """
    from math import inf, lgamma

    return lgamma(x) if x > 0 else inf


def gammainc_regularized(a: float, x: float, upper: float) -> float:
    """Return the share of Γ(a) = ∫ tᵃ⁻¹e⁻ᵗ dt that lies beyond x (upper = 1) or before x (upper = 0).

    For an integer a, the upper share is the probability of fewer than a events where x are expected.

    >>> abs(gammainc_regularized(1.0, 2.0, 1) - 0.1353352832366127) < 1e-16
    True
    """
    from math import exp, lgamma, log, nan, sqrt

    if not a > 0:
        return nan
    if x <= 0:
        return float(upper)
    front = exp(a * log(x) - x - lgamma(a))
    if front == 0:  # all lies on one side; the sums below would take long to say so
        return float(upper if x < a else 1 - upper)
    if x < a + 1:  # the lower share, as a series
        n, total = a, 1 / a
        term = total
        while term > 1e-17 * total:
            n, term = n + 1, term * x / (n + 1)
            total += term
        return 1 - front * total if upper else front * total
    rest = 0.0  # the upper share, as a continued fraction, from its tail on
    for i in range(int(60 + 12 * sqrt(a)), 0, -1):
        rest = i * (a - i) / (x + 2 * i + 1 - a + rest)
    beyond = front / (x + 1 - a + rest)
    return beyond if upper else 1 - beyond


# numpy and JavaScript lack the last, which `math` has
FUNCTIONS = {
    f.__name__: f for f in (one_plus_lambertw0, neg_inv_lambertw0_minus1, log_gamma, gammainc_regularized, math.erfc)
}
