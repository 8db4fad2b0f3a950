"""Committing to a date, decided: the slack that holds it, and what an interruption may cost."""

from sympy import Rational

from mathcore import Decision, Example, Range
from mathcore.chapters import fleet_checkpointing, reliability, young_daly
from mathcore.chapters.reliability import measured
from mathcore.chapters.reliability.deadlines import D, Q_b, b, t_w
from mathcore.chapters.reliability.measured import n_b
from mathcore.chapters.young_daly import C, M, R

RATES = "90 % of other fleets, from eight of six operators, three of them Meta's like Llama 3"
CASE = {
    t_w: "29 d",
    M: reliability.rsc_mttf_1024,
    n_b: measured.facts.rough_burst,
    Q_b: measured.date_of_work_in_bursts,
}
UNCERTAIN = {
    M: Range(measured.fleet_least, measured.fleet_greatest, source=RATES),
    n_b: Range(measured.facts.settled_burst, measured.facts.young_burst),
}

AS_SEEN = {M: reliability.rsc_mttf_1024}
least_loss = Example(measured.interruption, {**AS_SEEN, R: fleet_checkpointing.facts.restart_quick, C: "5 s"}, digits=2)
greatest_loss = Example(
    measured.interruption, {**AS_SEEN, R: fleet_checkpointing.facts.recovery_mean, C: young_daly.lab_write}, digits=2
)
LOSS = Range(
    least_loss,
    greatest_loss,
    source="shortest and longest mean recovery that were published, each with half of Young's interval, for a stall of 5 s and a write of 4 min",
)

HOLDS = {"the date holds with 95 %": Q_b >= Rational(95, 100)}
LABELS = {b: "slack", Q_b: "date holds", M: "MTBF", n_b: "failures per burst", D: "time lost per interruption"}

slack = Decision(
    "How many days of slack make the date safe?",
    options={b: tuple(f"{n} d" for n in range(1, 31))},
    given={**CASE, D: "40 min"},
    minimise=b,
    constraints=HOLDS,
    uncertain={**UNCERTAIN, D: LOSS},
    error=(
        "1 d",
        "whole days: if the standard deviation of the count is off by a third, as on Titan's GPUs in the median, the slack needed changes by 0.4 days",
    ),
    columns=(Q_b,),
    proposed={b: "1 d"},
    labels=LABELS,
    expects=[{b: "4 d"}, {b: "5 d"}],
)

interruption = Decision(
    "How much time may an interruption cost if there is only one day of slack?",
    options={D: tuple(f"{n} min" for n in range(1, 61))},
    given={**CASE, b: "1 d"},
    maximise=D,
    constraints=HOLDS,
    uncertain=UNCERTAIN,
    error=("0 %", "whole minutes, counted"),
    columns=(Q_b,),
    proposed={D: "40 min"},
    labels=LABELS,
    expects={D: ("7 min", "11 min")},
)
