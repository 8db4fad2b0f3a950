"""Questions: the options and all answers, complete without scripts; and parts that open after an answer."""

from docutils import nodes
from docutils.parsers.rst import directives

from mathbook.calculators import data_script
from mathbook.domain_access import CheckedDirective
from mathbook.elements import HtmlElement, answer_form, details, element, option_input, raw_html, text_node
from mathbook.render_context import RenderContext, anchor
from mathbook.values import facts_behind, find_statement
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
        return render_question(RenderContext(self), address, question, inside)


class RevealAfterDirective(CheckedDirective):
    """Show the content after all named questions and exercises are answered; without JavaScript it is open."""

    required_arguments = 1
    optional_arguments = 9
    has_content = True
    option_spec = {"title": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def content_nodes(self) -> list[nodes.Node]:
        """Return the part."""
        for address in self.arguments:
            find_statement(address)
        title = self.options.get("title", "")
        part = element("div", "mc-reveal-after", data_after=" ".join(self.arguments), data_title=title or None)
        # A heading becomes a rubric: as a section it would move out of this part and be visible.
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


def render_question(ctx: RenderContext, address: str, question: Question, inside: nodes.Element) -> list[nodes.Node]:
    """Return the block of a question; `inside` is its prompt."""
    ctx.note_use(address, *(f.address for f in question.formulas), *facts_behind(question))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    ctx.domain.number_within_page("questions", ctx.docname, address, question.title)
    whole = element("mc-question", "mc-question", data_address=address, data_purpose=question.purpose)
    whole["ids"] = [anchor(address)]
    head = [element("span", "mc-number", text_node(question.purpose.capitalize())), text_node(" ")]
    whole += [element("p", "mc-head", *head, element("span", "mc-title", text_node(question.title))), inside]
    whole += raw_html(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += [_question_form(anchor(address), question), _answer_list(question), raw_html(data_script(question.spec()))]
    return [ctx.with_source(whole)]


def _question_form(name: str, question: Question) -> HtmlElement:
    group = element("fieldset", "mc-options", element("legend", "mc-hidden", text_node(question.title)))
    for index in range(len(question.options)):
        says = element("span", "mc-option-text", text_node(question.text(index)[0]))
        letter = element("b", "", text_node(f"{OPTION_LETTERS[index]}. "))
        group += option_input(index, name, element("span", "", letter, says))
    return answer_form(group, verb="Commit")


def _answer_list(question: Question) -> HtmlElement:
    listed, right_index = element("ol", "", type="A"), question.right
    for index in range(len(question.options)):
        right = index == right_index
        feedback = [element("b", "", text_node("Right. " if right else "Not right. "))]
        feedback += [element("span", "", text_node(question.text(index)[1]))]
        listed += element("li", "", *feedback, data_verdict="right" if right else "wrong")
    return details("mc-solution mc-answers", "All answers", listed)
