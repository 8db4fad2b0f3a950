"""Tests derivations: each kind of step accepts a true statement, refuses a false one and has a verdict."""

import dataclasses

import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import A, C, M, N, P, V, W, b, cluster, d, interval, m, tau, w, waste, x
from sympy import Integral, Rational, exp, log, sqrt

from mathcore import DeclarationError, Derivation, DimensionError, Formula, StepError, Variable
from mathcore.errors import Refuted

t = Variable("t", "s", "a moment", low="0 s", high="30 d", zero=True)
L = Variable("L", "s", "loss")
q = Variable("q", "", "a small number", low="0.0001", high="1")
y = Variable("y", "", "the root", low="0.0001", high="0.9")
loss = Derivation.start(L, Integral(t / tau, (t, 0, tau)), "any moment is as likely", kind="model")
least = Derivation.minimise(waste, over=tau, why="the least waste has no slope")
known = least.slope(1 / (2 * M) - C / tau**2, "term by term").root(sqrt(2 * C * M), "the only positive root")
proof = known.curvature(2 * C / tau**3, "positive")
duration = Formula(d, V / b, kind="definition")


# ---------------------------------------------------------------- steps that hold


@pytest.mark.parametrize(
    ("derivation", "verdict", "right"),
    [
        (loss, "assumed", None),
        (loss.rewrite(tau / 2, "integrate"), "proved", tau / 2),
        (
            Derivation.start(w, C / tau + L / M, "model").apply(loss.rewrite(tau / 2, "mean").formula(), "half"),
            "proved",
            waste.rhs,
        ),
        (Derivation.start(waste).apply({tau: proof.formula()}, "at the optimum"), "proved", None),
        (Derivation.start(waste).apply({tau: interval}, "at the optimum"), "assumed", None),
        (Derivation.start(waste).apply({tau: C}, "as long as a write"), "assumed", waste.rhs.subs(tau, C)),
        (Derivation.start(waste).apply({C: tau**2 / (2 * M)}, "so", justified_by=proof.formula()), "proved", tau / M),
        (Derivation.start(waste).apply(proof.formula(), "turned round", eliminating=C), "proved", tau / M),
        (Derivation.start(waste).apply({C: tau**2 / (2 * M)}, "so", justified_by=interval), "assumed", tau / M),
        (Derivation.start(waste).apply(interval, "turned round", eliminating=M), "assumed", 2 * C / tau),
        (Derivation.start(w, V / (b * tau), "share").apply({V: b * d}, "so", justified_by=duration), "proved", d / tau),
        (
            Derivation.balance(C / tau, tau / (2 * M), "both equal").solve_for(tau, sqrt(2 * C * M), "root"),
            "proved",
            interval.rhs,
        ),
        (proof, "proved", 2 * C / tau**3),
        (Derivation.start(w, 1 - exp(-t / M), "model").assume(t / M, "short"), "assumed", t / M),
    ],
    ids=range(14),
)
def test_true_step_has_the_verdict_it_deserves(derivation, verdict, right):
    assert derivation.last.verdict.name == verdict
    assert right is None or derivation.last.right == right


def test_start_from_a_formula_in_another_symbol_inherits_its_verdict():
    model = Derivation.start(x, waste, "share")
    assert (model.last.left, model.last.right, model.last.verdict.name) == (x, waste.rhs, "assumed")
    assert Derivation.start(d, proof.formula(), "so long").last.verdict.name == "proved"
    assert "(model, sample_formulas.waste)" in model.last.verdict.detail


@pytest.mark.parametrize("whole", [Derivation.start(x, C / tau + tau / (2 * M), "share"), least])
def test_formula_that_hides_behind_what_is_written_out_is_named(whole):
    messages = [*whole.issues()]
    named = [
        each
        for each in messages
        if "is the right side of w (model, sample_formulas.waste): start from that formula" in each
    ]
    assert len(named) == (whole is not least)


def test_what_any_chapter_may_write_hides_nothing():
    assert [*Derivation.start(x, C / tau, "writes").issues()] == []


def test_formula_in_other_symbols_inherits_its_verdict():
    proved, assumed = (each.renamed({C: d}) for each in (proof.formula(validity=((C <= M, "long"),)), interval))
    assert proved.rhs == sqrt(2 * d * M) and proved.validity == ((d <= M, "long"),)
    assert (proved.inherited_verdict, proved.kind, assumed.inherited_verdict) == ("proved", "derived", "assumed")
    used = Derivation.start(waste).apply({tau: assumed}, "at that interval")
    assert used.last.verdict.detail == "substituted: tau (model, sample_formulas.interval)"


