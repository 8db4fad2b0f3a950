"""Serve the site on this machine, build it again when a source changes, and reload the open pages.

Each build is a process forked from this one, which has loaded the modules that the build before has loaded: that
saves half of the time. When Python or the data of a chapter change, this process starts anew. The last good site is
served by a process of its own; an open page is notified by server-sent events when another site is in its place.
"""

import contextlib
import functools
import importlib
import os
import signal
import sys
import time
from collections.abc import Mapping
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mathbook.folders import PROJECT, BookFolders, files_below
from mathbook.processes import ForkedCall

EVENTS_PATH = "/__built"
RELOAD_SCRIPT = f'<script>new EventSource("{EVENTS_PATH}").onmessage = () => location.reload()</script>'.encode()
POLL_INTERVAL = 0.3  # seconds
HEARTBEAT = 15  # seconds


class Handler(SimpleHTTPRequestHandler):
    """Serve files, HTML with the script that reloads it, and the stream of builds."""

    def do_GET(self) -> None:
        """Send a file, or the stream of builds."""
        if self.path == EVENTS_PATH:
            return self._send_events()
        path = self.translate_path(self.path.partition("?")[0])
        path = f"{path}index.html" if path.endswith("/") else path
        if not path.endswith(".html"):
            super().do_GET()
            return
        try:
            body = Path(path).read_bytes() + RELOAD_SCRIPT
        except OSError:
            self.send_error(404)
            return
        self._send_head("text/html; charset=utf-8")
        self.wfile.write(body)

    def _send_head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()

    def _send_events(self) -> None:
        site, beat = self._site(), time.monotonic()  # before the page knows that it is connected
        self._send_head("text/event-stream")
        with contextlib.suppress(OSError):  # the page was closed
            while True:
                time.sleep(POLL_INTERVAL)
                if (now := self._site() or site) != site or time.monotonic() > beat + HEARTBEAT:
                    self.wfile.write(b"data: built\n\n" if now != site else b": still here\n\n")
                    site, beat = now, time.monotonic()

    def _site(self) -> int | None:
        """Return the number of the site's folder, another one after each build; None while it is replaced."""
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self.directory).st_ino
        return None

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def serve(book: BookFolders, port: int) -> int:
    """Build, serve, and build again on every change, until interrupted; return the exit code."""
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(book.site)))
    except OSError as error:
        print(f"cannot listen on port {port} ({error.strerror}): choose another one with --port", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that the server ends with this process
    serving, seen = ForkedCall(server.serve_forever, ()), source_times(book)
    print(f"http://127.0.0.1:{server.server_port}/ shows {book.display_path(book.site)}; Ctrl-C ends.", flush=True)
    try:
        while True:
            _load(ForkedCall(_build, (book,)).result())
            while not (changed := _changed_files(seen, source_times(book))):
                time.sleep(POLL_INTERVAL)
            print(f"changed: {', '.join(map(book.display_path, changed[:5]))}", flush=True)
            if any(map(is_loaded, changed)):
                serving.process.terminate()
                os.execv(sys.executable, [sys.executable, "-m", "mathbook.build", *sys.argv[1:]])
            seen = source_times(book)
    except KeyboardInterrupt:
        return 0
    finally:
        serving.process.terminate()


def _build(book: BookFolders) -> list[str]:
    """Build the book, print what is wrong with it, and return the names of the modules that this has loaded."""
    from mathbook.build import build_and_report

    build_and_report(book)
    return list(sys.modules)


def _load(names: object) -> None:
    """Load modules for the builds to come; a build that died has printed why."""
    for name in names if isinstance(names, list) else ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def is_loaded(path: Path) -> bool:
    """Return whether a file is one that stays loaded from build to build: Python, or data that a chapter reads."""
    return path.suffix == ".py" or path.is_relative_to(PROJECT / "mathcore")


def source_times(book: BookFolders) -> dict[Path, int]:
    """Return `{path: time of the last change}` of each source of the book."""
    times = {}
    for path in files_below([book.folder / "book", book.toc, book.config, PROJECT / "mathcore", PROJECT / "book"]):
        with contextlib.suppress(FileNotFoundError):  # removed since it was listed
            times[path] = path.stat().st_mtime_ns
    return times


def _changed_files(before: Mapping[Path, int], now: Mapping[Path, int]) -> list[Path]:
    return sorted({path for path, _ in before.items() ^ now.items()})
