"""Questions: the choice and all answers, in the page before any script; and what waits for them."""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mathbook.domain_access import warn_invalid
from mathbook.elements import element, folded, raw, words
from mathbook.explorers import data_script
from mathbook.render_context import RenderContext, anchor
from mathbook.values import InvalidValue, facts_behind, lookup
from mathcore.teaching import Question

NO_SCRIPT_NOTE = "Without JavaScript, answers are neither stored nor locked. Choose an option, then open the answers."


class QuestionDirective(SphinxDirective):
    """State a question: the content is what leads to the choice."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Return the question, complete before any script runs."""
        address = self.arguments[0]
        try:
            entity = lookup(address)
        except InvalidValue as error:
            return [nodes.paragraph("", "", warn_invalid(error, self.get_location()))]
        if not isinstance(entity, Question):
            what = f"`{address}` is no question"
            return [nodes.paragraph("", "", warn_invalid(what, self.get_location(), "name a Question"))]
        inside = element("div", "mc-prompt")
        self.state.nested_parse(self.content, self.content_offset, inside)
        return block(RenderContext(self), address, entity, inside)


class RevealAfterDirective(SphinxDirective):
    """Keep the content closed until all named questions and exercises are answered; without JavaScript it is open."""

    required_arguments = 1
    optional_arguments = 9
    has_content = True
    option_spec = {"title": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def run(self):
        """Return the part that waits."""
        try:
            for address in self.arguments:
                lookup(address)
        except InvalidValue as error:
            return [nodes.paragraph("", "", warn_invalid(error, self.get_location()))]
        title = self.options.get("title", "")
        part = element("div", "mc-after", data_after=" ".join(self.arguments), data_title=title or None)
        # A heading becomes a rubric: as a section it would leave this part, and lie open behind it.
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


def block(ctx, address, entity, inside):
    """Return the question; `inside` is what leads to it."""
    ctx.note_use(address, *(f.address for f in entity.formulas), *facts_behind(entity))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    ctx.domain.number_within_page("questions", ctx.docname, address, entity.title)
    whole = element("mc-question", "mc-question", data_address=address, data_purpose=entity.purpose)
    whole["ids"] = [anchor(address)]
    head = [element("span", "mc-number", words(entity.purpose.capitalize())), words(" ")]
    whole += [element("p", "mc-head", *head, element("span", "mc-title", words(entity.title))), inside]
    whole += raw(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += [_form(anchor(address), entity), _answers(entity), raw(data_script(entity.spec()))]
    return [ctx.with_source(whole)]


def _form(name, entity):
    group = element("fieldset", "mc-options", element("legend", "mc-hidden", words(entity.title)))
    for index in range(len(entity.options)):
        says = element("span", "mc-option-says", words(entity.text(index)[0]))
        letter = element("b", "", words(f"{'ABCDEFGH'[index]}. "))
        choice = element("input", "", type="radio", name=name, value=str(index))
        group += element("label", "mc-option", choice, words(" "), element("span", "", letter, says))
    row = element("span", "mc-row", element("button", "mc-button mc-check", words("Commit"), type="submit"))
    form = element("form", "mc-form", group, row, autocomplete="off", novalidate=True)
    form += element("p", "mc-feedback", role="status")
    return form


def _answers(entity):
    listed = element("ol", "", type="A")
    for index in range(len(entity.options)):
        right = index == entity.right
        feedback = [element("b", "", words("Right. " if right else "Not right. "))]
        feedback += [element("span", "", words(entity.text(index)[1]))]
        listed += element("li", "", *feedback, data_verdict="right" if right else "wrong")
    return folded("mc-solution mc-answers", "All answers", listed)
