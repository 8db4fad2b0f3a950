"""A folder for lecturers: `python -m course`, or `make instructor`.

`syllabus` reckons ten weeks and a workshop from the pages, `slides` cuts each chapter into slides, `keys` writes
every variant and every context with its answer, `student_seeds` hands out numbers by name; the question banks are
those of `exports`.
"""
