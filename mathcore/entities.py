"""What every statement of a chapter has: the author's line, and an address once it is named."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from mathcore.errors import where

CHAPTERS = "mathcore.chapters."
_addresses = {}  # by identity, with the entity: to look through all chapters takes long


@dataclass(frozen=True, eq=False, kw_only=True)
class Entity:
    """A frozen statement; `where` is the author's `file:line`."""

    where: str = field(default_factory=where, repr=False)

    @property
    def address(self):
        """Return `module.name` if a loaded chapter module holds this statement, else an empty text."""
        known, address = _addresses.get(id(self), (None, ""))
        if known is self:
            return address
        home = CHAPTERS + Path(self.where.rpartition(":")[0]).stem  # others may import it by another name
        loaded = [path for path in sys.modules if path.startswith(CHAPTERS) and sys.modules[path]]
        for path in sorted(loaded, key=lambda path: path != home):
            for name, value in vars(sys.modules[path]).items():
                if value is self:
                    address = f"{path.removeprefix(CHAPTERS)}.{name}"
                    _addresses[id(self)] = (self, address)
                    return address
        return ""

    @property
    def name(self):
        """Return the last part of the address, or an empty text."""
        return self.address.rpartition(".")[2]
