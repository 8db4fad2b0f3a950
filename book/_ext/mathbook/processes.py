"""Work spread over the processors, each piece in a process forked from this one.

A forked process has everything loaded that this one has: the engine, the chapters, the extension. What it
changes stays with it.
"""

import multiprocessing
import os
from multiprocessing.connection import wait


class WorkerDied(RuntimeError):
    """A process ended without an answer."""


def parallel_map(function, argument_tuples):
    """Return what a function gives for each piece, a tuple of its arguments, in their order.

    An exception of the function is raised here; a process that dies gives a Died in its piece's place.
    """
    ahead, running, results = list(enumerate(argument_tuples))[::-1], {}, {}
    context = multiprocessing.get_context("fork")
    while ahead or running:
        while ahead and len(running) < max(2, os.cpu_count() or 2):
            index, arguments = ahead.pop()
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_send_result, args=(there, function, arguments))
            process.start()
            there.close()
            running[here] = index, process
        for here in wait(list(running)):
            index, process = running.pop(here)
            results[index] = _receive_result(here)
            process.join()
    failed = [found for found in results.values() if isinstance(found, Exception) and not isinstance(found, WorkerDied)]
    if failed:
        raise failed[0]
    return [results[index] for index in sorted(results)]


def _send_result(connection, function, arguments):
    try:
        answer = function(*arguments)
    except Exception as error:  # told to the process that asked
        answer = error
    connection.send(answer)
    connection.close()


def _receive_result(connection):
    with connection:
        try:
            return connection.recv()
        except EOFError:
            return WorkerDied("the process ended before its work was done")
