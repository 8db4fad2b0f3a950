"""Material for lecturers: `python -m course`, or `make instructor`.

`syllabus` computes the minutes of ten weeks and of a workshop from the pages, `slides` makes a slide deck of each
chapter, `keys` writes every variant and every context with its answer, `student_seeds` assigns numbers by name, and
`guide` answers the labs and assigns their contexts to teams; the question banks are those of `exports`.
"""
