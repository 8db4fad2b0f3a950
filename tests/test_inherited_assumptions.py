"""Protects conditions on their way: what a model assumes, all assume that is made of it; no page keeps silent."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from error_assertions import expect_error
from mathbook import formulas, visible_statements
from sample_formulas import C, M, N, P, W, d, m, tau, w
from sympy import sqrt

from mathcore import ArgumentError, Derivation, Formula, OutsideValidity, Variable, find, library
from mathcore.chapters.serving import FULL
from mathcore.commands.verification import check_statement, empty_counts

PAGES = visible_statements.addresses_on_pages()
LONG = (C <= M / 8, "far too short")
rule = Formula(tau, sqrt(2 * C * M), assumptions="restarts are free", domain=(C < M,), validity=(LONG,))
fleet = Formula(M, m / N, assumptions="failures are independent")
by_fleet = Derivation.start(rule).apply(fleet, "the mean of a fleet").formula(assumptions="no spares")
by_work = Derivation.start(by_fleet).apply({C: W / P}, "a write is work here").formula()


def derived_formulas():
    """Return all formulas of the book that were made of others."""
    return [each for _, each in library.current_library.walk() if isinstance(each, Formula) and each.sources]


def test_words_go_along_however_long_the_chain():
    assert by_fleet.conditions == ("no spares", "failures are independent", "restarts are free")
    assert by_work.inherited_assumptions == {
        "no spares": by_fleet,
        "failures are independent": fleet,
        "restarts are free": rule,
    }
    assert by_fleet.solve_for("m").conditions == by_fleet.conditions


def test_assumption_stated_twice_is_printed_once():
    named = rule.renamed({C: d})
    again = Derivation.start(named).apply(fleet, "the mean").formula(assumptions="restarts are free")
    assert named.conditions[0] == "restarts are free"
    assert again.conditions == ("restarts are free", "failures are independent")


def test_relations_are_inherited_while_their_symbols_remain():
    doubled = Derivation.start(w, 2 * tau / M, "two of them").apply(rule, "the rule").formula()
    assert (doubled.domain, doubled.validity) == ((C < M,), (LONG,))
    assert (by_fleet.domain, by_fleet.validity) == ((), ())  # M is gone
    with expect_error(ArgumentError, code="outside-domain", expected="C < M"):
        doubled.at(C="3 h", M="2 h")
    with pytest.warns(OutsideValidity, match="far too short"):
        doubled.at(C="1 h", M="2 h")


def test_stated_relation_replaces_the_inherited_one():
    stated = Derivation.start(w, tau / M, "one of them").apply(rule, "the rule").formula(domain=(), validity=())
    assert (stated.domain, stated.validity) == ((), ())
    assert stated.evaluate(C="3 h", M="2 h")[0].magnitude > 1


def test_what_is_lifted_is_not_handed_on():
    lifted = (
        Derivation.start(by_fleet)
        .apply({C: W / P}, "a write is work here")
        .formula(drops_assumptions="restarts are free")
    )
    assert lifted.conditions == ("no spares", "failures are independent")
    assert lifted.solve_for("m").conditions == lifted.conditions


def test_what_nothing_assumes_cannot_be_lifted():
    """A slip in the words would leave them standing in silence."""
    found = {"counts": empty_counts(), "issues": []}
    check_statement("tests.wrong", Derivation.start(by_fleet).formula(drops_assumptions="restarts are dear"), found)
    check_statement("tests.right", Derivation.start(by_fleet).formula(drops_assumptions="restarts are free"), found)
    [issue] = found["issues"]
    assert "drops `restarts are dear`, which no substituted formula assumes" in issue


def contradictions(formula):
    """Return the words that a formula inherits though it has a symbol for what they leave out."""
    meanings = " ".join(symbol.meaning for symbol in formula.inputs)
    left_out = {"restarts are free": "restart", "latency does not count": "latency", FULL: "bandwidth that is attained"}
    return [text for text, word in left_out.items() if text in formula.inherited_assumptions and word in meanings]


def test_no_formula_assumes_away_what_it_counts():
    assert {f.address: wrong for f in derived_formulas() if (wrong := contradictions(f))} == {}


def test_what_is_counted_and_assumed_away_is_found():
    R = Variable("R", "s", "time to restart")
    assert contradictions(Derivation.start(d, tau + R, "both").apply(rule, "the rule").formula()) == [
        "restarts are free"
    ]


@pytest.mark.parametrize(
    ("address", "given", "message"),
    [
        ("parallelism.layouts.case_memory", {"N": "64", "B": "128", "p": "16", "t": "8"}, "p · t ≤ N"),
        (
            "operations.partition_length",
            {"K_f": "1 min", "M_h": "1 h", "tau": "1 h", "u_p": "5 min", "C": "1 min", "R": "1 min"},
            "K_f · M_h",
        ),
        ("serving.queues.residual", {"lam": "2 /s", "t_s": "1 s", "c_v": "1"}, "< 1"),
    ],
)
def test_chain_of_the_book_refuses_what_its_links_refuse(address, given, message):
    """A layout of more ways than devices, a silence below none, a queue that grows: numbers came of them all."""
    formula = find(address)
    with expect_error(ArgumentError, code="outside-domain", expected=message):
        formula.at({v.name: given[v.name] for v in formula.inputs})


def test_cost_warns_where_its_waste_does():
    cost = find("audit.costs.run_cost")
    given = {"C": "4e25 FLOP", "c_h": "2 USD/(gpu h)", "P": "1 PFLOP/(gpu s)", "u": "40 %", "m": "20000 gpu h"}
    with pytest.warns(OutsideValidity):
        cost.at(**given, n="16000 gpu", delta="5 min")  # a failure each 75 minutes: sixteenths are waste


def restatements(formula):
    """Return the words that a formula states though it inherits them."""
    return [
        text
        for source in formula.sources
        for text in formula.assumptions
        if text in {*source.assumptions, *source.inherited_assumptions}
    ]


def test_nothing_is_stated_that_is_inherited():
    """A text that occurs twice would be changed once."""
    several = {
        "audit.levers.link_uncovered",
        "parallelism.layouts.tensor_parallel_time",
    }  # one name for several words, some of them new
    assert {f.address for f in derived_formulas() if restatements(f)} <= several


def test_words_stated_again_are_found():
    assert restatements(Derivation.start(rule).apply(fleet, "its mean").formula(assumptions="restarts are free"))


class FakeContext:
    """Writes into no page."""

    env = SimpleNamespace(temp_data={"mathbook:on_pages": PAGES})

    def inline(self, text, symbols=()):
        return [nodes.Text(text)]


def missing_on_page(formula):
    """Return the inherited assumptions that neither the formula nor its page states."""
    found = formulas.render_conditions(FakeContext(), formula)
    on_page = {node.astext() for node in found if isinstance(node, nodes.Text)}
    numbers = {node["reftarget"] for node in found if isinstance(node, nodes.Element) and "reftarget" in node}
    for source in formulas._visible_sources(formula, PAGES):
        if f"eq-{source.address.replace('.', '-').replace('_', '-')}" in numbers:
            on_page |= {*source.assumptions, *source.inherited_assumptions}
    return sorted(set(formula.inherited_assumptions) - on_page)


def test_every_page_states_what_its_formulas_inherit():
    assert {f.address: lost for f in derived_formulas() if f.address in PAGES and (lost := missing_on_page(f))} == {}


def test_assumption_missing_on_a_page_is_found(monkeypatch):
    monkeypatch.setattr(formulas, "equation_reference", lambda address: nodes.Text(""))
    assert missing_on_page(find("audit.costs.run_cost"))


def test_page_says_what_is_lifted_of_what_it_points_to():
    text = "".join(node.astext() for node in formulas.render_conditions(FakeContext(), find("audit.deadline.loss")))
    assert "the assumptions of " in text and text.endswith(", except that restarts are free")
