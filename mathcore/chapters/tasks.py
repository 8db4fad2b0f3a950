"""Tasks beyond a substitution: models, plans, measured tables, uncertainties, and errors to be found."""

from mathcore.teaching import read_tasks

tasks = read_tasks(__name__)
__getattr__ = tasks.__getattr__
