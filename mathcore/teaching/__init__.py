"""Exercises, tasks, questions, calculators, labs, audited claims, and the diagnosis of wrong answers."""

from mathcore.teaching.calculators import (
    Axis,
    Bands,
    Bars,
    Calculator,
    Card,
    Chart,
    Choice,
    Curve,
    Failure,
    Level,
    Marker,
    Remedy,
    Row,
    Slider,
    Substituted,
    read_calculators,
)
from mathcore.teaching.claims import Claim, read_claims
from mathcore.teaching.diagnosis import Diagnosis, diagnose
from mathcore.teaching.exercises import Exercise, read_exercises
from mathcore.teaching.expressions import Calculation
from mathcore.teaching.labs import Context, Lab, Outcome, read_labs
from mathcore.teaching.open_exercises import (
    DeriveExercise,
    DesignExercise,
    EstimateExercise,
    OpenExercise,
    OrderExercise,
    ProgramExercise,
    read_open_exercises,
)
from mathcore.teaching.questions import Option, Question, read_questions
from mathcore.teaching.tasks import Task, read_tasks

__all__ = [
    "Axis", "Bands", "Bars", "Calculation", "Calculator", "Card", "Chart", "Choice", "Claim", "Context", "Curve",
    "DeriveExercise", "DesignExercise", "Diagnosis", "EstimateExercise", "Exercise", "Failure", "Lab", "Level",
    "Marker", "OpenExercise", "Option", "OrderExercise", "Outcome", "ProgramExercise", "Question", "Remedy", "Row",
    "Slider", "Substituted", "Task", "diagnose", "read_calculators", "read_claims", "read_exercises", "read_labs",
    "read_open_exercises", "read_questions", "read_tasks"
]  # fmt: skip
