"""Where the built site lies, and its pages: shared by the tests that look at it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
PAGES = sorted(p.relative_to(SITE).as_posix() for p in (SITE / "book").rglob("*.html") if "_static" not in p.parts)
