"""The Scale Illusion: what the lab on scaling and fleet costs prints, and what it is when computed.

What its calculators show is taken at the settings with which they open.
"""

from mathcore.teaching import read_claims

claims = read_claims(__name__)
__getattr__ = claims.__getattr__
