"""What IMS QTI 2.1 allows in the elements that the book writes: names, order, attributes, text.

The standard publishes this as an XML Schema, which may not be handed on. `qti_model.py FOLDER [qti.zip]`
holds a package against the schema itself, wherever that lies (`qtiv2p1/imsqti_v2p1.xsd` and `imscp_v1p1.xsd` in
FOLDER, with what they import), and seeds errors at random: whatever the schema refuses the model here must refuse.
"""

import random
import re
import sys
import zipfile
from xml.etree import ElementTree

SPACE = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
INLINE = "(em|strong|code|sub|sup|br|span|textEntryInteraction)"
BLOCK = "(p|pre|ul|ol|dl|table|blockquote|div)"
BODY = "(p|pre|ul|ol|dl|table|blockquote|div|rubricBlock|choiceInteraction)"
FLOW = "(em|strong|code|sub|sup|br|span|p|pre|ul|ol|dl|table|blockquote|div)"
EXPRESSION = "(variable|correct|baseValue|sum|equal|match|testVariables)"
RULE = "(setOutcomeValue|responseCondition)"
NAME, TRUTH = r"[A-Za-z_][\w.-]*", "(true|false)"
NUMBER = r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?"
DECLARED = {"identifier": NAME, "cardinality": "single", "baseType": "(identifier|float|integer)"}
# element → (children in order, as an expression over their names; attributes that must be there; text or not)
MODEL = {
    "assessmentItem": (
        "(responseDeclaration )*(outcomeDeclaration )*(itemBody )?(responseProcessing )?(modalFeedback )*",
        {"identifier": NAME, "title": ".*", "adaptive": TRUTH, "timeDependent": TRUTH},
        False,
    ),
    "responseDeclaration": ("(correctResponse )?", DECLARED, False),
    "outcomeDeclaration": ("(defaultValue )?", DECLARED, False),
    "correctResponse": ("(value )+", {}, False),
    "defaultValue": ("(value )+", {}, False),
    "value": ("", {}, True),
    "itemBody": (f"({BODY} )*", {}, False),
    "rubricBlock": (f"({BLOCK} )*", {"view": "((author|candidate|proctor|scorer|testConstructor|tutor) ?)+"}, False),
    "choiceInteraction": (
        "(prompt )?(simpleChoice )+",
        {"responseIdentifier": NAME, "shuffle": TRUTH, "maxChoices": r"\d+"},
        False,
    ),
    "prompt": (f"({INLINE} )*", {}, True),
    "simpleChoice": (f"({FLOW} )*", {"identifier": NAME}, True),
    "textEntryInteraction": ("", {"responseIdentifier": NAME}, False),
    "responseProcessing": (f"({RULE} )*", {}, False),
    "responseCondition": ("responseIf (responseElseIf )*(responseElse )?", {}, False),
    "responseIf": (f"{EXPRESSION} ({RULE} )*", {}, False),
    "responseElseIf": (f"{EXPRESSION} ({RULE} )*", {}, False),
    "responseElse": (f"({RULE} )*", {}, False),
    "setOutcomeValue": (f"{EXPRESSION} ", {"identifier": NAME}, False),
    "equal": (f"({EXPRESSION} ){{2}}", {"toleranceMode": "absolute", "tolerance": f"{NUMBER} {NUMBER}"}, False),
    "match": (f"({EXPRESSION} ){{2}}", {}, False),
    "variable": ("", {"identifier": NAME}, False),
    "correct": ("", {"identifier": NAME}, False),
    "baseValue": ("", {"baseType": "(identifier|float|integer)"}, True),
    "modalFeedback": (f"({FLOW} )*", {"outcomeIdentifier": NAME, "identifier": NAME, "showHide": "(show|hide)"}, True),
    **{tag: (f"({INLINE} )*", {}, True) for tag in ("p", "pre", "em", "strong", "code", "sub", "sup", "span", "dt")},
    **{tag: (f"({FLOW} )*", {}, True) for tag in ("li", "dd", "td", "th", "div")},
    "blockquote": (f"({BLOCK} )*", {}, False),
    "br": ("", {}, False),
    "ul": ("(li )*", {}, False),
    "ol": ("(li )*", {}, False),
    "dl": ("(d[td] )*", {}, False),
    "table": ("(thead )?(tbody )+", {}, False),
    "thead": ("(tr )+", {}, False),
    "tbody": ("(tr )+", {}, False),
    "tr": ("(t[dh] )+", {}, False),
}
OPTIONAL = {"expectedLength": r"\d+", "{http://www.w3.org/XML/1998/namespace}lang": r"[a-z]{2}"}
OPTIONAL |= {"{http://www.w3.org/2001/XMLSchema-instance}schemaLocation": ".*"}


