"""Holds the printed side of every audited claim to the text it quotes: its words, digits and unit, line by line.

A verdict cannot see a number that was copied wrongly: what is wrong already stays wrong.
"""

import csv
import functools
import math
import re
from dataclasses import replace

import pytest
from cited_lines import SHEETS, TITLES, pairs, ranges, tokens

from mathcore import DeclarationError, find
from mathcore.library import current_library
from mathcore.teaching import Claim
from mathcore.teaching.quoted_values import numbers_in_quote

# How texts write the unit that a claim calls by its symbol: any of these stands in the quotation.
SPELLED = {
    "min": r"min|\dm\b", "s": r"\bs\b|sec|\ds\b|TF|Gbps", "h": r"hours?|hrs?|HOURS|\bh\b|_H_", "d": "days?",
    "ms": "ms", "year": "years?|yr", "%": "%", "gpu": "GPUs?|H100s?|GPU", "B": r"bytes?|B\b", "kB": "KB",
    "MB": "MB", "GB": "GB|GBS", "TB": "TB", "Gbit": "Gb", "USD": r"\$|USD", "kUSD": r"\$|K", "MUSD": r"\$|M",
    "FLOP": "FLOP|TF|TFLOPS|M", "MFLOP": "M", "TFLOP": "TF|TFLOPs?|TFLOPS", "YFLOP": "FLOP", "GPU": "GPU",
    "token": "token|tokens|P|20x", "kg": "kg", "g": "g", "kWh": "kWh", "W": "W", "kW": "kW", "mon": "months?",
    "t": "t", "bit": "bit", "TiB": "TB", "GiB": "GB", "MWh": "MWh", "Ttoken": "tokens?",
}  # fmt: skip


def claims(name):
    return [each for _, each in current_library.statements(name) if isinstance(each, Claim)]


@functools.cache
def sheet(name):
    with open(SHEETS / f"{name}.csv", encoding="utf-8") as file:
        return {int(row["line"]): row for row in csv.DictReader(file)}


def missing_parts(name, quote, lines):
    """Return the parts of a quotation that the cited lines do not have."""
    spans = [[sheet(name)[n] for n in range(a, b + 1) if n in sheet(name)] for a, b in ranges(lines)]
    return [part for part in quote.split(" … ") if not any(_all_in(tokens(part), rows) for rows in spans)]


def _all_in(words, rows):
    """Return whether the words stand one after the other in a run of cited lines, their numbers in clear."""
    digests = {digest for row in rows for digest in row["pairs"].split()}
    numbers = {number for row in rows for number in row["numbers"].split()}
    return {w for w in words if w[0].isdigit()} <= numbers and (len(words) > 1 and pairs(words) <= digests)


@pytest.mark.parametrize("name", TITLES)
def test_every_claim_of_a_document_is_quoted(name):
    assert [each.address for each in claims(name) if not each.quote] == []


@pytest.mark.parametrize("name", TITLES)
def test_quotation_is_in_the_cited_lines(name):
    found = {each.address: missing_parts(name, each.quote, each.lines) for each in claims(name)}
    assert {address: parts for address, parts in found.items() if parts} == {}


def unspelled(claim):
    """Return the names in the printed unit that the quotation does not spell."""
    if claim.is_formula or not claim.printed:
        return set()
    names = set(re.findall("[A-Za-z%]+", re.sub(r"^\D*[\d.e+-]+", "", claim.printed)))
    return {x for x in names - {"gpu"} if not re.search(SPELLED.get(x, rf"\b{x}"), claim.quote)}


@pytest.mark.parametrize("name", TITLES)
def test_unit_is_in_the_quotation(name):
    found = {each.address: (each.printed, each.quote) for each in claims(name) if unspelled(each)}
    assert found == {}


# ---------------------------------------------------------------- what would be found


def mistyped_variants(printed):
    """Return the printed text with each of its digits mistyped in turn.

    >>> mistyped_variants("~44 min")
    ['~74 min', '~47 min']
    """
    found = [m.start() for m in re.finditer(r"\d", printed)]
    return [f"{printed[:i]}{(int(printed[i]) + 3) % 10}{printed[i + 1 :]}" for i in found]


def survives(claim, printed):
    """Return whether a wrong `printed` in the table would pass."""
    try:
        return not list(replace(claim, printed=printed, where="sample.toml:1").issues())
    except DeclarationError:
        return False


BRIEF = "claims.full_stack_audit"  # with which the fast set makes do


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == BRIEF else pytest.mark.exhaustive) for n in TITLES])
def test_no_mistyped_digit_of_a_claim_survives_though_it_is_wrong_already(name):
    faulty = [each for each in claims(name) if each.printed and each.verdict in ("wrong", "depends")]
    assert len(faulty) > 10
    assert [(c.address, x) for c in faulty for x in mistyped_variants(c.printed) if survives(c, x)] == []


