"""Papers and reports: well-known numbers that do or do not follow from their own inputs."""

from mathcore.teaching import read_claims

claims = read_claims(__name__)
__getattr__ = claims.__getattr__
