"""The three fonts of the book, each reduced to the glyphs that pages use: text, titles, mathematics.

They come from the packages of package.json, under the SIL Open Font License, a copy of which is added.
"""

import base64
import hashlib
import io
import string
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mathbook import cache, resources

TEXT_SYMBOLS = frozenset(map(ord, "\u2009\u202f–—‘’“”„…•′″€−×·≈≤≥√←→↑↓↔"))
GREEK = frozenset(range(0x391, 0x3CA)) | frozenset(map(ord, "ϕϵ"))
# KaTeX writes plain letters, which the font draws as mathematical italic.
MATH_ITALIC = frozenset(range(0x1D434, 0x1D468)) | frozenset(range(0x1D6E2, 0x1D71C)) | {0x210E}
OPERATORS = frozenset(
    map(ord, "±·×ˉ˙ˆ˜¯ℓ−∗∞∥∧∨∫≈≤≥≠⋅⋯⌈⌉⌊⌋⟨⟩√∑∏∂∈→←↔…′\u2061\u2062\u2063\u2064\u2005\u2009\u0302\u0303\u0304\u0307")
)
# Heights of the radicals that are added, in thousandths of an em; the font's own glyphs end at 2892.
RADICALS = range(3100, 5200, 200)
ASCII = frozenset(map(ord, string.printable.strip() + " "))
# Letters and signs beyond ASCII that the book uses, and those of the commonest names.
LATIN = ASCII | frozenset(map(ord, "\xa0¡©«°±²³µ¶·¹»½É×ÖØÜßàáãäåæçèéêëíîïñóôöøüýăćčěğłńőřśşšžż÷"))


class Face(NamedTuple):
    """A font file of a package, the values of its axes, and the characters to keep."""

    package: str
    file: str
    characters: frozenset
    axes: dict
    features: tuple = ("kern", "liga", "tnum", "lnum", "sups", "subs")


FACES = {
    "text": Face(
        "@fontsource-variable/source-sans-3",
        "source-sans-3-latin-wght-normal.woff2",
        LATIN | TEXT_SYMBOLS,
        {"wght": (400, 600)},
    ),
    "slanted": Face(
        "@fontsource-variable/source-sans-3",
        "source-sans-3-latin-wght-italic.woff2",
        LATIN | TEXT_SYMBOLS,
        {"wght": 400},
    ),
    "title": Face(
        "@fontsource-variable/source-serif-4",
        "source-serif-4-latin-wght-normal.woff2",
        ASCII | TEXT_SYMBOLS,
        {"wght": 600},
        ("kern", "liga", "lnum"),
    ),
    "mathematics": Face(
        "@fontsource/stix-two-math",
        "stix-two-math-latin-400-normal.woff2",
        ASCII | GREEK | MATH_ITALIC | OPERATORS,
        {},
        ("ssty",),
    ),
}


def write_fonts(folder: Path, names: Iterable[str] = FACES) -> None:
    """Write the fonts of these names as `name.woff2` into `folder`, with their licences.

    Raises: resources.MissingResource.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        face = FACES[name]
        whole = resources.npm_path(face.package, "files", face.file).read_bytes()
        checksum = hashlib.sha256(whole + Path(__file__).read_bytes()).hexdigest()
        cut: str = cache.memoize(f"font-{name}", checksum, partial(_subset_text, whole, face))
        (folder / f"{name}.woff2").write_bytes(base64.b64decode(cut))
        licence = resources.npm_path(face.package, "LICENSE").read_text("utf-8")
        (folder / f"{face.package.rpartition('/')[2]}-LICENSE.txt").write_text(licence, "utf-8")


def _subset_text(whole: bytes, face: "Face") -> str:
    return base64.b64encode(subset_font(whole, face)).decode()


def subset_font(whole: bytes, face: "Face") -> bytes:
    """Return the subset of a font for a face, as WOFF2 bytes, which are the same for the same font.

    The modification date of `whole` is kept, since fontTools would write today's.
    """
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    font = TTFont(io.BytesIO(whole), recalcTimestamp=False)
    if face.axes:  # saved and loaded again: the instancer leaves tables partly decoded
        font, pinned = instancer.instantiateVariableFont(font, face.axes), io.BytesIO()
        font.flavor = None
        font.save(pinned)
        font = TTFont(io.BytesIO(pinned.getvalue()), recalcTimestamp=False)
    for signs in (table.cmap for table in font["cmap"].tables if 0x20 in table.cmap):
        signs[0x202F] = signs[0x20]  # the faces have none; a thinner one would glue a number to its unit
    if "MATH" in font:
        _add_radicals(font)
    options = subset.Options(
        flavor="woff2", layout_features=list(face.features), hinting=False, notdef_outline=True, name_IDs=[0, 13, 14]
    )
    cutter, out = subset.Subsetter(options), io.BytesIO()
    cutter.populate(unicodes=face.characters)
    cutter.subset(font)
    subset.save_font(font, out, options)
    return out.getvalue()


def _add_radicals(font: Any) -> None:
    """Add tall radicals as glyphs: one that a browser assembles from parts ends up to two pixels below its bar."""
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib.tables import otTables

    variants, sign = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(sign)]
    foot, stem, hook = (part.glyph for part in construction.GlyphAssembly.PartRecords)
    glyphs, lap = font["glyf"], construction.GlyphAssembly.PartRecords[0].EndConnectorLength // 2
    bottom = glyphs[construction.MathGlyphVariantRecord[-1].VariantGlyph].yMin
    names = [*font.getGlyphOrder(), *(f"{sign}.{height}" for height in RADICALS)]
    for height in RADICALS:
        pen, name = TTGlyphPen(glyphs), f"{sign}.{height}"
        start, end = bottom - glyphs[foot].yMin, bottom + height - glyphs[hook].yMax
        step, first = glyphs[stem].yMax - lap, start + glyphs[foot].yMax - lap
        places = [(foot, start), *((stem, min(y, end - step)) for y in range(first, end, step)), (hook, end)]
        for part, y in places:
            pen.addComponent(part, (1, 0, 0, 1, 0, y))
        glyphs.glyphs[name] = pen.glyph()
        glyphs.glyphs[name].recalcBounds(glyphs)
        font["hmtx"].metrics[name] = (font["hmtx"].metrics[foot][0], glyphs.glyphs[name].xMin)
        record = otTables.MathGlyphVariantRecord()
        record.VariantGlyph, record.AdvanceMeasurement = name, height
        construction.MathGlyphVariantRecord.append(record)
    construction.VariantCount = len(construction.MathGlyphVariantRecord)
    font.setGlyphOrder(names)
    glyphs.glyphOrder = names
