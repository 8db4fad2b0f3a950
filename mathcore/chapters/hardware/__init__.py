"""Hardware: what accelerators and links can do, each figure with all that it could be mixed up with.

A name is `device_what`: `h100_bf16` is the dense BF16 peak of the SXM module, `h100_hbm` its memory.
Arithmetic peaks are dense and per device, link rates are for one direction, memory is what software sees
unless `qualifier` says raw. Data sheets like the other choice: with sparsity, and both directions added.
"""

from mathcore import read_facts

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
