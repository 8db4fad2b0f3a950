"""An IPython shell that collects the outputs of cells as a notebook stores them, in their order."""

from contextlib import redirect_stderr, redirect_stdout

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class OutputStream:
    """A text stream that appends what is printed to the outputs of a cell."""

    def __init__(self, name, outputs):
        self.name, self.outputs = name, outputs

    def write(self, text):
        """Append a text to the last output if it is of this stream, else add a new output."""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == self.name:
            last["text"] += text
        elif text:
            self.outputs.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)

    def flush(self):
        """Do nothing, since nothing is buffered."""

    def isatty(self):
        """Return False: the stream is not a terminal."""
        return False


class OutputPublisher(DisplayPublisher):
    """The display publisher: what a cell displays becomes an output."""

    def publish(self, data, metadata=None, source=None, **_):
        """Add an output of type `display_data`."""
        self.shell.given.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})


class OutputHook(DisplayHook):
    """The display hook: the value of the last line of a cell becomes an output."""

    def __call__(self, result=None):
        """Add an output of type `execute_result`, unless the line ends in a semicolon."""
        if result is not None and self.shell and not self.quiet():
            data, metadata = self.compute_format_data(result)
            self.update_user_ns(result)
            out = {"output_type": "execute_result", "data": data, "metadata": metadata}
            self.shell.given.append(out | {"execution_count": self.shell.execution_count})


class CellRunner(InteractiveShell):
    """An IPython shell that returns the outputs of each cell."""

    displayhook_class, display_pub_class = OutputHook, OutputPublisher

    def outputs_of(self, source):
        """Run a cell and return its outputs; the attribute `error` is None or `(kind, text, traceback)`."""
        self.given, self.error = [], None
        with redirect_stdout(OutputStream("stdout", self.given)), redirect_stderr(OutputStream("stderr", self.given)):
            self.run_cell(source, store_history=True)
        return self.given

    def _showtraceback(self, kind, error, lines):
        self.error = kind.__name__, str(error), "\n".join(lines)


def new_cell_runner():
    """Return a new CellRunner, which writes no history."""
    return CellRunner(config=Config({"HistoryManager": {"enabled": False}}))
