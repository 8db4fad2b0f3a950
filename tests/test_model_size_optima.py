"""Holds the closed forms of best, wrong and smallest sizes to searches that use nothing but the law."""

import math

import pytest

from mathcore import find

A, B, E, ALPHA, BETA = 482.01, 2085.43, 1.8172, 0.3478, 0.3658
WORK = 5.25e23


def loss(size, tokens):
    return E + A * size**-ALPHA + B * tokens**-BETA


def searched(function, low, high):
    """Return where a function with one minimum is smallest, by golden section."""
    cut = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = high - cut * (high - low), low + cut * (high - low)
        low, high = (low, right) if function(left) < function(right) else (left, high)
    return (low + high) / 2


BEST = math.exp(searched(lambda y: loss(math.exp(y), WORK / 6 / math.exp(y)), 18, 32))
TARGET = loss(BEST, WORK / 6 / BEST)


def tokens_for_target(size):
    return (B / (TARGET - E - A * size**-ALPHA)) ** (1 / BETA)


def at(name, **given):
    return find(name).evaluate(alpha=str(ALPHA), beta=str(BETA), **given)[0].magnitude


@pytest.mark.parametrize("share", [0.16, 0.35, 0.7, 1.5])
def test_tokens_of_another_size_at_equal_loss(share):
    found = at("training.overtraining.more_tokens", x=str(share))
    assert found == pytest.approx(tokens_for_target(share * BEST) / (WORK / 6 / BEST), rel=1e-4)


def test_no_size_below_the_smallest_reaches_the_loss():
    smallest = at("training.overtraining.smallest") * BEST
    assert loss(1.001 * smallest, 1e30) < TARGET < loss(0.999 * smallest, 1e300)
    with pytest.raises(ValueError, match="holds only for"):
        at("training.overtraining.more_tokens", x=str(0.999 * smallest / BEST))


@pytest.mark.parametrize("share", [0.2, 0.35, 0.8])
def test_a_size_is_the_best_for_its_traffic(share):
    served = at("training.overtraining.right_traffic", x=str(share)) * WORK / 6 / BEST
    best = searched(lambda size: (6 * tokens_for_target(size) + 2 * served) * size, 0.15 * BEST, BEST)
    assert best == pytest.approx(share * BEST, rel=1e-4)


@pytest.mark.parametrize("share", [0.1, 0.5, 2, 10])
def test_work_of_a_wrong_size(share):
    more = at("training.overtraining.size_penalty", x=str(share))
    size = share * BEST * more ** (BETA / (ALPHA + BETA))  # the same share of the larger work's best size
    assert loss(size, more * WORK / 6 / size) == pytest.approx(TARGET, rel=1e-7)


@pytest.mark.parametrize("body", [1e4, 1e6, 1e8])
def test_the_exponent_seen_without_embeddings(body):
    """A body of a given size belongs to all parameters, those to a work, and the work to tokens."""
    omega, true = 87_803, 0.5

    def counted(size):
        whole = size + omega * size ** (1 / 3)
        tokens = whole ** ((1 - true) / true)
        return math.log(size), math.log(size * tokens)

    (low, less), (high, more) = counted(0.999 * body), counted(1.001 * body)
    found = find("training.kaplan.apparent_of_size").evaluate(a_t="0.5", omega=str(omega), N_e=str(body))[0].magnitude
    assert found == pytest.approx((high - low) / (more - less), rel=1e-5)


def test_the_printed_power_law_of_llama_misses_its_own_number():
    """Limit: 0.29 and 0.53, as printed, give ten trillion tokens where the paper has sixteen and a half."""
    printed = find("training.plan.llama_tokens").value
    assert printed.m_as("Ttoken") == pytest.approx(10.46, abs=0.01)
    assert 16.55 / printed.m_as("Ttoken") > 1.5


def test_the_printed_interval_holds_neither_exponent():
    low, high = (find(f"training.plan.{name}").value.magnitude for name in ("interval_low", "interval_high"))
    assert find("training.plan.exponent_printed").value.magnitude < low
    assert find("training.plan.exponent_fine").value.magnitude > high
