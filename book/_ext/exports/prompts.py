r"""The text of exercises as the site shows it, as plain elements with TeX in `\(…\)`.

What a platform cannot show (a figure, a slider) is rejected, so that nothing is lost silently.
"""

from xml.etree.ElementTree import Element, SubElement, tostring

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString

ALLOWED_TAGS = {"p", "em", "strong", "code", "sub", "sup", "pre", "br", "blockquote"}
ALLOWED_TAGS |= {"ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"}
RENAMED_TAGS = {"i": "em", "b": "strong"}
DROPPED_TAGS = {"script", "style", "noscript", "button"}
OMITTED_CLASSES = {"headerlink", "eqno", "mc-stated"}  # the last holds only for the stated numbers
UNSUPPORTED_TAGS = {"img", "svg", "canvas", "video", "iframe", "mc-explorer", "mc-exercise", "mc-question"}


class UnsupportedContent(ValueError):
    """A prompt contains an element that platforms cannot show; the message names it."""


def parse_html(html):
    """Return HTML as a parsed tree."""
    return BeautifulSoup(html, "html.parser")


def plain_div(tags, numbers=None):
    """Return a `div` with the content of `tags`; `numbers` replaces the inputs, by name.

    Raises: UnsupportedContent.

    >>> page = '<p>Save <span class="mc-given" data-name="C">4 min</span> &amp; <i>wait</i>.</p>'
    >>> inner_html(plain_div([parse_html(page)], {"C": "9 min"}))
    '<p>Save 9 min &amp; <em>wait</em>.</p>'
    """
    root = Element("div")
    for tag in tags:
        _convert(tag, root, numbers or {})
    return root


def inner_html(element):
    """Return the content of an element as HTML, without the element itself, in one line."""
    inside = tostring(element, encoding="unicode", method="html")
    return " ".join(inside.removeprefix("<div>").removesuffix("</div>").split("\n")).strip()


def text_div(*paragraphs):
    """Return a `div` of paragraphs of plain text."""
    root = Element("div")
    for text in paragraphs:
        SubElement(root, "p").text = text
    return root


def join_divs(*elements):
    """Return a `div` with the content of several elements."""
    root = Element("div")
    for element in elements:
        root.extend(element)
    return root


def _convert(node, parent, numbers):
    if isinstance(node, NavigableString):
        if not isinstance(node, PreformattedString):  # a comment
            _append(parent, str(node))
        return
    classes = node.get("class", [])
    if node.name in DROPPED_TAGS or OMITTED_CLASSES & set(classes):
        return
    if node.name == "math":
        _append(parent, _tex(node))
    elif "mc-given" in classes and node["data-name"] in numbers:
        _append(parent, numbers[node["data-name"]])
    elif node.name in UNSUPPORTED_TAGS:
        raise UnsupportedContent(f"a prompt contains <{node.name}>: describe it in words, or exclude the item")
    else:
        _convert_children(node, parent, numbers, classes)


def _convert_children(node, parent, numbers, classes):
    name = "p" if node.name == "div" and "math" in classes else RENAMED_TAGS.get(node.name, node.name)
    inside = SubElement(parent, name) if name in ALLOWED_TAGS else parent
    for child in node.children:
        _convert(child, inside, numbers)


def _append(parent, text):
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _tex(node: Tag):
    tex = " ".join(node["data-tex"].split())
    return rf"\[{tex}\]" if node.get("display") == "block" else rf"\({tex}\)"
