"""Types in the signatures of the engine that no library names: values of JSON, arrays, statements of any kind."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from mathcore.library import AnyStatement

    Array: TypeAlias = np.ndarray
    Numbers: TypeAlias = float | np.ndarray  # the same arithmetic takes both
else:  # numpy is imported only where arrays come
    Array = Numbers = object

# what is written as JSON: texts, numbers, truth values, lists and dictionaries of them
JsonObject: TypeAlias = dict[str, object]
# what was read from JSON, TOML or CSV, or comes from Sphinx; a value is checked where it is used
AnyDict: TypeAlias = dict[str, Any]
AnyOf: TypeAlias = "AnyStatement"
