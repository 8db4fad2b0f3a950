"""Ledgers that cannot be, by the rule they break, and such as can: the page and `mathcore grade` judge them alike."""

import math

from mathcore import find

LAB = "lab_checkpoint_reckoning"
WHEN = "2026-03-01T09:00:00.000Z"
EARLIER = "2026-02-01T09:00:00.000Z"
OFTEN = find(f"{LAB}.often")
WORDS = [OFTEN.text(index)[0] for index in range(len(OFTEN.options))]


def commitment(**more):
    """Return a commitment in the lab's first context."""
    return {"context": "told", "says": "A: x", "right": True, "reason": "it seems so", "when": WHEN, **more}


# name: part, its commitments
REFUSED = {
    "words of another option": ("often", [commitment(choice=0, says=f"A: {WORDS[1]}")]),
    "no such option": ("often", [commitment(choice=9)]),
    "no such key": ("often", [commitment(choice=0, option="nothing")]),
    "no such context": ("often", [commitment(choice=0, context="moon")]),
    "a context that is a list": ("often", [commitment(choice=0, context=[])]),
    "a context that is a table": ("often", [commitment(choice=0, context={"told": 1})]),
    "a context that is null": ("often", [commitment(choice=0, context=None)]),
    "dates in reverse": ("often", [commitment(choice=0), commitment(choice=1, when=EARLIER)]),
    "a number off its slider": ("often", [commitment(choice=0, at={"C": 1e9})]),
    "a point off its slider": ("explorer", [commitment(at={"C": 4, "M": 8, "tau": 1e9})]),
    "another input of a point off its slider": ("explorer", [commitment(at={"C": 4e6, "M": 8, "tau": 60})]),
    "an input off its slider that its formula takes": ("explorer", [commitment(at={"C": 31, "M": 8, "tau": 60})]),
    "a point without its inputs": ("explorer", [commitment(at={"tau": 60})]),
    "a seed without end": ("guess_fleet", [commitment(answer="44 s", seed=math.inf)]),
    "an answer in no unit": ("guess_fleet", [commitment(answer="44 zebras")]),
}
ACCEPTED = {
    "words of its option": ("often", [commitment(choice=0, says=f"A: {WORDS[0]}")]),
    "words that were edited since": ("often", [commitment(choice=0, says="A: as it read before")]),
    "words without the letter of an option": ("often", [commitment(choice=0, says=f"-{WORDS[1]}")]),
    "dates in order": ("often", [commitment(choice=0, when=EARLIER), commitment(choice=1)]),
    "no context, as in the first version": ("often", [commitment(choice=0, context="")]),
    "a point on its slider": ("explorer", [commitment(at={"C": 4, "M": 8, "tau": 60})]),
    "an answer": ("guess_fleet", [commitment(answer="44 s")]),
}
IMPOSSIBLE_DATES = ("2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "yesterday")  # a file with one is not imported


def ledger(part, made):
    """Return a ledger of one part."""
    return {"version": 3, "entries": {f"{LAB}.{part}": {"kind": "x", "when": WHEN, "made": made}}}
