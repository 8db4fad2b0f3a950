"""One statement and all that is generated from it, drawn for the book's first formula."""

from mathbook.diagrams.registry import Diagram, as_text, diagram

FORMULA, EXAMPLE = "before_you_start.transfer", "before_you_start.move"
FACT, EXERCISE = "before_you_start.port", "before_you_start.ex_transfer"


def ends(read):
    """Return what goes into the statement and what comes out of it, as `(name, words)` each."""
    formula, exercise = read.formula(FORMULA), read.formula(EXERCISE)
    fact = read.formula(FACT)
    slips = len(exercise.mistakes)
    given = (
        ("symbols", ", ".join(f"{v.name} in {v.unit}" for v in (formula.lhs, *formula.inputs))),
        ("a fact, dated", f"{as_text(fact.value, None, 1)}, {fact.date}"),
        ("steps, checked", "each with its verdict"),
    )
    made = (
        ("the equation", f"{formula.lhs.name} = {formula.rhs}"),
        ("Python", formula.python().strip().splitlines()[-1].strip()),
        ("JavaScript", formula.javascript().partition("{")[2].rpartition("}")[0].strip()),
        ("a worked example", as_text(read(EXAMPLE))),
        ("sliders, curves", "within the stated range"),
        ("an exercise's key", f"and {slips} slips, told apart"),
    )
    return given, made


@diagram("one-statement")
def one_statement(read):
    """Draw what a formula is made of, and what is made of it."""
    formula, (given, made) = read.formula(FORMULA), ends(read)
    core = f"{formula.lhs.name} = {formula.rhs}"
    listed = ", ".join(f"{name} ({words})" for name, words in made)
    return Diagram(
        title="One statement, and all that is made of it",
        description=(
            f"The formula {core} is stated once. Into it go {', '.join(f'{name} ({words})' for name, words in given)}. "
            f"Out of it come {listed}."
        ),
        draw=lambda canvas: (_below if canvas.narrow else _beside)(canvas, core, given, made),
        columns=("", "what", "here"),
        rows=tuple([way, *each] for way, group in (("goes in", given), ("comes out", made)) for each in group),
        values={"given": given, "made": made},
    )


def _box(canvas, x, y, wide, entry, kind, shade="faint"):
    canvas.rect(x, y, wide, 40, kind, shade, 6)
    canvas.text(x + 10, y + 17, entry[0], 12.5, bold=True, room=wide - 14)
    canvas.text(x + 10, y + 33, entry[1], 12, tone="quiet", room=wide - 14)


def _beside(canvas, core, given, made):
    """Draw from left to right."""
    wide, step, middle = 196, 50, 150
    for index, entry in enumerate(given):
        y = middle - 20 + (index - 1) * step * 1.6
        _box(canvas, 2, y, wide, entry, "plain")
        canvas.arrow(2 + wide + 2, y + 20, 284, middle + (index - 1) * 10, "plain")
    canvas.rect(288, middle - 34, 132, 68, "time", "full", 8)
    canvas.text(354, middle - 6, core, 20, "middle", "on", True)
    canvas.text(354, middle + 18, "stated once", 12.5, "middle", "on")
    for index, entry in enumerate(made):
        y = middle - 20 + (index - 2.5) * step
        canvas.arrow(424, middle + (index - 2.5) * 8, 516, y + 20, "time")
        _box(canvas, 520, y, wide + 2, entry, "time")


def _below(canvas, core, given, made):
    """Draw from above to below."""
    for index, entry in enumerate(given):
        _box(canvas, 2, 2 + index * 46, canvas.width - 4, entry, "plain")
    middle = canvas.width / 2
    canvas.arrow(middle, 140, middle, 160, "plain", "bold")
    canvas.rect(middle - 80, 164, 160, 62, "time", "full", 8)
    canvas.text(middle, 190, core, 20, "middle", "on", True)
    canvas.text(middle, 212, "stated once", 12.5, "middle", "on")
    canvas.arrow(middle, 228, middle, 248, "time", "bold")
    half = (canvas.width - 12) / 2
    for index, entry in enumerate(made):
        _box(canvas, 2 + index % 2 * (half + 8), 254 + index // 2 * 46, half, entry, "time")
