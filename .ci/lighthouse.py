"""Measure what pages weigh and how quickly they come: `make lighthouse`, or ARGS="young-daly serving/queues --runs 1".

Lighthouse, in the version named here and kept outside of the book's own packages, opens each page three times
as a slow phone on a slow network; the median counts. Bytes are those of a first visit, gzipped, without
plotly. From an event to paint: the time in which the event of a slider is handled, and that of the frame which
shows it, from its beginning until it is painted. A browser hands on at the beginning of a frame what a hand
does, so the wait for the beat of a screen is no part of it. A slider comes to each of forty places five times,
of which the median counts, as another program may have had its turn; and of the places counts the slow end
(95 %), at full speed and at a quarter of the processor. The rows go into `book/appendices/speed.csv`, which the
report shows.
"""

import argparse
import csv
import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
TABLE = ROOT / "book" / "appendices" / "speed.csv"
LIGHTHOUSE = "lighthouse@12.8.2"  # the last that runs on every Node the book runs on
LEADS_ON = b'<a id="mc-to"'  # in a page at a former address
KINDS = ("performance", "accessibility", "best-practices", "seo")
COLUMNS = ["page", *KINDS, "KB", "elements", "paint (ms)", "paint, slow (ms)"]
PAINTED = Path(__file__).with_name("slider_paint.js").read_text("utf-8")
PLACES, ROUNDS = 40, 5


class Gzipped(http.server.SimpleHTTPRequestHandler):
    """Serve the site as a host on the web does: text gzipped, files to be kept."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Print nothing."""

    def do_GET(self):
        """Send a file, gzipped unless it is so already."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        body, packed = _packed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)


@functools.cache
def _packed(path):
    body = path.read_bytes()
    text = path.suffix in (".html", ".css", ".js", ".svg", ".json", ".txt", ".xml")
    return (gzip.compress(body, 6), True) if text else (body, False)


def main():
    """Measure the pages asked for, and write their rows into the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="chapters or pages, such as young-daly serving/queues (default: all)")
    parser.add_argument("--runs", type=int, default=3, help="runs of Lighthouse a page (default: 3; 0: scores stay)")
    asked = parser.parse_args()
    current = {_name(page): page for page in sorted(SITE.glob("book/**/*.html")) if LEADS_ON not in page.read_bytes()}
    pages = {name: page for name, page in current.items() if not asked.pages or _is_asked(name, asked.pages)}
    if not pages:
        sys.exit(f"There is no page {' or '.join(asked.pages) or 'at all'} in {SITE}: run `make book`, or name one.")
    rows = {name: row for name, row in _known().items() if name in current}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Gzipped, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_address[1]}"
        for name, page in pages.items():
            known = {key: rows.get(name, {}).get(key, "") for key in (*KINDS, "elements")}
            rows[name] = measured(page, f"{home}/{page.relative_to(SITE).as_posix()}", asked.runs, known)
            print(name, *(rows[name][column] for column in COLUMNS[1:]), flush=True)
            _write(rows)
        server.shutdown()


def _name(page):
    """Return the name of a page in the table: its path in the book, without the ending."""
    return page.relative_to(SITE / "book").with_suffix("").as_posix()


def _is_asked(name, asked):
    """Return whether a page or one of its folders is among those asked for, by full name or by its last parts."""
    parts = name.split("/")
    wholes = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(f"/{whole}".endswith(f"/{each}") for each in asked for whole in wholes)


def measured(page, address, runs, known):
    """Return one row of the table, without the name of the page; what is `known` stays where nothing is run."""
    found = [lighthouse(address) for _ in range(runs)]
    if found:
        scores = {kind: round(100 * statistics.median(each[0][kind] for each in found)) for kind in KINDS}
        known = scores | {"elements": found[0][1]}
    fast, slow = painted(address) if "<mc-explorer" in page.read_text("utf-8") else ("", "")
    return known | {"KB": weight(page), "paint (ms)": fast, "paint, slow (ms)": slow}


def lighthouse(address):
    """Return the scores of one run by kind, and how many elements the page has."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = ["npx", "--yes", "--package", LIGHTHOUSE, "lighthouse", address, "--quiet", "--output=json"]
        command = [os.environ["LIGHTHOUSE"], *command[5:]] if "LIGHTHOUSE" in os.environ else command
        flags = "--chrome-flags=--headless=new --no-sandbox --disable-gpu"
        only = f"--only-categories={','.join(KINDS)}"
        env = os.environ | {"CHROME_PATH": shutil.which("chromium") or shutil.which("google-chrome") or ""}
        subprocess.run(
            [*command, f"--output-path={report}", only, flags], check=True, env=env, stderr=subprocess.DEVNULL
        )
        result = json.loads(report.read_text("utf-8"))
    elements = result["audits"]["dom-size-insight" if "dom-size-insight" in result["audits"] else "dom-size"]
    return {kind: result["categories"][kind]["score"] or 0 for kind in KINDS}, _elements(elements)


def _elements(audit):
    items = audit.get("details", {}).get("items", [])
    counts = [item["value"]["value"] for item in items if isinstance(item.get("value"), dict)]
    return max(counts, default=int(audit.get("numericValue", 0)))


def weight(page):
    """Return the kilobytes of a first visit."""
    from tests.support.page_weights import parts

    return round(sum(parts(page).values()) / 1000)


def painted(address):
    """Return the slow end of the times from an event to paint, in ms, at full speed and at a quarter of it."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    beat = ("--disable-frame-rate-limit", "--disable-gpu-vsync")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", *beat):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.get(address)
        driver.set_script_timeout(120)
        found = []
        for slower in (1, 4):
            driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slower})
            times = sorted(map(statistics.median, driver.execute_async_script(PAINTED, PLACES, ROUNDS)))
            found.append(round(times[int(0.95 * len(times))]) if times else "")
        return found
    finally:
        driver.quit()


def _known():
    """Return the rows of the table by page, of pages that are still there."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = {row.pop("page"): row for row in csv.DictReader(file)}
    return {name: row for name, row in rows.items() if (SITE / "book" / f"{name}.html").exists()}


def _write(rows):
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"page": name, **rows[name]} for name in sorted(rows))


if __name__ == "__main__":
    main()
