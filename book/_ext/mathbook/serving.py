"""Serve the site on this machine, build again when a source changes, and reload the open pages.

Every build is a process of its own, so that a changed engine is loaded afresh; it stands by, loaded, until
something changes. Where a build fails the problems are printed, and the last good site goes on being served.
The reload reaches a page by server-sent events, in a line that only the served copy has.
"""

import functools
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from mathbook.folders import PROJECT, files
from mathbook.standby import Standby

EVENTS = "/__built"
LISTEN = f'<script>new EventSource("{EVENTS}").onmessage = () => location.reload()</script>'.encode()
LOOK = 0.5  # seconds between two looks at the sources
BEAT = 15  # seconds after which a silent connection is tried


class Built(threading.Condition):
    """Counts the builds that succeeded, and wakes who waits for the next one."""

    count = 0

    def announce(self):
        """Tell all open pages that there is a new site."""
        with self:
            self.count += 1
            self.notify_all()

    def after(self, seen):
        """Return the count when it is no longer `seen`, or after a while."""
        with self:
            self.wait_for(lambda: self.count != seen, timeout=BEAT)
            return self.count


class Handler(SimpleHTTPRequestHandler):
    """Serve files, HTML with the line that listens for builds, and the stream of builds."""

    def __init__(self, *arguments, built, **named):
        self.built = built
        super().__init__(*arguments, **named)

    def do_GET(self):
        """Answer a request."""
        if self.path == EVENTS:
            return self._events()
        path = self.translate_path(self.path.partition("?")[0])
        path = f"{path}index.html" if path.endswith("/") else path
        if not path.endswith(".html"):
            return super().do_GET()
        try:
            with open(path, "rb") as page:
                body = page.read() + LISTEN
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
                now = self.built.after(seen)
                self.wfile.write(b"data: built\n\n" if now != seen else b": still here\n\n")
                self.wfile.flush()
                seen = now
        except OSError:  # the page has gone
            return

    def log_message(self, *_):
        """Keep the terminal for what the author must know."""


def serve(book, port):
    """Build, serve, and build again on every change, until interrupted."""
    built = Built()
    handler = functools.partial(Handler, directory=str(book.site), built=built)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        print(f"Port {port} cannot be had ({error.strerror}): choose another one with --port.", file=sys.stderr)
        return 1
    seen = sources(book)
    following = _build(Standby(_arguments(book)), book, built)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/ shows {book.shown(book.site)}; Ctrl-C ends.", flush=True)
    try:
        while True:
            time.sleep(LOOK)
            if (now := sources(book)) != seen:
                print(f"changed: {_changed(book, seen, now)}", flush=True)
                seen = now
                following = _build(following, book, built)
    except KeyboardInterrupt:
        following.dismiss()
        server.shutdown()
        return 0


def sources(book):
    """Return when each source of the book was last written."""
    watched = [book.folder / "book", book.toc, book.config, PROJECT / "mathcore", PROJECT / "book"]
    found = {}
    for path in files(watched):
        try:
            found[path] = path.stat().st_mtime_ns
        except FileNotFoundError:  # removed since it was listed
            continue
    return found


def _changed(book, before, now):
    names = [book.shown(path) for path, _ in before.items() ^ now.items()]
    return ", ".join(sorted(set(names))[:5])


def _build(standby, book, built):
    """Let a build run that stood by, and return the next one."""
    if standby.build() == 0:
        built.announce()
    return Standby(_arguments(book))


def _arguments(book):
    chapter = ["--chapter", book.chapter] if book.chapter else []
    return ["--book", book.folder, "--out", book.out.parent if book.chapter else book.out, *chapter]
