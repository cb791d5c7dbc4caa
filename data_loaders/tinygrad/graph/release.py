"""Detect which release's rewrite rules a capture follows."""

from __future__ import annotations

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.contexts import Rewrites
from data_loaders.tinygrad.records import DType
from data_loaders.tinygrad.versions import Version

_FIELDS_OF_A_TYPE = 4
"""Number of values of a type since 0.14; earlier types also contain their number of elements."""


_OPERATIONS_NEW_IN_13 = frozenset(("CALL", "FUNCTION", "PARAM", "STACK"))
"""Operations that 0.13 introduced."""


def rewrite_rules(rewrites: Rewrites, version: Version) -> str:
    """Detect the rewrite rules `0.14`, `0.13` or `0.12` from the release of the operations'
    numbers, else from the records.

    Types have four values since 0.14; calls exist since 0.13. Commits between two releases follow
    the rules of the release with the same records.
    """
    types = (node[1] for node in rewrites.nodes.values() if type(node) is tuple and len(node) >= 4)
    first = next((kind for kind in types if isinstance(kind, Record) and type(kind) is DType), None)
    if first is not None and len(first.args) == _FIELDS_OF_A_TYPE:
        return "0.14"
    if version.operations:
        return "0.12" if version.name == "0.12" else "0.13"
    names = (version.operation(node[0]) for node in rewrites.nodes.values() if type(node) is tuple and node)
    return "0.13" if not _OPERATIONS_NEW_IN_13.isdisjoint(names) else "0.12"
