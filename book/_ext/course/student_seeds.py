"""Exercise numbers for each student: the seed is derived from the name, and a link opens the page with it."""

import csv
import io
import zlib

from mathbook.render_context import anchor
from mathbook.variants import variant_seeds

from mathcore import find
from mathcore.teaching import Exercise
from mathcore.teaching.exercises import SEEDS


def student_seed(name, address, exercise):
    """Return the seed of a student's variant; the same name gives the same seed on every machine."""
    known = variant_seeds(exercise, SEEDS)
    return known[zlib.crc32(f"{name.strip()} {address}".encode()) % len(known)]


def variant_table(names, plan):
    """Return, as CSV, the link and the answer for each student and each recommended exercise."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["student", "page", "exercise", "seed", "link", "answer"])
    for name in filter(None, map(str.strip, names)):
        for page, path in plan.paths.items():
            for address in path:
                exercise = find(address)
                if isinstance(exercise, Exercise):
                    seed = student_seed(name, address, exercise)
                    link = f"{plan.places[address]}.html?seed={address}:{seed}#{anchor(address)}"
                    rows.writerow([name, page, address, seed, link, exercise.format_answer(exercise.answer_of(seed))])
    return text.getvalue()