@pytest.mark.parametrize("symbols", [{C: V / b}, {C: 2}, {V: d}])
def test_renamed_symbols_must_be_symbols_of_the_formula(symbols):
    with expect_error(StepError, code="wrong-type", expected="a Variable"):
        interval.renamed(symbols)


def test_curvature_known_at_points_alone_is_sampled():
    bent = Formula(w, exp(x) + exp(-2 * x) + x**4 - x**3)
    second = exp(x) + 4 * exp(-2 * x) + 12 * x**2 - 6 * x
    verdict = Derivation.minimise(bent, over=x, why="where").curvature(second, "bends up").last.verdict
    assert (verdict.name, verdict.detail) == ("sampled", "63 points, 50 digits")


def test_series_is_proved_to_its_order():
    start = Derivation.balance(y + log(1 - y), -(q**2) / 2, "the condition of the optimum")
    step = start.series(
        lambda r: log(1 - r) + r + q**2 / 2, q - q**2 / 3, "match powers", small=q, order=4, left=y
    ).last
    assert (step.verdict.name, step.verdict.detail, step.relation) == (
        "proved",
        "sympy: the equation holds below q^4",
        "≈",
    )


def test_approximation_states_its_bound_and_what_was_seen():
    chance = Derivation.start(w, 1 - exp(-t / M), "model")
    step = chance.approximate(t / M, "short", within="3/50", region={t: ("1 s", "6 min"), M: ("1 h", "1 d")}).last
    # at t/M = 0.1 the ratio is 0.1/(1 − e^−0.1) − 1 = 0.0508
    assert (step.verdict.name, step.verdict.detail) == ("approximate", "at most 0.06 off; worst sampled 0.051")


def test_derivation_from_a_derived_formula_rests_on_it():
    step = Derivation.start(proof.formula()).last
    assert (step.verdict.name, step.why) == ("proved", "derived before")
    assert step.verdict.detail.startswith("substituted: tau (derived tests/test_derivations.py:")
    assert Derivation.start(waste).last.verdict.name == "assumed"


# ---------------------------------------------------------------- steps that do not


def test_first_line_of_two_dimensions_is_refused():
    with expect_error(DimensionError, got="dimensionless", expected="of dimension time"):
        Derivation.start(tau, C / M, "wrong")


@pytest.mark.parametrize("why", ["", "  "])
def test_step_without_a_reason_is_refused(why):
    with expect_error(StepError, code="no-reason"):
        loss.rewrite(tau / 2, why)


def test_symbol_that_does_not_occur_cannot_be_substituted():
    with expect_error(StepError, code="nothing-to-substitute", got="M"):
        loss.apply(cluster, "as if it were there")


def test_wrong_root_of_a_balance_is_refused():
    begun = Derivation.balance(C / tau, tau / (2 * M), "both equal")
    with expect_error(Refuted, "`2*C*M/tau` is no root", code="refuted"):
        assert begun.solve_for(tau, 2 * C * M / tau, "circular").last.verdict


def test_wrong_curvature_is_refused():
    with expect_error(Refuted, hint="the second is 0.5 times the first everywhere"):
        assert known.curvature(C / tau**3, "positive").last.verdict


def test_maximum_is_no_minimum():
    hill = Formula(w, C / tau - C**2 / tau**2)
    begun = Derivation.minimise(hill, over=tau, why="where is it flat?").root(2 * C, "the slope is zero")
    with expect_error(Refuted, expected="a positive value"):
        assert begun.curvature(2 * C / tau**3 - 6 * C**2 / tau**4, "claimed").last.verdict


def test_flat_point_without_curvature_is_no_optimum():
    with expect_error(DeclarationError, code="missing", expected=".curvature"):
        known.formula()


@pytest.mark.parametrize("name", ["slope", "root", "curvature"])
def test_step_of_a_minimum_needs_something_to_minimise(name):
    with expect_error(DeclarationError, f".{name}(…)", code="inconsistent", expected="Derivation.minimise"):
        getattr(loss, name)(tau, "wrong")


def test_series_of_another_equation_is_refused():
    start = Derivation.balance(y + log(1 - y), -(q**2) / 2, "the condition of the optimum")
    with expect_error(Refuted, "is not"):
        assert start.series(lambda r: r - q, q, "of another equation", small=q, order=4, left=y).last.verdict


