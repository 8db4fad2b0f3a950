"""Learning platforms in small: read exported items back and score answers, each by its own rule.

Written from what the formats publish, and shares nothing with `exports`.
"""

import io
import re
import zipfile
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import qti_model

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
PACKAGE = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


def read_moodle(data):
    """Return `{idnumber: item}` by the rules of Moodle's import and of its numerical question."""
    found, category = {}, ""
    for question in ElementTree.fromstring(data):
        if question.get("type") == "category":
            category = question.findtext("category/text")
            continue
        answers = [(_moodle_answer(a), a.findtext("feedback/text")) for a in question.findall("answer")]
        sizes = {u.findtext("unit_name"): float(u.findtext("multiplier")) for u in question.iter("unit")}
        item = SimpleNamespace(
            category=category,
            text=question.findtext("questiontext/text"),
            name=question.findtext("name/text"),
            answers=answers,
            units=sizes,
            hints=[hint.findtext("text") for hint in question.findall("hint")],
            penalty=float(question.findtext("unitpenalty") or 0) * (question.findtext("unitgradingtype") == "1"),
            solution=question.findtext("generalfeedback/text"),
        )
        assert question.findtext("idnumber") not in found
        found[question.findtext("idnumber")] = item
    return found


def _moodle_answer(answer):
    value, tolerance = answer.findtext("text"), answer.findtext("tolerance")
    return value, float(tolerance or 0), float(answer.get("fraction")) / 100


def moodle_grade(item, typed):
    """Return (mark, feedback) as Moodle gives them: spaces go, a unit divides, the first match counts."""
    number, unit = re.match(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(.*)", typed.replace(" ", "")).groups()
    value, known = float(number), unit in item.units
    scaled = value / item.units[unit] if known else value
    for (stated, tolerance, fraction), feedback in item.answers:
        near = [abs(v - float(stated)) <= tolerance for v in (scaled, value)]
        if any(near):
            right_unit = near[0] and known
            return max(0, fraction - (0 if right_unit else item.penalty * fraction)), feedback
    return 0, ""


def read_qti(data):
    """Return `{identifier: element}` of a package, its structure held to what is published."""
    package = zipfile.ZipFile(io.BytesIO(data))
    root = ElementTree.fromstring(package.read("imsmanifest.xml"))
    resources = root.findall(f"{PACKAGE}resources/{PACKAGE}resource")
    names = [resource.get("identifier") for resource in resources]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[A-Za-z_][\w.-]*", n) for n in names)
    assert {r.get("href") for r in resources} | {"imsmanifest.xml"} == set(package.namelist())
    assert {d.get("identifierref") for d in root.iter(f"{PACKAGE}dependency")} == set(names) - {"test"}
    kinds = {r.get("identifier"): r.get("type") for r in resources}
    assert set(kinds.values()) == {"imsqti_test_xmlv2p1", "imsqti_item_xmlv2p1"}
    items = {r.get("identifier"): ElementTree.fromstring(package.read(r.get("href"))) for r in resources}
    _check_test(items.pop("test"), set(items))
    for name, item in items.items():
        assert list(qti_model.item_issues(item)) == [], name
        _check_item(name, item)
    return items


ORDER = ["responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing", "modalFeedback"]


def _check_item(name, item):
    assert item.tag == f"{QTI}assessmentItem" and item.get("identifier") == name
    assert {"title", "adaptive", "timeDependent"} <= set(item.keys())
    places = [ORDER.index(part.tag.removeprefix(QTI)) for part in item]
    assert all(one <= other for one, other in pairwise(places)) and set(places) == set(range(5))
    declared = {d.get("identifier") for d in item if d.tag.endswith("Declaration")}
    assert declared == {"RESPONSE", "SCORE", "FEEDBACK"}
    asked = [e for e in item.iter() if e.get("responseIdentifier")]
    assert [e.get("responseIdentifier") for e in asked] == ["RESPONSE"]
    used = {e.get("identifier") for e in item.iter() if e.tag in (f"{QTI}variable", f"{QTI}setOutcomeValue")}
    assert used <= declared
    feedback_names = [e.get("identifier") for e in item.findall(f"{QTI}modalFeedback")]
    assert len(set(feedback_names)) == len(feedback_names)
    set_to = {e.text for e in item.iter(f"{QTI}baseValue") if e.get("baseType") == "identifier"}
    assert set_to <= set(feedback_names)


def _check_test(test, names):
    assert test.tag == f"{QTI}assessmentTest" and test.get("title")
    references = [r.get("identifier") for r in test.iter(f"{QTI}assessmentItemRef")]
    assert sorted(references) == sorted(names)
    sections = [s.get("identifier") for s in test.iter(f"{QTI}assessmentSection")]
    assert len(set(sections)) == len(sections)
    assert all({"title", "visible"} <= set(s.keys()) for s in test.iter(f"{QTI}assessmentSection"))


def qti_grade(item, response):
    """Return (score, feedback) by running the response processing of an item."""
    correct = item.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value")
    outcome = {"SCORE": "0", "FEEDBACK": ""}

    def value(node):
        return {"variable": response, "correct": correct}.get(node.tag.removeprefix(QTI), node.text)

    def holds(test):
        left, right = map(value, test)
        if test.tag == f"{QTI}match":
            return left == right
        assert test.get("toleranceMode") == "absolute"
        low, high = map(float, test.get("tolerance").split())
        return float(right) - low <= float(left) <= float(right) + high

    def run(nodes):
        for node in nodes:
            if node.tag == f"{QTI}setOutcomeValue":
                outcome[node.get("identifier")] = value(node[0])
            elif node.tag == f"{QTI}responseCondition":
                branches = ((b, b.tag.endswith("Else") or holds(b[0])) for b in node)
                run(next(([*b] for b, chosen in branches if chosen), []))

    run(item.find(f"{QTI}responseProcessing"))
    feedback = {f.get("identifier"): "".join(f.itertext()) for f in item.findall(f"{QTI}modalFeedback")}
    return float(outcome["SCORE"]), feedback.get(outcome["FEEDBACK"], "")
