"""Disks: how long does it take to copy a file?"""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.teaching import read_calculators, read_exercises

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

S = Variable("S", "B", "size of the file", display_unit="GB", low="1 kB", high="100 TB")
r = Variable("r", "B/s", "read bandwidth of the source", display_unit="MB/s", low="1 MB/s", high="100 GB/s")
w = Variable("w", "B/s", "write bandwidth of the target", display_unit="MB/s", low="1 MB/s", high="100 GB/s")
T = Variable("T", "s", "time to copy the file", display_unit="s")
b = Variable("b", "B/s", "copy bandwidth", display_unit="MB/s")

copy_time = Formula(T, S / r + S / w, kind="model", assumptions="the file is read completely before it is written")
copy_bandwidth = (
    Derivation.start(b, S / T, "bandwidth is the number of bytes divided by the time that they take")
    .apply({T: copy_time}, "one pass to read, one pass to write")
    .rewrite(r * w / (r + w), "cancel S and multiply by the product of both bandwidths")
    .formula()
)

movie = Example(copy_bandwidth, {r: facts.ssd_read, w: facts.hdd_write}, expect="160 MB/s")

exercises = read_exercises(__name__)
calculators = read_calculators(__name__)
