"""The Art of Crash-Proofing: what a chapter on fault tolerance prints, and what it is when computed."""

from mathcore.teaching import read_claims

claims = read_claims(__name__)
__getattr__ = claims.__getattr__
