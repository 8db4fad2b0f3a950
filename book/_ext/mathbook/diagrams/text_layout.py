"""Estimated text widths and line breaks, so that a text is known to fit before any browser renders it.

The reader's font is not known. Widths are those of a wide humanist sans, so that an estimate is rather too
wide than too narrow; a test in a browser compares.
"""

EM_WIDTHS = {"narrow": 0.33, "thin": 0.42, "wide": 0.9, "capital": 0.73, "digit": 0.61, "usual": 0.6}
CHARACTER_CLASSES = {
    "narrow": "iljI.,;:!|'’·\u202f\u00a0 ",
    "thin": 'ftr()[]{}/-“”"*',
    "wide": "mwMWQ%@—→←↔⇄∑…",
    "capital": "ABCDEFGHJKLNOPRSTUVXYZ&",
    "digit": "0123456789+−=×≈<>$€",
}
WIDTHS = {sign: EM_WIDTHS[kind] for kind, signs in CHARACTER_CLASSES.items() for sign in signs}
BOLD = 1.14
ASCENT, DESCENT = 0.78, 0.22  # of the size, above and below the line that letters stand on


def text_width(text, size, bold=False):
    """Return about how wide a text of one line is, in the unit of its size.

    >>> round(text_width("ill", 10), 1), round(text_width("WWW", 10), 1)
    (9.9, 27.0)
    """
    return size * sum(WIDTHS.get(sign, EM_WIDTHS["usual"]) for sign in text) * (BOLD if bold else 1)


def wrap(text, room, size, bold=False):
    """Return a text as lines that are at most `room` wide, broken between words.

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
