"""Work in processes forked from this one, which have everything loaded that this one has.

Changes in such a process do not affect this one: engine, chapters and extension are copies.
"""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

FORK = multiprocessing.get_context("fork")
WORKERS = max(2, os.cpu_count() or 2)


class WorkerDied(RuntimeError):
    """A process ended without returning a result."""


class ForkedCall:
    """The call `function(*arguments)` in a process of its own, started at once."""

    def __init__(self, function: Callable, arguments: tuple) -> None:
        self.pipe, there = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=_send_result, args=(there, function, arguments))
        self.process.start()
        there.close()

    def result(self) -> Any:
        """Wait for the call to end; return its result, the exception that it raised, or a WorkerDied."""
        with self.pipe:
            try:
                outcome = self.pipe.recv()
            except EOFError:
                outcome = WorkerDied("the process ended before its work was done")
        self.process.join()
        return outcome


def _send_result(connection: Connection, function: Callable, arguments: tuple) -> None:
    try:
        answer = function(*arguments)
    except Exception as error:  # raised in the process that asked
        answer = error
    connection.send(answer)
    connection.close()


def parallel_map(function: Callable, argument_tuples: Sequence[tuple]) -> list[Any]:
    """Return the results of `function` for each tuple of arguments, in order, each computed in its own process.

    An exception of the function is raised here; a process that dies yields a WorkerDied instead of a result.
    """
    ahead = list(enumerate(argument_tuples))[::-1]
    results: dict[int, Any] = {}
    running: dict[Any, tuple[int, ForkedCall]] = {}  # by the pipe of the job
    while ahead or running:
        while ahead and len(running) < WORKERS:
            index, arguments = ahead.pop()
            job = ForkedCall(function, arguments)
            running[job.pipe] = index, job
        for pipe in wait(list(running)):
            index, job = running.pop(pipe)
            results[index] = job.result()
    failed = [
        outcome
        for outcome in results.values()
        if isinstance(outcome, Exception) and not isinstance(outcome, WorkerDied)
    ]
    if failed:
        raise failed[0]
    return [results[index] for index in sorted(results)]
