"""`make serve`: pages come from the last good site, and are notified of each build that succeeds."""

import functools
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import ThreadingHTTPServer

import pytest
from mathbook.devserver import RELOAD_SCRIPT, Handler, _changed_files, is_loaded, source_times
from mathbook.folders import PROJECT, BookFolders
from test_tiny_book_build import PAGE

HTML = "<html><body>One</body></html>"


@pytest.fixture
def served(tmp_path):
    """Serve a folder with one page; return its address and the folder."""
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text(HTML)
    (folder / "book.css").write_text("a { color: red }")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()


def read(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


def test_page_is_served_with_the_script_that_reloads_it(served):
    address, folder = served
    assert read(f"{address}/") == HTML + RELOAD_SCRIPT.decode()
    assert read(f"{address}/index.html?seed=2").startswith(HTML)
    assert (folder / "index.html").read_text() == HTML


def test_other_files_are_served_as_they_are(served):
    assert read(f"{served[0]}/book.css") == "a { color: red }"


def test_missing_page_has_status_404(served):
    with pytest.raises(urllib.error.HTTPError) as caught:
        read(f"{served[0]}/nothing.html")
    assert caught.value.code == 404
    caught.value.close()


def test_open_page_is_notified_of_a_new_site(served):
    address, folder = served
    with urllib.request.urlopen(f"{address}/__built", timeout=10) as stream:
        shutil.copytree(folder, folder.with_name("next"))
        folder.rename(folder.with_name("old"))
        folder.with_name("next").rename(folder)
        assert stream.readline() == b"data: built\n"


def test_changed_page_is_noticed(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text("root: book/index\n")
    book = BookFolders(tmp_path, tmp_path / "_build")
    before = source_times(book)
    page = tmp_path / "book" / "index.md"
    page.write_text("# One\n")
    assert _changed_files(before, source_times(book)) == [page]


@pytest.mark.parametrize(
    ("name", "loaded"),
    [
        ("book/chapters/young-daly/index.md", False),
        ("book/_static/book.css", False),
        ("book/diagrams/flows.py", True),
        ("mathcore/chapters/young_daly/facts.toml", True),
        ("mathcore/units.py", True),
    ],
)
def test_what_stays_loaded_makes_the_server_start_anew(name, loaded):
    assert is_loaded(PROJECT / name) == loaded


@pytest.mark.slow
@pytest.mark.node
@pytest.mark.xdist_group("tiny book")
def test_changed_sentence_reaches_the_site(project):
    project.take("good")
    command = [sys.executable, "-m", "mathbook.build", "--book", project.folder, "--serve", "--port", "0"]
    page, built = project.folder / PAGE, project.folder / "_build" / "html" / PAGE.replace(".md", ".html")
    serving = subprocess.Popen(command, cwd=project.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        while not re.search(r" s  |up to date", line := serving.stdout.readline()):
            assert line, "the server has ended"
        page.write_text(page.read_text("utf-8") + "\nA new sentence.\n", "utf-8")
        deadline = time.monotonic() + 300
        while "A new sentence." not in (built.read_text("utf-8") if built.exists() else ""):
            assert time.monotonic() < deadline and serving.poll() is None
            time.sleep(0.1)
    finally:
        serving.terminate()
        serving.communicate()