@pytest.mark.parametrize(
    ("address", "quote", "lines"),
    [
        ("claims.checkpoint_reckoning.fleet_mtbf", "your cluster fails every 45 minutes on average", "111"),
        ("claims.checkpoint_reckoning.fleet_mtbf", "your cluster fails every 44 hours on average", "111"),
        ("claims.checkpoint_reckoning.fleet_mtbf", "your cluster fails every 44 minutes on average", "112"),
        ("claims.crash_proofing.total_with", "$2,485,504", "703"),
        ("claims.crash_proofing.checkpoint_size", r"\approx 1.12 \text{ TiB per checkpoint", "51"),
        ("claims.foundations.waste", r"\frac{\delta}{\tau}}_{\text{checkpoint writes}}", "1126"),
    ],
)
def test_misquotation_is_found(address, quote, lines):
    name = address.rpartition(".")[0]
    claim = find(address)
    assert missing_parts(name, claim.quote, claim.lines) == []
    assert missing_parts(name, quote, lines) == [quote]


def test_number_that_the_quotation_does_not_have_is_refused():
    with pytest.raises(DeclarationError, match="does not print 45"):
        replace(find("claims.checkpoint_reckoning.fleet_mtbf"), printed="45 min", where="sample.toml:1")


def test_number_that_the_program_does_not_print_is_an_issue():
    wrong = replace(find("claims.checkpoint_reckoning.net_efficiency"), printed="41.0 %", where="sample.toml:1")
    assert any("program gives 39.9" in issue or "program gives 40" in issue for issue in wrong.issues())


# ---------------------------------------------------------------- papers, whose texts are not at hand


def numbers_not_quoted(claim):
    """Return the printed numbers that the sentence about the claim does not have."""
    numbers = re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", claim.printed)
    scales = (1, 1e3, 1e6, 1e9)
    quoted = {number * scale for number in numbers_in_quote(claim.summary) for scale in scales}
    return [x for x in numbers if not any(abs(float(x) - each) <= 1e-9 * each for each in quoted)]


def test_number_of_a_paper_is_in_the_sentence_that_claims_it():
    assert {each.address: each.printed for each in claims("claims.papers") if numbers_not_quoted(each)} == {}


@pytest.mark.parametrize(("name", "printed"), [("daly_day", "171 min"), ("llama_gpu_share", "31.1 %")])
def test_mistyped_number_of_a_paper_is_found(name, printed):
    object.__setattr__(seeded := replace(find(f"claims.papers.{name}"), where="sample.toml:1"), "printed", printed)
    assert numbers_not_quoted(seeded) == re.findall(r"[\d.]+", printed)


@functools.cache
def looked_up():
    """Return the sheet of the papers: number, certainty and record by claim, typed from tables of published figures."""
    with open(SHEETS / "claims.papers.csv", encoding="utf-8") as file:
        return {row.pop("claim"): row for row in csv.DictReader(file)}


@functools.cache
def records():
    """Return the rows of published numbers that the book is held to, by their name."""
    with open(SHEETS.parent / "published.csv", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def numbers_of(record):
    """Return the numbers of a row, its inputs and what is expected, whatever power of ten its unit has."""
    found = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?", f"{record['computed']} {record['expected']}")
    return [float(x) * 10.0**power for x in found for power in range(-6, 25)]


def untraced(printed, record):
    """Return the printed numbers that the record does not have."""
    digits = re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", printed)
    return [x for x in digits if not any(math.isclose(float(x), y, rel_tol=1e-9) for y in numbers_of(record))]


def test_every_claim_of_a_paper_says_how_far_it_was_traced():
    found = {each.address.rpartition(".")[2]: each.certainty for each in claims("claims.papers")}
    assert found == {name: row["certainty"] for name, row in looked_up().items()}


def test_number_of_a_paper_is_the_one_that_was_looked_up():
    found = {each.address.rpartition(".")[2]: numbers_in_quote(each.printed) for each in claims("claims.papers")}
    assert found == {name: numbers_in_quote(row["number"]) for name, row in looked_up().items()}


def test_number_of_a_paper_is_in_the_published_record():
    with_record = {name: row for name, row in looked_up().items() if row["record"]}
    assert len(with_record) > 30
    assert {n: x for n, row in with_record.items() if (x := untraced(row["number"], records()[row["record"]]))} == {}


def test_number_that_a_record_does_not_have_is_found():
    assert untraced("118 min", records()["ckpt-daly-fig3"]) == ["118"]