def test_series_with_a_wrong_coefficient_is_refused_at_its_power():
    start = Derivation.balance(y + log(1 - y), -(q**2) / 2, "the condition of the optimum")
    slip = start.series(lambda r: log(1 - r) + r + q**2 / 2, q - q**2 / 4, "a slip", small=q, order=4, left=y)
    with pytest.raises(Refuted, match=r"fails at .*q\*\*3.*, below q\*\*4"):
        assert slip.last.verdict


def test_approximation_beyond_its_bound_is_refused_with_the_worst_point():
    chance = Derivation.start(w, 1 - exp(-t / M), "model")
    region = {t: ("1 s", "6 min"), M: ("1 h", "1 d")}
    with expect_error(Refuted, "at M = 3,600 s, t = 360 s", got="0.0508", expected="at most 1/50"):
        assert chance.approximate(t / M, "short", within="1/50", region=region).last.verdict


def test_display_form_must_equal_the_computed_form():
    third = sympy.Mul(tau, Rational(1, 3), evaluate=False)
    with expect_error(Refuted, "is not"):
        assert loss.rewrite(tau / 2, "integrate", display_form=third).last.verdict


def test_derivation_that_ends_in_no_symbol_gives_no_formula():
    with expect_error(DeclarationError, code="missing", expected="a Variable"):
        Derivation.balance(C / tau, tau / (2 * M), "both equal").formula()


# ---------------------------------------------------------------- what is put in


def test_bare_expression_is_the_choice_of_the_author():
    verdict = Derivation.start(waste).apply({tau: 2 * C}, "say").last.verdict
    assert (verdict.name, verdict.detail) == ("assumed", "chosen by the author")


def test_model_that_is_put_in_stays_an_assumption_in_any_form():
    reason = "of the cluster"
    plain = Derivation.start(interval).apply(cluster, reason).last.verdict
    other = Derivation.start(Formula(x, m / (M * N))).apply({m: M * N}, reason, justified_by=cluster).last.verdict
    assert (plain.name, plain.detail) == ("assumed", "substituted: M (model, sample_formulas.cluster)")
    assert (other.name, other.detail.partition(";")[0]) == (
        "assumed",
        "another form of M (model, sample_formulas.cluster)",
    )


def test_derived_formula_passes_on_the_weakest_of_its_lines():
    chosen = Derivation.start(waste).apply({M: tau}, "say").rewrite((2 * C + tau) / (2 * tau), "one fraction").formula()
    assert chosen.kind == "derived"
    assert Derivation.start(chosen).last.verdict.name == "assumed"
    assert Derivation.start(x, 2 * w, "twice").apply(chosen, "put in").last.verdict.name == "assumed"
    rate = (
        Derivation.start(A, W / sympy.Max(W / P, V / b), "model").rewrite(sympy.Min(P, b * W / V), "smaller").formula()
    )
    assert Derivation.start(rate).last.verdict.name == "sampled"
    assert Derivation.start(Derivation.start(rate).formula()).last.verdict.name == "sampled"


def test_several_that_are_put_in_pass_on_the_one_that_claims_least():
    both = Derivation.start(x, tau / M, "ratio").apply({tau: proof.formula(), M: cluster}, "both")
    assert (both.last.verdict.name, both.last.justification) == ("assumed", "model")
    assert both.formula().kind == "model"


def test_expression_among_formulas_makes_the_line_a_choice():
    mixed = Derivation.start(x, tau / M, "ratio").apply({tau: proof.formula(), M: 2 * C}, "both")
    assert mixed.last.verdict.detail == "chosen by the author"


def test_chain_of_assumptions_alone_is_what_it_is_made_of():
    assert Derivation.start(x, tau / M, "ratio").apply({M: C}, "say").formula().kind == "model"
    assert Derivation.start(x, tau / M, "ratio").formula().kind == "definition"
    assert Derivation.start(duration).formula().kind == "definition"
    assert Derivation.start(x, tau / M, "ratio").apply(cluster, "all").formula().kind == "model"


def test_formula_may_not_be_called_derived_where_no_line_was_checked():
    with expect_error(DeclarationError, code="inconsistent", got="derived", expected="model"):
        Derivation.start(x, tau / M, "ratio").apply({M: C}, "say").formula(kind="derived")


def test_symbol_is_substituted_on_both_sides_of_a_balance():
    found = Derivation.balance(2 * V / b, C + V / b, "equal times").apply({V: b * d}, "so", justified_by=duration)
    assert (found.last.left, found.last.right) == (2 * d, C + d)
    crossing = found.solve_for(d, C, "once is left")
    assert (crossing.last.verdict.name, crossing.formula().lhs) == ("proved", d)


