"""Questions: the options and all answers, complete without scripts; and parts that open after an answer."""

from docutils import nodes
from docutils.parsers.rst import directives

from mathbook.calculators import data_script
from mathbook.domain_access import CheckedDirective
from mathbook.elements import HtmlElement, answer_form, element, folded, option, raw, words
from mathbook.render_context import RenderContext, anchor
from mathbook.values import facts_behind, lookup
from mathcore.teaching import Question
from mathcore.teaching.questions import OPTION_LETTERS

NO_SCRIPT_NOTE = "Without JavaScript, answers are neither stored nor locked. Choose an option, then open the answers."


class QuestionDirective(CheckedDirective):
    """Show a question; the content is its prompt."""

    required_arguments = 1
    has_content = True

    def content_nodes(self) -> list[nodes.Node]:
        """Return the question, which is complete without scripts."""
        address, question = self.arguments[0], self.lookup(Question, "name a Question")
        inside = element("div", "mc-prompt")
        self.state.nested_parse(self.content, self.content_offset, inside)
        return block(RenderContext(self), address, question, inside)


class RevealAfterDirective(CheckedDirective):
    """Show the content after all named questions and exercises are answered; without JavaScript it is open."""

    required_arguments = 1
    optional_arguments = 9
    has_content = True
    option_spec = {"title": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def content_nodes(self) -> list[nodes.Node]:
        """Return the part."""
        for address in self.arguments:
            lookup(address)
        title = self.options.get("title", "")
        part = element("div", "mc-reveal-after", data_after=" ".join(self.arguments), data_title=title or None)
        # A heading becomes a rubric: as a section it would move out of this part and be visible.
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


def block(ctx: RenderContext, address: str, question: Question, inside: nodes.Element) -> list[nodes.Node]:
    """Return the block of a question; `inside` is its prompt."""
    ctx.note_use(address, *(f.address for f in question.formulas), *facts_behind(question))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    ctx.domain.number_within_page("questions", ctx.docname, address, question.title)
    whole = element("mc-question", "mc-question", data_address=address, data_purpose=question.purpose)
    whole["ids"] = [anchor(address)]
    head = [element("span", "mc-number", words(question.purpose.capitalize())), words(" ")]
    whole += [element("p", "mc-head", *head, element("span", "mc-title", words(question.title))), inside]
    whole += raw(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += [_form(anchor(address), question), _answers(question), raw(data_script(question.spec()))]
    return [ctx.with_source(whole)]


def _form(name: str, question: Question) -> HtmlElement:
    group = element("fieldset", "mc-options", element("legend", "mc-hidden", words(question.title)))
    for index in range(len(question.options)):
        says = element("span", "mc-option-text", words(question.text(index)[0]))
        letter = element("b", "", words(f"{OPTION_LETTERS[index]}. "))
        group += option(index, name, element("span", "", letter, says))
    return answer_form(group, verb="Commit")


def _answers(question: Question) -> HtmlElement:
    listed, right_index = element("ol", "", type="A"), question.right
    for index in range(len(question.options)):
        right = index == right_index
        feedback = [element("b", "", words("Right. " if right else "Not right. "))]
        feedback += [element("span", "", words(question.text(index)[1]))]
        listed += element("li", "", *feedback, data_verdict="right" if right else "wrong")
    return folded("mc-solution mc-answers", "All answers", listed)
