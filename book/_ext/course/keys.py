"""Answer keys as CSV files: every variant of every exercise and task, every context of every lab."""

import csv
import io

from mathbook.variants import mistake_results, variant_seeds

from mathcore import units
from mathcore.examples import given_text
from mathcore.library import current_library
from mathcore.teaching import Calculator, Exercise, Lab, Question, Task
from mathcore.teaching.exercises import SEEDS
from mathcore.teaching.questions import OPTION_LETTERS
from mathcore.units import natural_unit, quantity_text


def key_files():
    """Return `{file name: text of the table}`."""
    return {
        "exercises.csv": csv_text(exercise_rows()),
        "tasks.csv": csv_text(task_rows()),
        "labs.csv": csv_text(lab_rows()),
    }


def csv_text(rows):
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def exercise_rows():
    """Yield a row for each variant of each exercise: givens, answer, tolerance, result of each common mistake."""
    yield ["exercise", "title", "seed", "givens", "answer", "counts as right", "mistakes"]
    for address, exercise in current_library.walk():
        if not isinstance(exercise, Exercise):
            continue
        counts = f"whole, rounded {exercise.rounding}" if exercise.rounding else f"within {exercise.rtol * 100:g} %"
        for seed in variant_seeds(exercise, SEEDS):
            givens = "; ".join(f"{v.name} = {given_text(q)}" for v, q in exercise.givens_of(seed).items())
            wrong = "; ".join(f"{exercise.format_answer(q)}: {label}" for label, q in mistake_results(exercise, seed))
            answer = exercise.format_answer(exercise.answer_of(seed))
            yield [address, exercise.title, seed, givens, answer, counts, wrong]


def task_rows():
    """Yield a row for each variant of each task: the question and the right answers."""
    yield ["task", "page", "title", "variant", "asked", "right", "why"]
    for address, task in current_library.walk():
        if isinstance(task, Task):
            for number in range(task.variants):
                right = [each for each in task.choices(number) if each.right]
                says = "; ".join(" ".join((each.text, each.tex)).strip() for each in right)
                question, why = task.fill(task.prompt, number), " ".join(each.feedback for each in right)
                yield [address, address.partition(".")[0].replace("_", "-"), task.title, number, question, says, why]


def lab_rows():
    """Yield a row for each question and exercise of each lab in each of its contexts."""
    yield ["lab", "context", "label", "part", "title", "key", "why"]
    for _, lab in current_library.walk():
        if isinstance(lab, Lab):
            for name in lab.contexts or {"": None}:
                for part in lab.parts:
                    yield from _part(lab, name, part)


def _part(lab, name, part):
    if isinstance(part, Question):
        state = question_state(lab, name, part)
        right = part.right_at(state)
        says, why = part.text(right, state)
        key = [f"{OPTION_LETTERS[right]}. {says}", why]
    elif isinstance(part, Exercise):
        key = [part.text(), "the same in every context"]
    elif part.commit:
        key = slider_value(part, context_settings(lab, name, part))
    else:
        return
    context = lab.contexts[name].label if name else ""
    yield [lab.title, name, context, part.address, part.title, *key]


def question_state(lab, name, question):
    """Return the numbers on which a question is based in the context `name`, by variable."""
    settings = context_settings(lab, name, question.calculator)
    return {v: settings.get(v, x) for v, x in question.givens.items()}


def context_settings(lab, name, calculator):
    """Return the initial values of a calculator in the context `name`, by variable."""
    if calculator is None:
        return {}
    settings = lab.contexts[name].sets if name else {}
    return {v: units.quantity(settings[v]) if v in settings else q for v, q in calculator.defaults.items()}


def slider_value(calculator: Calculator, state):
    """Return the best value of the input that a calculator asks for, as text, and how it is judged."""
    variable, best = calculator.commit[0], calculator.optimum(state)
    text = quantity_text(best, natural_unit(best, variable.display_unit), 0 if variable.integer_only else 3)
    return [f"{variable.meaning}: {text}", "judged by what is lost against the best"]
