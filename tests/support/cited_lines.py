"""Writes what the quotations of the audited claims are looked up in, from the documents themselves.

    python tests/support/cited_lines.py FOLDER

The documents are other people's and are not in this repository. For each line that a claim cites, the sheets in
`tests/data/cited` keep its number, a digest of its words, the numbers that stand in it, and digests of its
pairs of neighbouring words: enough to look a quotation up, word by word, and too little to read the line.
"""

import csv
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHEETS = ROOT / "tests" / "data" / "cited"
TITLES = {  # by which a document is known
    "claims.checkpoint_reckoning": "LAB 07: THE CHECKPOINT RECKONING",
    "claims.foundations": 'title: "Mathematical Foundations"',
    "claims.scale_illusion": "LAB V2-01: THE SCALE ILLUSION",
    "claims.full_stack_audit": 'title: "Full-Stack Audit: LLaMA-70B Training"',
    "claims.crash_proofing": "Fault Tolerance: The Art of Crash-Proofing",
}
TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^\W\d_]+|[%×$°≈~<>≥≤]")
CODE = re.compile(r'^\s*f(?=")')  # the mark of a Python text
COLUMNS = ["line", "digest", "numbers", "pairs"]


def tokens(text):
    """Return the words, numbers and signs of a text.

    >>> tokens("fails every ~44 minutes (16,384 GPUs)")
    ['fails', 'every', '~', '44', 'minutes', '16,384', 'GPUs']
    """
    return TOKEN.findall(CODE.sub("", text))


def ranges(lines):
    """Return the cited lines as pairs of first and last.

    >>> ranges("111, 206-207")
    [(111, 111), (206, 207)]
    """
    parts = [part.strip().partition("-") for part in lines.split(",")]
    return [(int(first), int(last or first)) for first, _, last in parts]


def digest(text, size):
    return hashlib.sha256(f"cited line: {text}".encode()).hexdigest()[:size]


def pairs(words):
    """Return the digests of the neighbouring words, and of the single word where there is but one."""
    couples = [" ".join(words[i : i + 2]) for i in range(len(words) - 1)] or words
    return {digest(couple, 8) for couple in couples}


def sheet(document, cited):
    """Return the rows for the cited lines, numbers from 1, of a document, a list of lines."""
    rows = []
    for number in sorted(cited):
        words = tokens(document[number - 1])
        following = next((found[:1] for text in document[number : number + 12] if (found := tokens(text))), [])
        numbers = [word for word in words if word[0].isdigit()]
        digests = sorted(pairs(words + following)) if words else []
        rows.append([number, digest(" ".join(words), 16), " ".join(numbers), " ".join(digests)])
    return rows


def documents(folder):
    """Return the lines of the documents in a folder by the chapter that audits them."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.txt"))]
    return {name: text.split("\n") for name, title in TITLES.items() for text in texts if title in text}


def cited(name):
    """Return the numbers of the lines that the claims of a chapter cite."""
    text = (ROOT / "mathcore/chapters" / f"{name.replace('.', '/')}.claims.toml").read_text(encoding="utf-8")
    spans = [span for lines in re.findall(r'^lines = "([^"]*)"', text, re.M) for span in ranges(lines)]
    return {line for first, last in spans for line in range(first, last + 1)}


def main(folder):
    """Write the sheets."""
    SHEETS.mkdir(parents=True, exist_ok=True)
    for name, lines in documents(folder).items():
        with open(SHEETS / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *sheet(lines, cited(name))])


if __name__ == "__main__":
    main(sys.argv[1])
