"""What the site has beside its pages: a page for the lost, a map for machines, a feed of changes, an offline copy.

Addresses of the web are known only where the site is published: the environment names them, `BOOK_ADDRESS` that
of the site and `BOOK_REPOSITORY` that of its sources. Without them what needs one is left out.
"""

import hashlib
import html
import json
import os
import re
from pathlib import Path
from urllib.parse import urljoin

from mathbook.feed import NAME, feed
from mathbook.folders import PROJECT
from mathbook.frame import version

WORKER = Path(__file__).with_name("worker.js")
HEAVY = {"_downloads", "live"}  # what is not kept offline with the pages: files to take away, and Python


def address():
    """Return the address of the published site, with a slash at its end, or an empty text."""
    given = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    return f"{given}/" if given else ""


def publish(site):
    """Write everything beside the pages of a finished site."""
    pages = sorted(path.relative_to(site).as_posix() for path in site.glob("book/**/*.html"))
    _write(site / "404.html", lost(site))
    _write(site / "manifest.webmanifest", json.dumps(manifest(), indent=1))
    _write(site / "changes.xml", feed((PROJECT / "CHANGELOG.md").read_text("utf-8"), address()))
    if address():
        _write(site / "sitemap.xml", sitemap(pages, address()))
        _write(site / "robots.txt", f"User-agent: *\nAllow: /\nSitemap: {address()}sitemap.xml\n")
    _write(site / "worker.js", worker(site))


def _write(path, text):
    path.write_text(text, "utf-8")


def lost(site):
    """Return the page for an address that leads nowhere: the page of the search, with words of its own.

    It may be shown at any depth, so a script puts its links right; without one it still says where to go.
    """
    text = (site / "search.html").read_text("utf-8")
    first = '<a href="book/index.html">first page</a>'
    said = f"<h1>There is no page here</h1><p>Its name may have changed. Search for it, or begin at the {first}.</p>"
    text = re.sub(r"<h1>Search</h1>", said, text).replace("<title>Search", "<title>No page here", 1)
    base = address() or "/"
    return text.replace("<head>", f'<head>\n  <base href="{base}" />\n  <meta name="robots" content="noindex" />', 1)


def manifest():
    """Return what a browser needs to keep the book as an app."""
    icon = {"src": "_static/favicon.svg", "sizes": "any", "type": "image/svg+xml"}
    return {
        "name": NAME, "short_name": "ML systems", "start_url": "book/index.html", "scope": "./",
        "display": "minimal-ui", "background_color": "#fffdf9", "theme_color": "#fffdf9", "icons": [icon],
    }  # fmt: skip


def sitemap(pages, home):
    """Return the addresses of all pages for machines that search.

    >>> print(sitemap(["book/index.html"], "https://a.example/"))
    <?xml version="1.0" encoding="utf-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://a.example/book/index.html</loc></url>
    </urlset>
    """
    places = "\n".join(f"<url><loc>{html.escape(urljoin(home, page))}</loc></url>" for page in pages)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{head}\n{places}\n</urlset>"


def worker(site):
    """Return the script that keeps the book offline, with the list of its files and their checksum."""
    kept = [path for path in sorted(site.rglob("*")) if path.is_file() and path.name not in ("worker.js", "robots.txt")]
    digest = hashlib.sha256()
    for path in kept:
        digest.update(path.read_bytes())
    files = [path.relative_to(site).as_posix() for path in kept if not HEAVY & set(path.parts)]
    name = json.dumps(f"{version()}-{digest.hexdigest()[:12]}")
    return f"const VERSION = {name};\nconst FILES = {json.dumps(files)};\n" + WORKER.read_text("utf-8")
