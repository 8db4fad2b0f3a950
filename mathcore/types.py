"""Types in the signatures of the engine that no library names: values of JSON, arrays, statements of any kind."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from mathcore.library import AnyStatement

# what json and tomllib read and write: texts, numbers, truth values, lists and dictionaries of them
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
# an array of numpy, which is imported only where arrays come, or a number: the same arithmetic takes both
Array: TypeAlias = Any
AnyOf: TypeAlias = "AnyStatement"
