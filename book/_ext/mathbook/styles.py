"""The style sheet of the site: hand-written sheets, concatenated and minified."""

import re
from pathlib import Path

QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')


def concatenate_sheets(*paths: Path) -> str:
    """Return the text of style sheets as one, minified."""
    return "".join(minify_css(path.read_text("utf-8")) for path in paths)


def minify_css(style: str) -> str:
    """Return a style sheet without comments and redundant white space; quoted text is unchanged.

    >>> minify_css("a { b: c;\\n  d: '; e:  f'; } /* g */")
    "a{b:c;d:'; e:  f';}"
    """
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    quoted = iter(QUOTED.findall(style))
    bare = re.sub(r"\s+", " ", QUOTED.sub('""', style))
    slim = re.sub(r"\s*([{};])\s*", r"\1", re.sub(r":\s+(?=[^{}]*[;}])", ":", bare))
    return re.sub('""', lambda _: next(quoted), slim).strip()
