"""Parser for the answers that readers type, such as `$1.62 per million tokens` or `$23,200 per GPU`.

`mathcore.units` accepts one spelling of each quantity. Answers may also use the spellings that pages print and
people write. `tidy` and `readUnit` in `mc-core.js` accept the same ones in the browser.
"""

import re

from mathcore import units
from mathcore.errors import ArgumentError
from mathcore.units import Quantity

SCALES = {"thousand": "k", "million": "M", "billion": "G", "trillion": "T"}
POWERS = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12}
SCALE = "|".join(SCALES)
REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[\u2212\u2013]", "-"), (r"\s+", " "), (r"^[~≈=] ?", ""), (r"\*\*", "^"), (r"^([+-]?)10\^", r"\g<1>1·10^"),
        (r"^([+-]?)\$ ?([\d.,]+(?:e[+-]?\d+)?) ?((?:[kKMGT](?![A-Za-z])|(?:thous|mill|bill|trill)(?:and|ion)\b)?)",
         r"\1\2 \3 USD "),
        (rf"\b({SCALE}) tokens?\b", lambda match: f"{SCALES[match[1]]}token"),
        (rf"^([+-]?[\d.,]+) ?({SCALE}|[kKMGT](?![A-Za-z]))",
         lambda match: f"{match[1]}e{POWERS[SCALES.get(match[2], match[2])]}"),
        (r"\$", "USD"), (r"/ ?([A-Za-z]+)-([a-z]+)", r"/(\1 \2)"), (r"\b(GPU|device|kW|MW|W)s?-(?=[a-z])", r"\1 "),
        (r"\bper cent\b", "%"),
        (r"\b([kMGTP])b(?=/|$| )", r"\1bit"), (r"\b([kMGTPEZY]?)FLOPS\b", r"\1FLOP/s"), (r"\btoks?\b", "token"),
        (r"\bsecs\b", "s"), (r" ?\bper ([^/]*?)(?= ?(?:\bper\b|/|$))", r"/(\1)"),
    )
]  # fmt: skip


def parse_answer(text: str) -> Quantity:
    """Return the quantity that a reader typed.

    Raises: ArgumentError for a text that is not a quantity in any of the accepted spellings.

    >>> [f"{parse_answer(text):~}" for text in ("$1.62 per million tokens", "$23,200 per GPU", "44 min")]
    ['1.62 USD / Mtoken', '23200.0 USD / gpu', '44.0 min']
    >>> [f"{parse_answer(text):~}" for text in ("$6 million", "≈ 2 billion tokens", "$2 per GPU-hour", "3 per cent")]
    ['6000000.0 USD', '2.0 Gtoken', '2.0 USD / gpu / h', '3.0 percent']
    """
    try:
        return units.quantity(text, "the answer")
    except ArgumentError as error:
        rewritten = text.strip()
        for pattern, replacement in REWRITES:
            rewritten = pattern.sub(replacement, rewritten)
        try:
            return units.quantity(rewritten, "the answer")
        except ArgumentError:
            raise error from None  # which quotes the text as the reader typed it
