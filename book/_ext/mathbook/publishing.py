"""Files of the site besides its pages: error page 404, redirect at the root, site map, feed, offline worker.

The address of the site is the configuration value `html_baseurl` or the environment's `BOOK_ADDRESS`; the repository of
its sources is `mathbook_repository` or `BOOK_REPOSITORY`. Files that need one of them are left out without it.
"""

import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urljoin

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from mathbook.feed import SCHEME, atom_feed
from mathbook.folders import write_text
from mathbook.frame import book_version, has_own_theme
from mathbook.issues import Issue, log_issue
from mathcore.types import AnyDict, JsonObject

WORKER = Path(__file__).with_name("worker.js")
NOT_OFFLINE = {"_downloads", "live"}  # not stored offline: downloads and Pyodide
# copied by extensions, loaded by no page of this theme
UNUSED_ASSETS = ("mystnb.*.css", "sphinx-design.min.css", "design-tabs.js", "pygments.css")


def site_url() -> str:
    """Return the address of the published site, with a slash at its end, or an empty text."""
    given = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    return f"{given}/" if given else ""


def setup(app: Sphinx) -> None:
    """Register the configuration value, and connect to the end of a build."""
    app.add_config_value("mathbook_repository", os.environ.get("BOOK_REPOSITORY", ""), "html")
    app.add_config_value("mathbook_feed", SCHEME, "html", str)  # begins every identifier in the feed, for good
    app.connect("config-inited", _configure)
    app.connect("html-collect-pages", _special_pages)
    app.connect("html-page-context", _page_context, priority=450)
    app.connect("build-finished", _finish_site, priority=900)  # after all other handlers


def _configure(app: Sphinx, config: Config) -> None:
    if not has_own_theme(app):
        return
    config.html_baseurl = config.html_baseurl or site_url()


def _special_pages(app: Sphinx) -> Iterator[tuple[str, AnyDict, str]]:
    """Yield the error page 404 and, if the first page is not at the root, a redirect to it."""
    if not has_own_theme(app):
        return
    yield "404", {"title": "No page here", "mc_base": app.config.html_baseurl or "/"}, "404.html"
    if app.config.root_doc != "index":
        yield "index", {"title": app.env.titles[app.config.root_doc].astext()}, "redirect.html"


def _page_context(app: Sphinx, pagename: str, template: str, context: AnyDict, doctree: nodes.document | None) -> None:
    context["mc_repository"] = app.config.mathbook_repository


def _finish_site(app: Sphinx, failed: Exception | None) -> None:
    """Write the files that depend on all pages; warn of each page that loads a resource from another host."""
    if failed or app.builder.name != "html" or not has_own_theme(app):
        return
    site = Path(app.outdir)
    for path in [path for name in UNUSED_ASSETS for path in (site / "_static").glob(name)]:
        path.unlink()
    pages = sorted(app.builder.get_target_uri(doc) for doc in app.env.found_docs)
    for page in pages:
        for url in external_resources((site / page).read_text("utf-8")):
            log_issue(Issue(page, 0, f"it loads {url}", "put a copy into book/_static"), "host")
    _write_site_files(site, app.config, Path(app.srcdir), pages)


def _write_site_files(site: Path, config: Config, source: Path, pages: list[str]) -> None:
    home, first = config.html_baseurl, f"{config.root_doc}.html"
    manifest_text = web_manifest(config.html_title, config.html_short_title, first)
    write_text(site / "manifest.webmanifest", json.dumps(manifest_text, indent=1))
    changes = source / "CHANGELOG.md"
    log = changes.read_text("utf-8") if changes.exists() else ""
    write_text(site / "changes.xml", atom_feed(log, home, config.html_title, first, config.mathbook_feed))
    if home:
        write_text(site / "sitemap.xml", sitemap(pages, home))
        write_text(site / "robots.txt", f"User-agent: *\nAllow: /\nSitemap: {home}sitemap.xml\n")
    write_text(site / "worker.js", service_worker(site))


def external_resources(text: str) -> list[str]:
    """Return the URLs on other hosts from which a page would load a resource.

    >>> external_resources('<img src="https://a.example/b.png"><link rel="canonical" href="https://c.example/">')
    ['https://a.example/b.png']
    """
    matches = re.finditer(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="((?:https?:)?//[^"]+)"', text)
    return [each[1] for each in matches if 'rel="canonical"' not in each[0]]


def web_manifest(title: str, short: str, first: str) -> JsonObject:
    """Return the web app manifest of a book with this title that opens at its first page."""
    icon = {"src": "_static/favicon.svg", "sizes": "any", "type": "image/svg+xml"}
    return {
        "name": title, "short_name": short, "start_url": first, "scope": "./",
        "display": "minimal-ui", "background_color": "#fffdf9", "theme_color": "#fffdf9", "icons": [icon],
    }  # fmt: skip


def sitemap(pages: Iterable[str], home: str) -> str:
    """Return the site map for search engines.

    >>> print(sitemap(["book/index.html"], "https://a.example/"))
    <?xml version="1.0" encoding="utf-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://a.example/book/index.html</loc></url>
    </urlset>
    """
    places = "\n".join(f"<url><loc>{html.escape(urljoin(home, page))}</loc></url>" for page in pages)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{head}\n{places}\n</urlset>"


def _is_kept_offline(path: Path) -> bool:
    """Return whether a file of the site is stored offline: not hidden, and used by pages."""
    return path.name not in ("worker.js", "robots.txt") and not any(part.startswith(".") for part in path.parts)


def service_worker(site: Path) -> str:
    """Return the service worker that keeps the book for offline use, with the list of its files and their hash."""
    offline_files = [
        path for path in sorted(site.rglob("*")) if path.is_file() and _is_kept_offline(path.relative_to(site))
    ]
    digest = hashlib.sha256()
    for path in offline_files:
        digest.update(path.read_bytes())
    names = [path.relative_to(site) for path in offline_files]
    files = [name.as_posix() for name in names if NOT_OFFLINE.isdisjoint(name.parts)]
    name = json.dumps(f"{book_version()}-{digest.hexdigest()[:12]}")
    return f"const VERSION = {name};\nconst FILES = {json.dumps(files)};\n" + WORKER.read_text("utf-8")
