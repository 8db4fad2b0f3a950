"""`show("young_daly.interval")` in a cell: the page typesets the statement from the live core."""

from mathcore.derivations import Derivation
from mathcore.formulas import Formula
from mathcore.library import find


class Shown:
    """A statement to be shown; the page gets its address, a console its LaTeX or its value."""

    def __init__(self, address):
        """Look the address up, so that an unknown one fails in the author's cell."""
        self.address, self.entity = address, find(address)

    def _repr_mimebundle_(self, include=None, exclude=None):
        directive = f":::{{mc-show}} {self.address}\n:::"
        return {"text/markdown": directive, "text/plain": repr(self)}

    def __repr__(self):
        """Return what a console can show."""
        if isinstance(self.entity, Formula):
            return self.entity.latex()
        if isinstance(self.entity, Derivation):
            return "\n".join(f"{s.latex()}    [{s.verdict.name}] {s.why}" for s in self.entity.steps)
        return f"{self.address}: {getattr(self.entity, 'value', self.entity)}"


def show(address):
    r"""Show a statement of the book in a page or a console.

    Raises: UnknownAddress.

    >>> show("young_daly.interval")
    \tau_{\mathrm{Y}} = \sqrt{2 C M}
    """
    return Shown(address)
