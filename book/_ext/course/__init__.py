"""Material for lecturers: `python -m course`, or `make instructor`.

`rendering` makes the slides of each chapter and the texts on project and rubrics, `exams` draws midterms and finals
with keys, `keys` writes every variant and every context with its answer, `student_seeds` assigns numbers by name,
`guide` answers the labs and assigns their contexts to teams, `syllabus` links to all of it; the question banks are
those of `exports`.
"""
