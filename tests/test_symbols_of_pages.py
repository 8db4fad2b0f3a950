"""Protects what the first page promises: within a chapter a symbol has one meaning."""

import re
from collections import defaultdict

import pytest
from chapter_sources import PAGES, text_of
from docutils import nodes
from docutils.utils import new_document
from mathbook import symbol_lines
from mathbook.elements import HtmlElement, details, element, inline_math

from mathcore import Formula, Variable, library
from mathcore.teaching import Calculator

SHOWN = re.compile(r"^:{3,}\{mc:(?:statement|exercise|question)\}(.*)$|\{mc:symbol\}`([^`]*)`", re.MULTILINE)
ADDRESS = re.compile(r"[a-z]\w*\.\w+(?:\.\w+)?")
KNOWN = dict(library.current_library.walk())
STEP = "waiting as it enters the efficiency of a step, and as a part of that step"
ONE_QUANTITY = {  # (chapter, symbol): why two wordings of the symbol are the same quantity in that chapter
    ("audit", r"\eta"): "the scaling efficiency is the share of a step that is spent computing",
    ("audit", "b"): "the slack of the schedule is what the date leaves for failures",
    ("audit", r"t_{\mathrm{dp}}"): STEP,
    ("audit", r"t_{\mathrm{pp}}"): STEP,
    ("audit", r"t_{\mathrm{tp}}"): STEP,
    ("energy", r"m_{\mathrm{emb}}"): "a job's share of the making",
    ("fleet-checkpointing", "C"): "one checkpoint is written, to the store or by the whole fleet",
    ("fleet-checkpointing", "N"): "all devices of the job write",
    ("lab-scale-illusion", "N"): "all devices work on one job",
    ("operations", "R"): "a restart follows a failure and begins with a full checkpoint",
    ("parallelism", r"\eta"): "the scaling efficiency is the share of a step that is spent computing",
    ("parallelism", "d"): "the degree of data parallelism is the number of replicas",
    ("parallelism", "m"): "each replica works on the micro-batches of its step",
    ("parallelism", r"t_{\mathrm{dp}}"): STEP,
    ("parallelism", r"t_{\mathrm{pp}}"): STEP,
    ("parallelism", r"t_{\mathrm{tp}}"): STEP,
    ("parallelism", "w"): "the width of one element that is sent",
    ("resilience", "N"): "each rank is a process and writes",
    ("resilience", "R"): "a restart begins with a full checkpoint",
}


def symbols_of(statement):
    """Return the symbols with which a statement shows itself."""
    if isinstance(statement, Variable):
        return {statement}
    if isinstance(statement, Formula):
        return {statement.lhs, *statement.inputs}
    formulas = statement.formulas if isinstance(statement, Calculator) else [getattr(statement, "formula", None)]
    found = {v for formula in formulas if isinstance(formula, Formula) for v in symbols_of(formula)}
    for step in getattr(statement, "steps", ()):
        found |= {v for v in step.left.free_symbols | step.right.free_symbols if isinstance(v, Variable)}
    return found


def meanings(text, known=KNOWN):
    """Return `{LaTeX of a symbol: {what it means: where}}` for the symbols that a page shows in two meanings."""
    addresses = {address for parts in SHOWN.findall(text) for part in parts for address in ADDRESS.findall(part)}
    found = defaultdict(lambda: defaultdict(list))
    for address in sorted(addresses & known.keys()):
        for v in symbols_of(known[address]):
            found[v.tex][f"{v.meaning} [{v.unit}]"].append(address)
    return {tex: dict(places) for tex, places in found.items() if len(places) > 1}


@pytest.mark.parametrize("chapter", PAGES)
def test_symbol_has_one_meaning_in_a_chapter(chapter):
    found = meanings(text_of(chapter))
    ambiguous = {tex: each for tex, each in found.items() if (chapter, tex) not in ONE_QUANTITY}
    assert not ambiguous, f"give one of each its own LaTeX, tex=…: {ambiguous}"


def test_no_exception_outlives_its_symbols():
    found = {(chapter, tex) for chapter in PAGES for tex in meanings(text_of(chapter))}
    assert ONE_QUANTITY.keys() <= found


def test_symbol_with_two_meanings_is_found():
    time, tau = (Variable("t", "s", meaning) for meaning in ("time of a step", "time of the run"))
    known = {"a.t": time, "b.t": tau, "b.lost": tau}
    assert meanings("{mc:symbol}`a.t` and\n:::{mc:statement} b.t\n:::", known) == {
        "t": {"time of a step [s]": ["a.t"], "time of the run [s]": ["b.t"]}
    }
    assert meanings("{mc:symbol}`a.t` and {mc:value}`b.lost`", known) == {}


class Page:
    """A page that has just been read: the arguments of the listener to `doctree-read`."""

    def __init__(self, *blocks, docname="chapters/reliability/spares"):
        self.env = self
        self.docname = docname
        self.doctree = new_document("page")
        self.doctree.extend(blocks)

    def lines(self):
        """Return the lines of symbols that the page gets, as `[[TeX of a symbol, …], …]`."""
        symbol_lines._name_symbols(self, self.doctree)
        found = [node for node in self.doctree.findall(HtmlElement) if node["attrs"].get("class") == "mc-where"]
        return [[each.astext() for each in line.findall(nodes.math)] for line in found]


def formula_block(address):
    return element("div", "mc-formula", element("div", "mc-equation"), data_address=address)


def text(*symbols):
    return nodes.paragraph("", "", *map(inline_math, symbols))


MTBF = "reliability.mtbf_of_devices"  # M = m/N
FAILURE = "reliability.cluster_failure_probability"  # F = 1 - exp(-N t/m)
SLACK = "audit.deadline.slack"  # b = t_run - C (1 + sqrt(delta n/(2 m)))/(P n u)


def test_symbols_are_named_below_the_first_equation_that_uses_them():
    assert Page(formula_block(MTBF), formula_block(FAILURE)).lines() == [["m", "N"], ["t"]]
    assert Page(formula_block(SLACK)).lines() == [[r"t_{\mathrm{run}}", "C", r"\delta", "n", "m", "P", "u"]]


def test_line_omits_what_the_text_names():
    assert Page(text("N"), formula_block(MTBF)).lines() == [["m"]]
    assert Page(formula_block(MTBF), text("N", "m")).lines() == []
    assert Page(formula_block(MTBF), text(), text("N", "m")).lines() == [["m", "N"]]


def test_folded_text_and_other_symbols_name_nothing():
    assert Page(details("mc-more", "Symbols", text("N", "m")), formula_block(MTBF)).lines() == [["m", "N"]]
    fold = nodes.container("", formula_block(MTBF), design_component="dropdown")
    assert Page(fold, formula_block(FAILURE)).lines() == [["m", "N"], ["N", "t", "m"]]
    assert Page(text(r"N_{\mathrm{x}}", "Nt/m"), formula_block(MTBF)).lines() == [["m", "N"]]


def test_slides_explain_their_symbols_themselves():
    assert Page(formula_block(MTBF), docname="chapters/reliability/slides").lines() == []
