"""Work spread over the processors, each piece in a process forked from this one.

A forked process has everything loaded that this one has: the engine, the chapters, the extension. What it
changes stays with it.
"""

import multiprocessing
import os
from multiprocessing.connection import wait


class Died(RuntimeError):
    """A process ended without an answer."""


def spread(function, pieces):
    """Return what a function gives for each piece, a tuple of its arguments, in their order.

    An exception of the function is raised here; a process that dies gives a Died in its piece's place.
    """
    ahead, running, results = list(enumerate(pieces))[::-1], {}, {}
    context = multiprocessing.get_context("fork")
    while ahead or running:
        while ahead and len(running) < max(2, os.cpu_count() or 2):
            index, piece = ahead.pop()
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_answer, args=(there, function, piece))
            process.start()
            there.close()
            running[here] = index, process
        for here in wait(list(running)):
            index, process = running.pop(here)
            results[index] = _received(here)
            process.join()
    failed = [found for found in results.values() if isinstance(found, Exception) and not isinstance(found, Died)]
    if failed:
        raise failed[0]
    return [results[index] for index in sorted(results)]


def _answer(there, function, piece):
    try:
        answer = function(*piece)
    except Exception as error:  # told to the process that asked
        answer = error
    there.send(answer)
    there.close()


def _received(here):
    with here:
        try:
            return here.recv()
        except EOFError:
            return Died("the process ended before its work was done")
