"""An IPython shell that collects the outputs of cells as a notebook stores them, in their order."""

from contextlib import redirect_stderr, redirect_stdout

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from mathcore.types import AnyDict


class OutputStream:
    """A text stream that appends what is printed to the outputs of a cell."""

    def __init__(self, name: str, outputs: list[AnyDict]) -> None:
        self.name, self.outputs = name, outputs

    def write(self, text: str) -> int:
        """Append a text to the last output if it is of this stream, else add a new output."""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == self.name:
            last["text"] += text
        elif text:
            self.outputs.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)

    def flush(self) -> None:
        """Do nothing, since nothing is buffered."""

    def isatty(self) -> bool:
        """Return False: the stream is not a terminal."""
        return False


class OutputPublisher(DisplayPublisher):
    """The display publisher: what a cell displays becomes an output."""

    def publish(self, data: AnyDict, metadata: AnyDict | None = None, source: str | None = None, **_: object) -> None:
        """Add an output of type `display_data`."""
        self.shell.given.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})


class OutputHook(DisplayHook):
    """The display hook: the value of the last line of a cell becomes an output."""

    def __call__(self, result: object = None) -> None:
        """Add an output of type `execute_result`, unless the line ends in a semicolon."""
        if result is not None and self.shell and not self.quiet():
            data, metadata = self.compute_format_data(result)
            self.update_user_ns(result)
            out = {"output_type": "execute_result", "data": data, "metadata": metadata}
            self.shell.given.append(out | {"execution_count": self.shell.execution_count})


class CellRunner(InteractiveShell):
    """An IPython shell that returns the outputs of each cell."""

    displayhook_class, display_pub_class = OutputHook, OutputPublisher

    def outputs_of(self, source: str) -> list[AnyDict]:
        """Run a cell and return its outputs; the attribute `error` is None or `(kind, text, traceback)`."""
        self.given: list[AnyDict] = []
        self.error: tuple[str, str, str] | None = None
        with redirect_stdout(OutputStream("stdout", self.given)), redirect_stderr(OutputStream("stderr", self.given)):
            self.run_cell(source, store_history=True)
        return self.given

    def _showtraceback(self, kind: type[BaseException], error: BaseException, lines: list[str]) -> None:
        self.error = kind.__name__, str(error), "\n".join(lines)


def new_cell_runner() -> CellRunner:
    """Return a new CellRunner, which writes no history."""
    return CellRunner(config=Config({"HistoryManager": {"enabled": False}}))
