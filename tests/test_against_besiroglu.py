"""Holds the refitted scaling law to Besiroglu et al., Chinchilla Scaling: A Replication Attempt."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("besiroglu")


def test_exponent():
    given = PUBLISHED.numbers("epoch-a")
    require(
        PUBLISHED["epoch-a"],
        find("training.scaling.exponent").evaluate(alpha=given["al"], beta=given["be"])[0].magnitude,
    )


def test_floor_from_its_logarithm():
    found = find("training.scaling.floor_of_fit").evaluate(e_E=PUBLISHED.numbers("epoch-E")["a"])[0].magnitude
    require(PUBLISHED["epoch-E"], found)


def tokens_per_parameter(given):
    law = {"A": given["A"], "B": given["B"], "alpha": given["al"], "beta": given["be"]}
    return find("training.scaling.ratio").at(**law, C=f"{given['C']} FLOP").m_as("token")


def test_about_twenty_tokens_per_parameter():
    require(PUBLISHED["epoch-ratio-20"], tokens_per_parameter(PUBLISHED.numbers("epoch-ratio-20")))


def test_error_of_the_exponent_needs_a_correlation():
    """Limit of independent errors: 0.0179, not the published 0.020, which a correlation of −0.26 explains."""
    published = find("models.besiroglu_exponent_error").value.magnitude
    variance = find("training.scaling.exponent_variance")
    given = {v.name: q for v, q in find("training.scaling.exponent_alone").givens.items()}
    assert variance.evaluate(given)[0].magnitude ** 0.5 == pytest.approx(0.0179, abs=1e-4)
    assert variance.evaluate({**given, "r_x": "-0.26"})[0].magnitude ** 0.5 == pytest.approx(published, abs=1e-4)


def test_hoffmanns_law_is_found():
    given = PUBLISHED.numbers("epoch-ratio-20") | {"A": 406.4, "B": 410.7, "al": 0.3392, "be": 0.2849}
    refuse(PUBLISHED["epoch-ratio-20"], tokens_per_parameter(given))
