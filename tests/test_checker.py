"""Protects the judge: what is false is refuted with a point, what is true is proved, or called sampled."""

import mpmath
import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import C, M, P, V, W, b, tau, x
from sympy import LambertW, Max, Min, Piecewise, Rational, exp, log, sqrt

from mathcore import StepError, Variable, checker
from mathcore.errors import Refuted

HERE = "chapter.py:7"
u = Variable("u", "", "a share", high="1")
z = Variable("z", "", "a signed number", low="-10", high="10")
tiny = Variable("e", "", "a tiny share", high="0.000001")


def equal(left, right):
    return checker.check_equal(left, right, place=HERE)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sqrt(C / (2 * M)), sqrt(2 * C * M) / (2 * M)),
        ((x + 1) ** 3, x**3 + 3 * x**2 + 3 * x + 1),
        (1 / (1 - M / C), C / (C - M)),  # with a pole in the range
        (log(C / M), log(C) - log(M)),
        (exp(LambertW(x)) * LambertW(x), x),
        (Max(W / P, V / b), Max(V / b, W / P)),
    ],
    ids=lambda e: str(e)[:30],
)
def test_true_claim_is_proved(left, right):
    assert equal(left, right) == checker.Verdict("proved", "sympy: the difference is zero")


def test_what_sympy_cannot_prove_is_sampled_with_all_branches_hit():
    verdict = equal(W / Max(W / P, V / b), Min(P, b * W / V))
    assert verdict.name == "sampled"
    assert verdict.detail == "141 points, 50 digits, all 4 branches hit"


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (x, x + Rational(1, 10**29), ("the ratio changes from point to point: look for a wrong sign, exponent",)),
        (x**2, x**3, ("x**2 is not x**3: at x = 0.0100 the one is 0.0001, the other 1.0e-6",)),
        (C * M, 2 * C * M, ("the second is 2.0 times the first everywhere; correct that factor",)),
        (C * M, C * M * Rational(1, 60), ("the second is 0.0166667 times the first everywhere",)),
        (C - M, M - C, ("the second is -1.0 times the first everywhere",)),
        (Max(0, z), z, ("Max(0, z) is not z: at z = −10.0",)),
        (Piecewise((x, x < 1), (1, True)), x, ("is not x",)),
        (sqrt(z**2), z, ("is not z",)),
        (tiny, 2 * tiny, ("e = 1.00·10⁻⁹",)),
    ],
    ids=lambda e: str(e)[:30],
)
def test_false_claim_is_refuted_with_a_point_and_its_values(left, right, words):
    with pytest.raises(Refuted) as caught:
        equal(left, right)
    assert caught.value.where == HERE
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_claims_that_differ_by_no_factor_get_no_hint_of_one():
    with expect_error(Refuted, "at z = −10.0 the one is 0, the other 1", place=False) as caught:
        equal(Max(0, z), Piecewise((z, z > 0), (1, True)))
    assert caught.raised.hint == ""


def test_branch_that_no_point_reaches_refuses_the_claim():
    with expect_error(StepError, "every branch of Max(1/1000, x)", code="not-judged", place=False) as caught:
        equal(Max(x, Rational(1, 1000)), x)  # x begins at a hundredth
    assert not isinstance(caught.raised, Refuted)


def test_claim_without_any_finite_value_is_refused():
    pole = 1 / (sympy.floor(u / 2))
    with expect_error(StepError, "no point of the admissible range", code="not-judged", place=False) as caught:
        equal(pole, 2 * pole + sympy.floor(u / 2))
    assert not isinstance(caught.raised, Refuted)


def test_points_stay_within_the_range_and_begin_with_its_corners():
    points = [point for point, _ in checker.SamplePoints(C + M).sample_values(20)]
    assert points[:9] == [
        (c, m) for c in sorted({p[0] for p in points[:9]}) for m in sorted({p[1] for p in points[:9]})
    ]
    assert (points[0], points[8]) == ((1, 60), (86_400, 315_576_000))
    assert all(C.admits(float(c)) and M.admits(float(m)) for c, m in points)


def test_highest_corner_is_a_point_also_of_many_symbols():
    many = [Variable(f"q{i}", "", "a number", low="1", high="10") for i in range(5)]
    points = [point for point, _ in checker.SamplePoints(sum(many)).sample_values(0)]
    assert len(points) == 2**5 + 1 and {1, 10} < {value for point in points for value in point}
    assert (1,) * 5 in points and (10,) * 5 in points


def test_points_of_integers_are_admissible_integers():
    n, part = (Variable(name, "", "a count", integer=True, **more) for name, more in (("n", {}), ("s", {"low": "2.5"})))
    points = [point for point, _ in checker.SamplePoints(n + part).sample_values(20)]
    assert all(x == int(x) and v.admits(float(x)) for p in points for v, x in zip((n, part), p, strict=True))
    for left, right in ((sympy.floor(n / 2) + sympy.floor((n + 1) / 2), n), (2 * Max(n, 1), 2 * n)):
        assert all(left.subs(n, i) == right.subs(n, i) for i in range(1, 20))
        assert all(values[0] == values[1] for _, values in checker.SamplePoints(left, right).sample_values(20))
        assert equal(left, right).name in ("proved", "sampled")


def test_point_whose_value_is_out_of_reach_is_left_out():
    a, x = (Variable(name, "", "a number", low="9.9e9", high="1e10") for name in "ax")
    shares = checker.SamplePoints(sympy.lowergamma(a, x))
    with pytest.raises(mpmath.libmp.NoConvergence):  # what the engine has to live with
        shares.function(mpmath.mpf(10) ** 10, mpmath.mpf(10) ** 10)
    assert (mpmath.mpf(10) ** 10,) * 2 not in [point for point, _ in shares.sample_values(2)]


def test_judging_leaves_the_precision_of_mpmath_alone():
    before = mpmath.mp.dps
    held = []
    for claim in ((x, x), (x, 2 * x)):
        try:
            equal(*claim)
        except StepError as error:
            held.append(error)  # its traceback keeps the judge's frames alive
        assert mpmath.mp.dps == before
    assert len(held) == 1


@pytest.mark.parametrize(
    ("expression", "name"),
    [(2 * C / tau**3, "proved"), (x**2 - 2 * x + Rational(101, 100), "sampled"), (exp(x) - 1 - x, "sampled")],
)
def test_positive_expression_is_known_as_such(expression, name):
    assert checker.check_positive(expression, place=HERE).name == name


@pytest.mark.parametrize("expression", [C - M, sympy.S.Zero, Max(0, x - 1), -x])
def test_expression_that_is_not_positive_is_refuted_with_a_point(expression):
    with pytest.raises(Refuted, match=r"chapter\.py:7: .* is not positive: at .* it is"):
        checker.check_positive(expression, place=HERE)


def test_worst_ratio_lies_where_it_must():
    # sqrt(1 + u) is farthest from 1 + u/2 at the end of the range: (1.5 / sqrt 2) − 1
    worst, at = checker.max_relative_error(
        sqrt(1 + u), 1 + u / 2, {u: (mpmath.mpf("0.001"), mpmath.mpf(1))}, place=HERE
    )
    assert float(worst) == pytest.approx(1.5 / 2**0.5 - 1, rel=1e-12)
    assert at == "u = 1.00"


def test_worst_ratio_without_any_finite_value_is_refused():
    pole = 1 / sympy.floor(u / 2)
    with expect_error(StepError, "no point of the admissible range", code="not-judged", place=False):
        checker.max_relative_error(pole, 2 * pole, {u: (mpmath.mpf("0.1"), mpmath.mpf(1))}, place=HERE)
