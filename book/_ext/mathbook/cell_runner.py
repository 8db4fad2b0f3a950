"""An IPython whose outputs are those of a notebook, in the order in which they come."""

from contextlib import redirect_stderr, redirect_stdout

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class OutputStream:
    """What is printed by a cell, in the order of its other outputs."""

    def __init__(self, name, outputs):
        self.name, self.outputs = name, outputs

    def write(self, text):
        """Add a text to what was last printed on this stream, or begin anew after another output."""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == self.name:
            last["text"] += text
        elif text:
            self.outputs.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)

    def flush(self):
        """Do nothing: all is there already."""

    def isatty(self):
        """Tell that nobody sits before it."""
        return False


class OutputPublisher(DisplayPublisher):
    """What a cell displays."""

    def publish(self, data, metadata=None, **_):
        """Keep one display."""
        self.shell.given.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})


class OutputHook(DisplayHook):
    """What the last line of a cell is."""

    def __call__(self, result=None):
        """Keep a result, unless the line ends in a semicolon."""
        if result is not None and not self.quiet():
            data, metadata = self.compute_format_data(result)
            self.update_user_ns(result)
            out = {"output_type": "execute_result", "data": data, "metadata": metadata}
            self.shell.given.append(out | {"execution_count": self.shell.execution_count})


class CellRunner(InteractiveShell):
    """An IPython that tells what each cell gave."""

    displayhook_class, display_pub_class = OutputHook, OutputPublisher

    def outputs_of(self, source):
        """Run a cell and return its outputs; `error` is None or `(kind, text, traceback)`."""
        self.given, self.error = [], None
        with redirect_stdout(OutputStream("stdout", self.given)), redirect_stderr(OutputStream("stderr", self.given)):
            self.run_cell(source, store_history=True)
        return self.given

    def _showtraceback(self, kind, error, lines):
        self.error = kind.__name__, str(error), "\n".join(lines)


def new_cell_runner():
    """Return a new Shell, which writes no history."""
    return CellRunner(config=Config({"HistoryManager": {"enabled": False}}))
