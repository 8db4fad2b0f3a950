"""The Checkpoint Reckoning: what the lab on fault tolerance prints, and what it is when computed.

What its calculators show is taken at the settings with which they open.
"""

from mathcore.teaching import read_claims

claims = read_claims(__name__)
__getattr__ = claims.__getattr__
