"""Functions that neither `math` nor JavaScript has, computed without loss of digits.

The text of each function is also what a reader copies with a formula that needs it, so
it stands on its own. The JavaScript twins are in `book/_static/mc-core.js`; Node holds
both to the same points, and mpmath to thirty digits.
"""


def lambert_gap(y):
    """Return x = 1 + W0(-exp(-1 - y)) for y >= 0, the root in [0, 1) of x + ln(1 - x) + y = 0.

    Written with the Lambert function alone, a small y would lose half of its digits beside 1.

    >>> abs(lambert_gap(1 / 3) - 0.6111) < 1e-4
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
