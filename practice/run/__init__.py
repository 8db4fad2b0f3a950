"""The reference run: a small distributed training job, and the faults that are injected into it.

`torchrun` starts `train` on every rank; `faults` and `chain` inject faults and check how the job ends;
`python -m practice.run` runs all of them and writes the record that the chapters quote. It needs an environment of
its own, which `make reference-run` sets up; the book and its core never import it.
"""
