"""Faults put in on purpose: a flipped bit in a file, a NaN in the gradient of one rank."""


def flip_bit(path, place=0.5, bit=0):
    """Flip one bit of a file, at a place between 0 (its beginning) and 1 (its end).

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "x")
    ...     _ = file.write_bytes(bytes(3))
    ...     flip_bit(file)
    ...     file.read_bytes()
    b'\\x00\\x01\\x00'
    """
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        at = min(int(place * size), size - 1)
        file.seek(at)
        (value,) = file.read(1)
        file.seek(at)
        file.write(bytes([value ^ (1 << bit)]))


def spoil(rank, name, value):
    """Return a fault for `Training.advance`: one element of the gradient on one rank takes a value.

    >>> import numpy
    >>> gradients = [{"bias": numpy.zeros(3)}, {"bias": numpy.zeros(3)}]
    >>> spoil(1, "bias", numpy.inf)(gradients)
    >>> gradients[1]["bias"].tolist()
    [inf, 0.0, 0.0]
    """

    def fault(gradients):
        gradients[rank][name].reshape(-1)[0] = value

    return fault