def test_root_of_a_balance_may_have_a_symbol_of_its_own():
    best = Variable("tau_Y", "s", "Young's interval")
    found = Derivation.balance(C / tau, tau / (2 * M), "equal").solve_for(tau, sqrt(2 * C * M), "root", as_symbol=best)
    assert (found.last.verdict.name, found.formula().lhs) == ("proved", best)


@pytest.mark.parametrize(
    ("known", "because"),
    [({M: 2 * C}, interval), ({C: tau**2 / M}, proof.formula()), ({V: 2 * b * d}, duration)],
    ids=["model", "derived", "definition"],
)
def test_what_a_formula_does_not_say_is_refuted(known, because):
    start = Derivation.start(w, C / tau + tau / M + V / (b * d), "all letters")
    with expect_error(Refuted, "is not"):
        assert start.apply(known, "wrong", justified_by=because).last.verdict


@pytest.mark.parametrize("known", [{V: b * d, b: V / d}, {tau: 2 * C}, {d: V / b}], ids=["two", "none", "own"])
def test_formula_is_solved_for_one_of_its_symbols_alone(known):
    start = Derivation.start(w, C / tau + tau / M + V / (b * d), "all letters")
    with expect_error(StepError, "d (definition,", code="nothing-to-substitute", expected="one variable of"):
        start.apply(known, "wrong", justified_by=duration)


def test_claim_that_cannot_be_checked_is_not_called_wrong():
    begun = Derivation.start(x, sympy.Max(q, Rational(1, 100_000)), "a floor that no point reaches")
    with expect_error(StepError, "branch", code="not-judged", place=False) as caught:
        assert begun.rewrite(q, "leave the floor out").last.verdict
    assert not isinstance(caught.raised, Refuted)


def test_wrong_line_can_be_declared_and_is_an_issue_when_asked():
    wrong = loss.rewrite(tau / 3, "a slip").rewrite(tau / 4, "and another")
    place = wrong.last.where.rpartition(":")[0]
    found = list(wrong.issues())
    assert len(found) == 2 and all(text.startswith(f"{place}:") and "is not" in text for text in found)
    assert wrong.formula().kind == "derived"  # what rests on it is as wrong as the line itself
    with pytest.raises(Refuted):
        assert Derivation.start(wrong.formula()).last.verdict


# ---------------------------------------------------------------- the chain


def test_each_step_makes_a_longer_derivation_and_leaves_the_old_one():
    longer = loss.rewrite(tau / 2, "integrate")
    assert (len(loss.steps), len(longer.steps)) == (1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        loss.steps = ()


def test_each_step_knows_its_own_line():
    lines = [int(step.where.rsplit(":", 1)[1]) for step in proof.steps]
    assert lines == sorted(lines) and len(set(lines)) == 3
    assert all(step.where.startswith("tests/test_derivations.py:") for step in proof.steps)


def test_formula_is_the_last_line_that_defines_a_symbol():
    found = proof.formula(assumptions="small writes")
    assert (found.lhs, found.rhs, found.kind, found.assumptions) == (tau, interval.rhs, "derived", ("small writes",))
    assert found.derivation is proof


def test_optimum_may_have_a_symbol_of_its_own():
    best = Variable("tau_Y", "s", "Young's interval")
    derivation = least.root(sqrt(2 * C * M), "the root", as_symbol=best).curvature(2 * C / tau**3, "positive")
    assert derivation.formula().lhs == best


def test_lines_print_with_their_relation():
    assert proof.last.latex().endswith("> 0")
    assert r"\approx" in Derivation.start(w, 1 - exp(-t / M), "model").assume(t / M, "short").last.latex()


def test_formula_from_an_approximation_says_so():
    found = Derivation.start(w, 1 - exp(-t / M), "model").assume(t / M, "short").formula()
    assert found.latex() == r"w \approx \frac{t}{M}"


def test_two_branches_are_compared_by_points_on_each():
    step = (
        Derivation.start(A, W / sympy.Max(W / P, V / b), "model").rewrite(sympy.Min(P, b * W / V), "smaller rate").last
    )
    assert step.verdict.name == "sampled"


def test_symbols_with_units_that_are_not_coherent_are_sampled_in_one_system():
    found = Derivation.start(interval).apply(cluster, "any device stops the job").formula()
    assert found.at(C="2 min", m="50000 gpu h", N="4096 gpu").m_as("min") == pytest.approx(54.126588, rel=1e-7)
    assert found.solve_for("m").at(tau="54.126588 min", C="2 min", N="4096 gpu").m_as("gpu h") == pytest.approx(
        50000, rel=1e-6
    )
