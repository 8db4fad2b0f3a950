"""Update the numbers of `book/artefacts` from the statements that their comments name: `make artefacts`.

A line such as `for: 444s  # = operations.first_for | s` gets the value of its address in the unit that is named. A
line with `<=` or `>=` holds a bound, which a person chooses; the tests compare both kinds.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mathcore import UnknownAddress, find, units  # noqa: E402
from practice.run.scaling import NUMBER, SOURCED  # noqa: E402

FOLDER = ROOT / "book" / "artefacts"


def computed(address, unit):
    """Return the value of a statement, or of a given of an example."""
    try:
        value = find(address).value
    except UnknownAddress:
        example, _, symbol = address.rpartition(".")
        value = next(q for v, q in find(example).givens.items() if v.name == symbol)
    return float(units.quantity(value).m_as(units.unit(unit or "")))


def renewed(text):
    """Return a file with the last number before each `# =` comment computed, in as many digits as it has."""
    return "".join(map(_line, text.splitlines(keepends=True)))


def _line(line):
    match = SOURCED.match(line.rstrip("\n"))
    if not match or match["sign"] != "=":
        return line
    *_, last = NUMBER.finditer(match["code"])
    digits = len(last[0].partition(".")[2])
    value = f"{computed(match['address'], match['unit']):.{digits}f}"
    return line[: last.start()] + value + line[last.end() :]


def main():
    """Write every file whose numbers have changed, and name it."""
    for file in sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.parent.name != "__pycache__"):
        text = file.read_text()
        new = renewed(text)
        if new != text:
            file.write_text(new)
            print(file.relative_to(ROOT))


if __name__ == "__main__":
    main()
