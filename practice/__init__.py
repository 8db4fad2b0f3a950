"""What the chapter on resilience runs: a small training run that is saved, damaged, killed and resumed.

Everything is real but small: half-precision arithmetic, bytes on disk, checksums, fsync. Only time is
simulated, so that a day of failures passes in a second and every run of the page gives the same numbers.
"""
