"""Serve the site on this machine, rebuild when a source changes, and reload open pages.

Every build is a process of its own, so that a changed engine is loaded afresh; a warm worker has loaded everything
before a change. If a build fails, its problems are printed and the last good site stays. Pages reload through
server-sent events, in a line that only the served copy contains.
"""

import functools
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from mathbook.folders import PROJECT, files_below
from mathbook.warm_worker import WarmWorker

EVENTS_PATH = "/__built"
RELOAD_SCRIPT = f'<script>new EventSource("{EVENTS_PATH}").onmessage = () => location.reload()</script>'.encode()
POLL_INTERVAL = 0.5  # seconds
HEARTBEAT = 15  # seconds


class BuildCounter(threading.Condition):
    """Counts the builds that succeeded, and wakes who waits for the next one."""

    count = 0

    def increment(self):
        """Tell all open pages that there is a new site."""
        with self:
            self.count += 1
            self.notify_all()

    def wait_for_change(self, seen):
        """Return the count when it is no longer `seen`, or after a while."""
        with self:
            self.wait_for(lambda: self.count != seen, timeout=HEARTBEAT)
            return self.count


class Handler(SimpleHTTPRequestHandler):
    """Serve files, HTML with the line that listens for builds, and the stream of builds."""

    def __init__(self, *arguments, built, **named):
        self.built = built
        super().__init__(*arguments, **named)

    def do_GET(self):
        """Answer a request."""
        if self.path == EVENTS_PATH:
            return self._events()
        path = self.translate_path(self.path.partition("?")[0])
        path = f"{path}index.html" if path.endswith("/") else path
        if not path.endswith(".html"):
            return super().do_GET()
        try:
            with open(path, "rb") as page:
                body = page.read() + RELOAD_SCRIPT
        except OSError:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        seen = self.built.count
        try:
            while True:
                now = self.built.wait_for_change(seen)
                self.wfile.write(b"data: built\n\n" if now != seen else b": still here\n\n")
                self.wfile.flush()
                seen = now
        except OSError:  # the page was closed
            return

    def log_message(self, *_):
        """Keep the terminal for what the author must know."""


def serve(book, port):
    """Build, serve, and build again on every change, until interrupted."""
    built = BuildCounter()
    handler = functools.partial(Handler, directory=str(book.site), built=built)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        print(f"cannot listen on port {port} ({error.strerror}): choose another one with --port", file=sys.stderr)
        return 1
    seen = source_times(book)
    following = _build(WarmWorker(_arguments(book)), book, built)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/ shows {book.display_path(book.site)}; Ctrl-C ends.", flush=True)
    try:
        while True:
            time.sleep(POLL_INTERVAL)
            if (now := source_times(book)) != seen:
                print(f"changed: {_changed(book, seen, now)}", flush=True)
                seen = now
                following = _build(following, book, built)
    except KeyboardInterrupt:
        following.stop()
        server.shutdown()
        return 0


def source_times(book):
    """Return when each source of the book was last written."""
    watched = [book.folder / "book", book.toc, book.config, PROJECT / "mathcore", PROJECT / "book"]
    found = {}
    for path in files_below(watched):
        try:
            found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:  # removed since it was listed
            continue
    return found


def _changed(book, before, now):
    names = [book.display_path(path) for path, _ in before.items() ^ now.items()]
    return ", ".join(sorted(set(names))[:5])


def _build(standby, book, built):
    """Let a build run that stood by, and return the next one."""
    if standby.build() == 0:
        built.increment()
    return WarmWorker(_arguments(book))


def _arguments(book):
    chapter = ["--chapter", book.chapter] if book.chapter else []
    return ["--book", book.folder, "--out", book.out.parent if book.chapter else book.out, *chapter]
