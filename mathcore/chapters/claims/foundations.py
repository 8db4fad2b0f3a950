"""The page of first equations: what `Mathematical Foundations` prints, and what it is when computed."""

from mathcore.teaching import read_claims

claims = read_claims(__name__)
__getattr__ = claims.__getattr__
