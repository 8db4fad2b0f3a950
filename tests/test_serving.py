"""`make serve`: pages come from the last good site, and hear of each build that succeeds."""

import functools
import threading
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer

import pytest
from mathbook.devserver import RELOAD_SCRIPT, BuildCounter, Handler, source_times
from mathbook.folders import Book

PAGE = "<html><body>One</body></html>"


@pytest.fixture
def served(tmp_path):
    """Serve a folder with one page; return its address, the folder and the count of builds."""
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "book.css").write_text("a { color: red }")
    built = BuildCounter()
    handler = functools.partial(Handler, directory=str(tmp_path), built=built)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", tmp_path, built
    server.shutdown()
    server.server_close()


def read(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


def test_page_is_served_with_the_line_that_listens(served):
    address, folder, _ = served
    assert read(f"{address}/") == PAGE + RELOAD_SCRIPT.decode()
    assert read(f"{address}/index.html?seed=2").startswith(PAGE)
    assert (folder / "index.html").read_text() == PAGE


def test_other_files_are_served_as_they_are(served):
    assert read(f"{served[0]}/book.css") == "a { color: red }"


def test_missing_page_is_said_to_be_missing(served):
    with pytest.raises(urllib.error.HTTPError) as caught:
        read(f"{served[0]}/nothing.html")
    assert caught.value.code == 404
    caught.value.close()


def test_open_page_hears_of_a_build(served):
    address, _, built = served
    with urllib.request.urlopen(f"{address}/__built", timeout=10) as stream:
        threading.Timer(0.1, built.increment).start()
        assert stream.readline() == b"data: built\n"


def test_changed_page_is_noticed(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text("root: book/index\n")
    book = Book(tmp_path, tmp_path / "_build")
    before = source_times(book)
    page = tmp_path / "book" / "index.md"
    page.write_text("# One\n")
    after = source_times(book)
    assert after.keys() - before.keys() == {page}
