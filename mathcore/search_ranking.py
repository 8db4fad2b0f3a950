"""Rank statements by how well they answer some words: terms of the field first, then words by how rare they are.

A query that contains a whole term of the library's `terms.toml` (`"kv cache" = "serving.cache_per_token"`) means the
statement that the term names. Otherwise each word counts by its inverse document frequency and by where it stands: in
the name, the meaning, the symbol, the alias or the unit of a statement. `synonyms.toml` maps other words
for a thing to those of the library.
"""

import functools
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mathcore.types import AnyOf

# words that match too much, and scales of numbers
_STOPWORDS = """a an and are at be by can do does for from how i in is it many much my of on or our per should that the
    this to we what when which with thousand million billion trillion"""
STOPWORDS = frozenset(_STOPWORDS.split())
SUFFIXES = re.compile(r"(?<=\w{4})(?:ing|ed|es|s|e|y|ies)$|(?<=\w\w)s$")
WEIGHTS = {"symbol": 2.5, "name": 2.0, "alias": 2.0, "meaning": 1.5, "chapter": 1.0, "unit": 0.8}
KIND_WEIGHTS = {"Formula": 1.5, "Decision": 1.3, "Fact": 1.2, "Variable": 1.1, "Example": 0.9}
TERM_BONUS = 5.0  # above what words alone can reach, for a query that is a term
BEGUN = 0.6  # what the beginning of a word counts beside a whole one
NAMED = 1.3  # for a statement whose whole name was typed


def stemmed_words(text: object) -> list[str]:
    """Return the stems of the words of a text, in lower case, in American and British spelling alike.

    >>> stemmed_words("Sharding the GPUs' utilization")
    ['shard', 'the', 'gpu', 'utilisation']
    """
    plain = re.findall(r"[^\W_]+", re.sub("['’]s?", "", str(text).lower()))
    return [_stem(word) for word in plain]


@functools.cache
def _stem(word: str) -> str:
    return SUFFIXES.sub("", re.sub("iz(?=ation|e|ing)", "is", word)) or word


class Entry(NamedTuple):
    """A statement in an index: its address, the name of its class, the stems of its name, the length of its texts."""

    address: str
    kind: str
    name: list[str]
    length: int


