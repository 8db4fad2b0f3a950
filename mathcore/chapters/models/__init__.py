"""Models: the shapes of language models, the runs that trained them, and the laws fitted to such runs.

A shape is one table of `facts.toml`; each entry is a fact of its own, `llama31_8b_layers`, `llama31_8b_hidden`, …
All are counts. `vectors` and `last` count the weights of norms and biases in units of the width.
"""

from mathcore import read_facts

facts = read_facts(__name__)
__getattr__ = facts.__getattr__


def of(name, symbols):
    """Return `{letter: fact}` of one model, from `{letter: column}`."""
    return {symbol: facts[f"{name}_{column}"] for symbol, column in symbols.items()}
