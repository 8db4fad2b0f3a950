"""Estimated text widths and line breaks, so that texts fit without asking a browser.

The reader's font is unknown: widths are those of a wide humanist sans, rather too wide than too narrow; a browser test
compares.
"""

EM_WIDTHS = {"narrow": 0.33, "thin": 0.42, "wide": 0.9, "capital": 0.73, "digit": 0.61, "usual": 0.6}
CHARACTER_CLASSES = {
    "narrow": "iljI.,;:!|'’·\u202f\u00a0 ", "thin": 'ftr()[]{}/-“”"*', "wide": "mwMWQ%@—→←↔⇄∑…",
    "capital": "ABCDEFGHJKLNOPRSTUVXYZ&", "digit": "0123456789+−=×≈<>$€"
}  # fmt: skip
WIDTHS = {sign: EM_WIDTHS[kind] for kind, signs in CHARACTER_CLASSES.items() for sign in signs}
BOLD = 1.14
ASCENT, DESCENT = 0.78, 0.22  # of the size, above and below the line that letters stand on


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the estimated width of a line of text, in the unit of its size.

    >>> round(text_width("ill", 10), 1), round(text_width("WWW", 10), 1)
    (9.9, 27.0)
    """
    return size * sum(WIDTHS.get(sign, EM_WIDTHS["usual"]) for sign in text) * (BOLD if bold else 1)


def wrap(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Return the lines of a text, at most `room` wide and broken between words.

    >>> wrap("one two three", 50, 12)
    ['one two', 'three']
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
