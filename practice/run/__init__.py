"""The reference run: a small training job in separate processes, and everything that is done to it.

`train` is the script that `torchrun` starts on every rank; `faults` strikes it and judges how it ends;
`python -m practice.run` does all of it and writes the record from which the chapters quote. It needs the
environment of its own that `make practice` sets up; the book and its core never import it.
"""
