"""One statement and all that is made of it: what the book promises, drawn for its first formula."""

from mathbook.schematics.drawings import Drawing, drawing, said

FORMULA, EXAMPLE = "ground_rules.transfer", "ground_rules.move"
FACT, EXERCISE = "ground_rules.port", "ground_rules.ex_transfer"


def ends(read):
    """Return what goes into the statement and what comes out of it, as `(name, words)` each."""
    formula, exercise = read.formula(FORMULA), read.formula(EXERCISE)
    fact = read.formula(FACT)
    slips = len(exercise.mistakes)
    given = (
        ("letters", ", ".join(f"{v.name} in {v.unit}" for v in (formula.lhs, *formula.inputs))),
        ("a fact, dated", f"{said(fact.value, None, 1)}, {fact.date}"),
        ("steps, judged", "each with its verdict"),
    )
    made = (
        ("the equation", f"{formula.lhs.name} = {formula.rhs}"),
        ("Python", formula.python().strip().splitlines()[-1].strip()),
        ("JavaScript", formula.javascript().partition("{")[2].rpartition("}")[0].strip()),
        ("a worked example", said(read(EXAMPLE))),
        ("sliders, curves", "within the stated range"),
        ("an exercise's key", f"and {slips} slips, told apart"),
    )
    return given, made


@drawing("one-statement")
def one_statement(read):
    """Draw what a formula is made of, and what is made of it."""
    formula, (given, made) = read.formula(FORMULA), ends(read)
    core = f"{formula.lhs.name} = {formula.rhs}"
    listed = ", ".join(f"{name} ({words})" for name, words in made)
    return Drawing(
        title="One statement, and all that is made of it",
        told=(
            f"The formula {core} is stated once. Into it go {', '.join(f'{name} ({words})' for name, words in given)}. "
            f"Out of it come {listed}."
        ),
        draw=lambda paper: (_below if paper.narrow else _beside)(paper, core, given, made),
        columns=("", "what", "here"),
        rows=tuple([way, *each] for way, group in (("goes in", given), ("comes out", made)) for each in group),
        values={"given": given, "made": made},
    )


def _box(paper, x, y, wide, entry, kind, shade="faint"):
    paper.box(x, y, wide, 40, kind, shade, 6)
    paper.text(x + 10, y + 17, entry[0], 12.5, bold=True, room=wide - 14)
    paper.text(x + 10, y + 33, entry[1], 12, tone="quiet", room=wide - 14)


def _beside(paper, core, given, made):
    """Draw from left to right."""
    wide, step, middle = 196, 50, 150
    for index, entry in enumerate(given):
        y = middle - 20 + (index - 1) * step * 1.6
        _box(paper, 2, y, wide, entry, "plain")
        paper.arrow(2 + wide + 2, y + 20, 284, middle + (index - 1) * 10, "plain")
    paper.box(288, middle - 34, 132, 68, "time", "full", 8)
    paper.text(354, middle - 6, core, 20, "middle", "on", True)
    paper.text(354, middle + 18, "stated once", 12.5, "middle", "on")
    for index, entry in enumerate(made):
        y = middle - 20 + (index - 2.5) * step
        paper.arrow(424, middle + (index - 2.5) * 8, 516, y + 20, "time")
        _box(paper, 520, y, wide + 2, entry, "time")


def _below(paper, core, given, made):
    """Draw from above to below."""
    for index, entry in enumerate(given):
        _box(paper, 2, 2 + index * 46, paper.width - 4, entry, "plain")
    middle = paper.width / 2
    paper.arrow(middle, 140, middle, 160, "plain", "bold")
    paper.box(middle - 80, 164, 160, 62, "time", "full", 8)
    paper.text(middle, 190, core, 20, "middle", "on", True)
    paper.text(middle, 212, "stated once", 12.5, "middle", "on")
    paper.arrow(middle, 228, middle, 248, "time", "bold")
    half = (paper.width - 12) / 2
    for index, entry in enumerate(made):
        _box(paper, 2 + index % 2 * (half + 8), 254 + index // 2 * 46, half, entry, "time")
