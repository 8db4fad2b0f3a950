"""Exercises and questions for learning platforms: `python -m exports`, or `make exports`.

`question_bank` reads the prompts from the built site and takes keys and variants from the engine; `moodle` and `qti`
write them, each in its own format.
"""
