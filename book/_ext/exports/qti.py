"""IMS QTI 2.1: a zip file with one assessmentItem per item and one test.

In the test each chapter is a section, and one variant of each exercise is drawn. Numbers are floats in the unit that
the prompt names, compared with an absolute tolerance; the result of a common mistake scores nothing and has its own
feedback.
"""

import io
import zipfile
from xml.etree.ElementTree import Element, SubElement, tostring

from exports.items import MultipleChoice, plain_number
from exports.prompts import join_divs, text_div
from mathcore.number_format import unit_text
from mathcore.teaching.questions import OPTION_LETTERS

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
TIME = (1980, 1, 1, 0, 0, 0)  # of every file in the zip: the same items give the same bytes


def qti_package(title, chapters):
    """Return the package as bytes."""
    files = {"imsmanifest.xml": qti_manifest(chapters), "test.xml": qti_test(title, chapters)}
    files |= {item_path(c, item): assessment_item(item) for c in chapters for item in c.items}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, element in files.items():
            text = tostring(element, encoding="utf-8", xml_declaration=True)
            package.writestr(zipfile.ZipInfo(name, TIME), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def item_path(chapter, item):
    """Return the path of an item in the package."""
    return f"items/{chapter.name}/{item.name}.xml"


def _root(name, space, **attributes):
    place = {"xmlns:xsi": INSTANCE, "xsi:schemaLocation": f"{space} {space}.xsd"}
    return Element(name, {"xmlns": space, **place, **attributes})


def qti_manifest(chapters):
    """Return imsmanifest.xml."""
    root = _root("manifest", PACKAGE, identifier="manifest")
    metadata = SubElement(root, "metadata")
    SubElement(metadata, "schema").text = "QTIv2.1 Package"
    SubElement(metadata, "schemaversion").text = "1.0.0"
    SubElement(root, "organizations")
    resources = SubElement(root, "resources")
    kind = {"identifier": "test", "type": "imsqti_test_xmlv2p1", "href": "test.xml"}
    whole = SubElement(resources, "resource", kind)
    SubElement(whole, "file", href="test.xml")
    for chapter in chapters:
        for item in chapter.items:
            SubElement(whole, "dependency", identifierref=item.name)
            place = {"identifier": item.name, "type": "imsqti_item_xmlv2p1", "href": item_path(chapter, item)}
            SubElement(SubElement(resources, "resource", place), "file", href=item_path(chapter, item))
    return root


def qti_test(title, chapters):
    """Return the test: sections for chapters, in them sections for exercises, from which one variant is drawn."""
    root = _root("assessmentTest", QTI, identifier="test", title=title)
    _declare(root, "outcomeDeclaration", "SCORE", "float", "0")
    part = {"identifier": "book", "navigationMode": "nonlinear", "submissionMode": "individual"}
    whole = SubElement(root, "testPart", part)
    for chapter in chapters:
        section = _section(whole, f"chapter-{chapter.name}", chapter.title)
        for address, items in chapter.groups.items():
            group = _section(section, f"exercise-{address}", items[0].title)
            SubElement(group, "selection", select="1")
            for item in items:
                SubElement(group, "assessmentItemRef", identifier=item.name, href=item_path(chapter, item))
    total = SubElement(SubElement(root, "outcomeProcessing"), "setOutcomeValue", identifier="SCORE")
    SubElement(SubElement(total, "sum"), "testVariables", variableIdentifier="SCORE")
    return root


def _section(parent, identifier, title):
    named = {"identifier": identifier, "title": title, "visible": "true"}
    return SubElement(parent, "assessmentSection", named)


def assessment_item(item):
    """Return one item."""
    root = _root("assessmentItem", QTI, identifier=item.name, title=item.heading)
    root.attrib |= {"adaptive": "false", "timeDependent": "false", "xml:lang": "en"}
    feedback = (_choice if isinstance(item, MultipleChoice) else _numerical)(root, item)
    for identifier, content in feedback.items():
        attributes = {"outcomeIdentifier": "FEEDBACK", "identifier": identifier, "showHide": "show"}
        SubElement(root, "modalFeedback", attributes).extend(content)
    return root


def _declare(root, name, identifier, base, value):
    declared = {"identifier": identifier, "cardinality": "single", "baseType": base}
    declaration = SubElement(root, name, declared)
    if value is not None:
        inside = "correctResponse" if name == "responseDeclaration" else "defaultValue"
        SubElement(SubElement(declaration, inside), "value").text = value


def _head(root, base, right):
    _declare(root, "responseDeclaration", "RESPONSE", base, right)
    _declare(root, "outcomeDeclaration", "SCORE", "float", "0")
    _declare(root, "outcomeDeclaration", "FEEDBACK", "identifier", None)


def _numerical(root, item):
    _head(root, "float", plain_number(item.right.value))
    body = SubElement(root, "itemBody")
    body.extend(item.prompt)
    line = SubElement(body, "p")
    line.text = f"{answer_instruction(item)} "
    SubElement(line, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="12")
    SubElement(body, "rubricBlock", view="scorer tutor").extend(item.solution)
    chain = SubElement(SubElement(root, "responseProcessing"), "responseCondition")
    _set_outcome(_equal(SubElement(chain, "responseIf"), item.right), "1", "right")
    for index, mistake in enumerate(item.mistakes, 1):
        rule = _equal(SubElement(chain, "responseElseIf"), mistake, mistake.value)
        _set_outcome(rule, "0", f"mistake-{index}")
    _set_outcome(SubElement(chain, "responseElse"), "0", "other")
    feedback = {f"mistake-{i}": text_div(f"Not yet: {m.label}.") for i, m in enumerate(item.mistakes, 1)}
    other = join_divs(text_div("Not yet."), *item.hints)
    return {"right": join_divs(text_div("Right."), item.solution), **feedback, "other": other}


def _equal(rule, target, value=None):
    """Add a condition to `rule`: the response is within the tolerance of `target`, or of `value`."""
    near = f"{plain_number(target.below)} {plain_number(target.above)}"
    equal = SubElement(rule, "equal", toleranceMode="absolute", tolerance=near)
    SubElement(equal, "variable", identifier="RESPONSE")
    if value is None:
        SubElement(equal, "correct", identifier="RESPONSE")
    else:
        SubElement(equal, "baseValue", baseType="float").text = plain_number(value)
    return rule


def _set_outcome(rule, score, feedback):
    for name, base, value in (("SCORE", "float", score), ("FEEDBACK", "identifier", feedback)):
        _set(rule, name, "baseValue", baseType=base).text = value


def _set(rule, name, kind, **attributes):
    return SubElement(SubElement(rule, "setOutcomeValue", identifier=name), kind, attributes)


def _choice(root, item):
    letters = OPTION_LETTERS[: len(item.options)]
    _head(root, "identifier", letters[item.right])
    body = SubElement(root, "itemBody")
    body.extend(item.prompt)
    asking = {"responseIdentifier": "RESPONSE", "shuffle": "true", "maxChoices": "1"}
    choice = SubElement(body, "choiceInteraction", asking)
    SubElement(choice, "prompt").text = item.title
    for letter, (says, _) in zip(letters, item.options, strict=True):
        SubElement(choice, "simpleChoice", identifier=letter).text = says
    processing = SubElement(root, "responseProcessing")
    rule = SubElement(SubElement(processing, "responseCondition"), "responseIf")
    match = SubElement(rule, "match")
    SubElement(match, "variable", identifier="RESPONSE")
    SubElement(match, "correct", identifier="RESPONSE")
    _set(rule, "SCORE", "baseValue", baseType="float").text = "1"
    _set(processing, "FEEDBACK", "variable", identifier="RESPONSE")
    return {letter: text_div(why) for letter, (_, why) in zip(letters, item.options, strict=True)}


def answer_instruction(item):
    """Return the sentence on how to answer `item`, a Numerical, on a platform that reads no units."""
    if not item.unit:
        return "Answer with a number without a unit."
    return f"Answer in {unit_text(item.unit)}, with the number alone."