def _searchable_parts(address: str, statement: AnyOf) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of a statement that contain words, with their stems."""
    head, _, last = address.rpartition(".")
    variable = getattr(statement, "lhs", statement)
    yield "name", stemmed_words(last)
    yield "chapter", stemmed_words(head)
    yield "meaning", stemmed_words(getattr(variable, "meaning", ""))
    if hasattr(variable, "tex"):
        yield "symbol", [variable.name.lower()]
        yield "alias", stemmed_words(" ".join(variable.aliases))
        yield "unit", [variable.display_unit.lower(), variable.unit.lower()]
    if variable is not statement:
        yield "meaning", stemmed_words(getattr(statement, "meaning", ""))


def _add_pairs(stems: list[str]) -> list[str]:
    """Return words, and each two neighbours as one, as some people write them: `allreduce`."""
    return stems + [a + b for a, b in itertools.pairwise(stems)]


class Index(NamedTuple):
    """The words of a library's statements, in the order of the library; JSON can store it.

    `weights` maps a word to `[[position of an entry that has it, …], [its weight there, …]]`.
    """

    entries: list[Entry]
    weights: dict[str, list[list]]

    @classmethod
    def of(cls, statements: Iterable[tuple[str, AnyOf]]) -> "Index":
        """Return the index of `(address, statement)` pairs."""
        entries: list[Entry] = []
        weights: dict[str, dict[int, float]] = {}
        for address, statement in statements:
            if address.endswith(".derivation"):
                continue
            length = 0
            for place, stems in _searchable_parts(address, statement):
                length += len(stems) * (place in ("name", "meaning"))
                for stem in _add_pairs(stems):
                    own = weights.setdefault(stem, {})
                    own[len(entries)] = max(own.get(len(entries), 0.0), WEIGHTS[place])
            entries.append(Entry(address, type(statement).__name__, stemmed_words(address.rpartition(".")[2]), length))
        return cls(entries, {word: [[*own], [*own.values()]] for word, own in weights.items()})


class Ranking:
    """An index of statements, to be ranked with the terms and the synonyms of their library."""

    def __init__(self, index: Index, terms: Mapping[str, str], synonyms: Mapping[str, str]) -> None:
        self.entries = index.entries
        self.weights = {word: dict(zip(*own, strict=True)) for word, own in index.weights.items()}
        self.terms = {tuple(stemmed_words(term)): addresses.split() for term, addresses in terms.items()}
        self.synonyms = {tuple(stemmed_words(phrase)): stemmed_words(here) for phrase, here in synonyms.items()}

    def scores(self, query: str) -> list[tuple[float, Entry]]:
        """Return the scores of the statements that match a query, in the order of the library."""
        typed = stemmed_words(query)
        named, plain, meant = self._term_bonus(typed), _significant(typed), _significant(self._replace_synonyms(typed))
        overlaps = self._overlaps(plain)
        if meant != plain:
            meanings = self._overlaps(meant)
            overlaps = {i: 0.5 * overlaps.get(i, 0.0) + meanings.get(i, 0.0) for i in {*overlaps, *meanings}}
        scored = []
        for position, entry in enumerate(self.entries):
            score = named.get(entry.address, 0.0)
            if overlap := overlaps.get(position):
                whole_name = {*plain}.issuperset(entry.name)
                kind = KIND_WEIGHTS.get(entry.kind, 0.7)
                score += overlap * kind * (NAMED if whole_name else 1.0) / (1 + 0.03 * entry.length)
            if score > 0:
                scored.append((score, entry))
        return scored

    def _term_bonus(self, typed: list[str]) -> dict[str, float]:
        """Return the bonus of the statements that a term in the query names, by address: more for a longer term."""
        bonuses: dict[str, float] = {}
        plain = _significant(typed)
        length = len(plain) or 1
        for term, addresses in self.terms.items():
            if _place_of(term, typed) or (len(_significant(term)) > 1 and _place_of(_significant(term), plain)):
                share = min(1.0, len(_significant(term)) / length)
                for rank, address in enumerate(addresses):
                    bonuses[address] = max(bonuses.get(address, 0.0), TERM_BONUS * share**2 * 0.95**rank)
        return bonuses

    def _replace_synonyms(self, typed: list[str]) -> list[str]:
        """Return the query with synonyms replaced by the words of the library, longest phrases first."""
        for phrase in sorted(self.synonyms, key=len, reverse=True):
            known, plain = phrase, _significant(phrase)
            if not _place_of(phrase, typed) and len(plain) > 1 and _place_of(plain, _significant(typed)):
                known, typed = tuple(plain), _significant(typed)  # "how often should we checkpoint"
            if place := _place_of(known, typed):
                typed = [*typed[: place - 1], *self.synonyms[phrase], *typed[place - 1 + len(known) :]]
        return typed

    def _overlaps(self, stems: list[str]) -> dict[int, float]:
        """Return the mean weight of words in each entry, less for each word that it has not, by position."""
        rarities = {stem: math.log(1 + len(self.entries) / (1 + len(self.weights.get(stem, ())))) for stem in stems}
        total, covered = defaultdict[int, float](float), defaultdict[int, float](float)
        for stem, rarity in rarities.items():
            for position, weight in self._matches(stem).items():
                total[position] += rarity * weight
                covered[position] += rarity
        whole = sum(rarities.values())
        return {i: total[i] / whole * (covered[i] / whole) ** 1.5 for i in total}

    def _matches(self, stem: str) -> dict[int, float]:
        """Return the weight of a word in each entry that has it, whole or as the beginning of another."""
        weights: dict[int, float] = {}
        for other in self.weights if len(stem) > 2 else ():
            if other.startswith(stem):
                for position, weight in self.weights[other].items():
                    weights[position] = max(weights.get(position, 0.0), BEGUN * weight)
        return weights | self.weights.get(stem, {})


def _significant(stems: Iterable[str]) -> list[str]:
    return [stem for stem in stems if stem not in STOPWORDS]


def _place_of(phrase: Sequence[str], typed: list[str]) -> int:
    """Return the position of a phrase in a query, counted from 1, or 0."""
    places = range(len(typed) - len(phrase) + 1)
    return next((i + 1 for i in places if typed[i : i + len(phrase)] == [*phrase]), 0)
