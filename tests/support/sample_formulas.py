"""Symbols and formulas that tests of the engine state for themselves, so that no chapter is needed."""

from sympy import sqrt

from mathcore import Formula, Variable

C = Variable("C", "s", "time to write", display_unit="min", low="1 s", high="1 d")
M = Variable("M", "s", "time between failures", display_unit="h", low="1 min", high="10 year")
tau = Variable("tau", "s", "work between checkpoints", tex=r"\tau", display_unit="min", low="1 s", high="30 d")
w = Variable("w", "", "waste", display_unit="%")
m = Variable("m", "gpu h", "time between failures of a device", low="1 gpu h", high="1000000 gpu h")
N = Variable("N", "gpu", "devices", low="1 gpu", high="1000000 gpu", integer=True)
V = Variable("V", "B", "data", display_unit="GB", low="1 B", high="1 EB")
b = Variable("b", "B/s", "bandwidth", display_unit="GB/s", low="1 B/s", high="1 PB/s")
d = Variable("d", "s", "duration")
W = Variable("W", "FLOP", "work", low="1 FLOP", high="1 YFLOP")
P = Variable("P", "FLOP/s", "peak", low="1 FLOP/s", high="1 EFLOP/s")
A = Variable("A", "FLOP/s", "attained rate")
x = Variable("x", "", "ratio", low="0.01", high="100")

waste = Formula(w, C / tau + tau / (2 * M))
interval = Formula(tau, sqrt(2 * C * M))
cluster = Formula(M, m / N)
transfer = Formula(d, V / b)
