"""Types in the signatures of the engine that no library names: values of JSON, arrays, statements of any kind."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    from mathcore.library import AnyStatement

    Array: TypeAlias = np.ndarray
    Numbers: TypeAlias = float | np.ndarray  # the same arithmetic takes both
else:  # numpy is imported only where arrays come
    Array = Numbers = object

# what a name or an expression of an author stands for: a statement, a quantity, a number, a truth value, an expression
Value: TypeAlias = Any
# what json and tomllib read and write: texts, numbers, truth values, lists and dictionaries of them
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
AnyOf: TypeAlias = "AnyStatement"
