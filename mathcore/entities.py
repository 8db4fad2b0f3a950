"""What every statement of a chapter has: the author's line, and an address once it is named."""

import sys
from dataclasses import dataclass, field

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
        for path, module in list(sys.modules.items()):
            if path.startswith(CHAPTERS) and module is not None:
                for name, value in vars(module).items():
                    if value is self:
                        address = f"{path.removeprefix(CHAPTERS)}.{name}"
                        _addresses[id(self)] = (self, address)
                        return address
        return ""

    @property
    def name(self):
        """Return the last part of the address, or an empty text."""
        return self.address.rpartition(".")[2]
