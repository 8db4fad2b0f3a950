"""The distinct variants of an exercise, for handouts and learning platforms."""

from mathcore.teaching.exercises import Exercise
from mathcore.units import Quantity

COUNT = 6


def variant_seeds(exercise: Exercise, count: int = COUNT) -> list[int]:
    """Return the seeds of the first variants with distinct inputs; seed 0 is the stated one.

    >>> from mathcore import Formula, Variable
    >>> from mathcore.teaching import Exercise
    >>> a, b = Variable("a", "s", "a time"), Variable("b", "s", "its double")
    >>> wrong = {"you halved": a / 2, "you tripled": 3 * a}
    >>> len(variant_seeds(Exercise(Formula(b, 2 * a), {a: "4 s"}, wrong, variants={a: ("2 s", "7 s")})))
    3
    """
    return exercise.distinct_seeds[:count]


def mistake_results(exercise: Exercise, seed: int) -> list[tuple[str, Quantity]]:
    """Return the result of each common mistake in a variant: `(label, quantity in the answer's unit)`."""
    unit = exercise.answer_of(seed).units
    formulas = exercise.wrong_formulas.items()
    return [(label, f.at(exercise.givens_of(seed, f)).to(unit)) for label, f in formulas]
