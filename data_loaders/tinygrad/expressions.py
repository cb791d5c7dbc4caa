"""Evaluate tinygrad's symbolic sizes for given values of their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.records import ParamArg, UOp, list_items, record_fields
from data_loaders.tinygrad.versions import Version

MAX_NODES = 100_000
"""Maximum nodes of an expression that are evaluated."""
MAX_BITS = 256
"""Longest intermediate number, in bits: a product of a shared product doubles its length with every
node.
"""

Values = Mapping[str, int]


def evaluate(expression: object, values: Values, version: Version) -> int | None:
    """Evaluate an expression to an int.

    Indices of the hardware's grid (SPECIAL) count as 0, as in tinygrad's bounds of loops. Returns
    `None` if it contains an unknown variable or operation, a division by 0, more than 100,000 nodes
    or a number of more than 256 bits.
    """
    if type(expression) is int:
        return expression
    results: dict[int, int | None] = {}
    open_nodes: list[object] = [expression]
    while open_nodes:
        node = open_nodes[-1]
        if id(node) in results:
            open_nodes.pop()
            continue
        sources = _sources(node)
        missing = [source for source in sources if id(source) not in results]
        if missing and len(results) < MAX_NODES:
            open_nodes.extend(missing)
            if len(open_nodes) > MAX_NODES:
                return None
            continue
        results[id(node)] = _value(
            node, [results.get(id(source)) for source in sources], values, version
        )
        open_nodes.pop()
    return results[id(expression)]


def _sources(node: object) -> Sequence[object]:
    """List the operands of a node; empty if it is not an operation."""
    if not isinstance(node, Record) or type(node) is not UOp or len(node.args) < 4:
        return ()
    return list_items(node.args[2])


def _value(
    node: object, sources: Sequence[int | None], values: Values, version: Version
) -> int | None:
    if type(node) is int:
        return node
    if not isinstance(node, Record) or type(node) is not UOp or len(node.args) < 4:
        return None
    operation = version.operation(node.args[0])
    argument = node.args[3]
    if operation in _LEAVES:
        return _LEAVES[operation](argument, values)
    if operation == "BIND":
        return sources[0] if sources else None
    return _compute(operation, sources)


def _compute(operation: str, sources: Sequence[int | None]) -> int | None:
    operands = [source for source in sources if source is not None]
    compute = _OPERATIONS.get((operation, len(sources)))
    if compute is None or len(operands) < len(sources):
        return None
    try:
        result = compute(*operands)
    except (ZeroDivisionError, ValueError):
        return None
    return result if result.bit_length() <= MAX_BITS else None


def _constant(argument: object, values: Values) -> int | None:
    if type(argument) is bool:
        return int(argument)
    return argument if type(argument) is int else None


def _variable(argument: object, values: Values) -> int | None:
    """Return the value of a variable (name, minimum, maximum) or of a named parameter.

    `None` if it is unknown.
    """
    fields = record_fields(argument, ParamArg)
    name = None
    if fields:
        name = fields.get("name")
    elif type(argument) is tuple and argument:
        name = argument[0]
    return values.get(name) if type(name) is str else None


def _grid_index(argument: object, values: Values) -> int:
    return 0


_LEAVES: Mapping[str, Callable[[object, Values], int | None]] = MappingProxyType(
    {"CONST": _constant, "DEFINE_VAR": _variable, "PARAM": _variable, "SPECIAL": _grid_index}
)


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shift(a: int, b: int) -> int:
    # A shift by a huge number would fill the memory before the result's length is checked.
    return a << b if b <= MAX_BITS else a << MAX_BITS + 1


_OPERATIONS: Mapping[tuple[str, int], Callable[..., int]] = MappingProxyType(
    {
        ("ADD", 2): lambda a, b: a + b,
        ("SUB", 2): lambda a, b: a - b,
        ("MUL", 2): lambda a, b: a * b,
        ("IDIV", 2): _towards_zero,
        ("CDIV", 2): _towards_zero,
        ("FLOORDIV", 2): lambda a, b: a // b,
        ("MOD", 2): lambda a, b: a - b * _towards_zero(a, b),
        ("CMOD", 2): lambda a, b: a - b * _towards_zero(a, b),
        ("FLOORMOD", 2): lambda a, b: a % b,
        ("MAX", 2): max,
        ("SHL", 2): _shift,
        ("SHR", 2): lambda a, b: a >> b,
        ("AND", 2): lambda a, b: a & b,
        ("OR", 2): lambda a, b: a | b,
        ("XOR", 2): lambda a, b: a ^ b,
        ("CMPLT", 2): lambda a, b: int(a < b),
        ("CMPNE", 2): lambda a, b: int(a != b),
        ("CMPEQ", 2): lambda a, b: int(a == b),
        ("WHERE", 3): lambda c, a, b: a if c else b,
        ("NEG", 1): lambda a: -a,
        ("CAST", 1): lambda a: a,
    }
)
