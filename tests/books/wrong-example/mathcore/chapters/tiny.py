"""The statements of a tiny book."""

from mathcore import Derivation, Example, Fact, Formula, Variable
from mathcore.teaching import Axis, Curve, Exercise, Calculator, Marker, Row, Slider

a = Variable("a", "s", "a time", display_unit="min", low="1 s", high="1 d")
b = Variable("b", "s", "its double", display_unit="min")
c = Variable("c", "s", "the sum of both", display_unit="min")

bench = Fact("5 min", "time on the bench", kind="measurement", source="bench", date="2024")

twice = Formula(b, 2 * a, kind="definition", assumptions="a is a time")
total = Formula(c, a + b, kind="model", assumptions="b follows a")
thrice = Derivation.start(total).apply(twice, "b is the double of a", eliminating=a).formula()
five = Example(twice, {a: bench}, expect="11 min", source="by hand")

ex_twice = Exercise(
    twice,
    {a: "4 min"},
    title="Double it",
    variants={a: ("2 min", "7 min")},
    mistakes={"you halved": a / 2, "you added one more": 3 * a},
)

explorer = Calculator(
    title="Doubling",
    sliders=(Slider(a, "min", 1, 10, 1, 5),),
    x=Axis(a, "min", 1, 10),
    y=Axis(b, "min", 0, 20),
    curves=(Curve("double", twice, "total"),),
    markers=(Marker("you", a, twice),),
    lines=(twice,),
    columns={"now": a},
    rows=(Row("double", twice, "min"),),
)
