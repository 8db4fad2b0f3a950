"""Experiments of the chapter on resilience: a small training run that is saved, damaged, killed and resumed.

Half-precision arithmetic, files, checksums and fsync are real but small. Only time is simulated, so that a day of
failures takes a second and each build of the page gives the same numbers.
"""