def item_issues(item):
    """Yield what the model does not allow in an item: an element, its children's order, an attribute, a text."""
    yield from _element_issues(item)
    for part in ("responseDeclaration", "outcomeDeclaration", "simpleChoice"):
        names = [found.get("identifier") for found in item.iter(f"{SPACE}{part}")]
        yield from (f"<{part}> {name} stands twice" for name in sorted({n for n in names if n and names.count(n) > 1}))


def _element_issues(element):
    tag = element.tag.removeprefix(SPACE)
    if tag not in MODEL:
        yield f"<{tag}> is not known"
        return
    children, wanted, has_text = MODEL[tag]
    names = "".join(f"{child.tag.removeprefix(SPACE)} " for child in element)
    if not re.fullmatch(children, names):
        yield f"<{tag}> may not hold: {names}"
    if not has_text and "".join([element.text or "", *(child.tail or "" for child in element)]).strip():
        yield f"<{tag}> may not hold text"
    allowed = {**OPTIONAL, **wanted}
    yield from (f"<{tag}> lacks {name}" for name in wanted if name not in element.attrib)
    for name, value in element.items():
        if not re.fullmatch(allowed.get(name, "(?!)"), value):
            yield f"<{tag}> may not have {name}={value!r}"
    for child in element:
        yield from _element_issues(child)


def spoil(text, draw):
    """Return an item with one error at random: an element gone, doubled, renamed or moved, or an attribute gone."""
    root = ElementTree.fromstring(text)
    parents = [parent for parent in root.iter() if len(parent)]
    parent = draw.choice(parents)
    place = draw.randrange(len(parent))
    child = parent[place]
    match draw.randrange(6):
        case 0:
            parent.remove(child)
        case 1:
            parent.insert(place, child)
        case 2:
            child.tag = f"{SPACE}{draw.choice(sorted(MODEL))}"
        case 3:
            parent.remove(child)
            draw.choice(parents).append(child)
        case 4:
            child.text = "stray"
        case _:
            for name in list(child.keys())[:1]:
                del child.attrib[name]
    return ElementTree.tostring(root)


def main(folder, package="_build/course/banks/qti.zip", count=3000):
    """Print how a package and seeded errors stand against the schema; return the exit code."""
    from lxml import etree

    item = etree.XMLSchema(etree.parse(f"{folder}/qtiv2p1/imsqti_v2p1.xsd"))
    manifest = etree.XMLSchema(etree.parse(f"{folder}/imscp_v1p1.xsd"))
    files = {name: zipfile.ZipFile(package).read(name) for name in zipfile.ZipFile(package).namelist()}
    schemas = {name: manifest if name == "imsmanifest.xml" else item for name in files}
    invalid = [name for name, text in files.items() if not schemas[name].validate(etree.fromstring(text))]
    items = [text for name, text in files.items() if name.startswith("items/")]
    ours = [text for text in items if list(item_issues(ElementTree.fromstring(text)))]
    draw, refused, missed = random.Random(1), 0, []
    for _ in range(count):
        bad = spoil(draw.choice(items), draw)
        if not item.validate(etree.fromstring(bad)):
            refused += 1
            missed += [] if list(item_issues(ElementTree.fromstring(bad))) else [item.error_log[0].message]
    print(f"{len(files)} files, {len(invalid)} invalid by the schema, {len(ours)} by the model")
    print(f"{refused} of {count} seeded errors refused by the schema, {len(missed)} of these missed by the model")
    print(*sorted(set(missed))[:20], *invalid[:5], sep="\n")
    return bool(invalid or ours or missed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
