"""Parser of the last module that TPU-MLIR compiles (`*final.mlir`): chip, operators by line, and
tensors with their addresses.

The text is read line by line in the form of MLIR's printer: operators of a function are indented by
six spaces, operators of a layer group deeper; `tensor<4x64xf16, 687194767360 : i64>` carries an
address, `#loc5 = loc("name")` a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_text
from data_loaders.tpu_mlir.layers import Layer

_CHIP = re.compile(r'\bmodule\.chip = "(\w+)"')
_REGION = re.compile(r"\bmodule\.(neuron|coeff)_(addr|size) = ([0-9]{1,18})\b")
_NAME = re.compile(r"^module @([\w.-]+)", re.MULTILINE)
_END = re.compile(r"^\} loc\(.*\)$", re.MULTILINE)
_ALIAS = re.compile(r'^#(loc\d*) = loc\((?:"((?:[^"\\]|\\.)*)"|fused\[([^\]]*)\])', re.MULTILINE)
_PLACE = re.compile(r'loc\((?:#(loc\d*)|"((?:[^"\\]|\\.)*)")\)\s*$')
_USED_PLACE = re.compile(r"\bloc\(#(loc\d*)\)")
_UNKNOWN = "loc"
"""Alias of a location without a name (MLIR's `#loc`)."""
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")
_OUTER = 6
_FUNCTION = re.compile(r"^ {4}func\.func (?:private )?@(\w+)\(")
_OPERATOR = re.compile(r'^( {6,})(?:%(\w+)(?::[0-9]+)? = )?"(\w+\.\w+)"\(')
_VALUE = re.compile(r"%(\w+(?:#[0-9]+)?)")
_TENSOR = re.compile(
    r"tensor<((?:[0-9]{1,12}x)*+)(?:!quant\.\w+<(\w+)[^>]{0,200}>|(\w+))(?:, ([0-9]{1,18}) : i64)?>"
)
_ARGUMENT = re.compile(rf"%(\w+): {_TENSOR.pattern}")


@dataclass(frozen=True)
class Tensor:
    """Element type, dimensions and byte address of a tensor; `None` for a tensor without
    address.
    """

    dtype: str
    shape: tuple[int, ...]
    address: int | None


@dataclass
class Operator:
    """An operator of a function, together with the operators nested inside it.

    `uses` are the SSA values that it reads, nested operators included. `results` are pairs of value
    and tensor. `names` are the names of the results: a single name for all of them, or a name each.
    """

    op_type: str
    value: str
    uses: set[str]
    names: Sequence[str] = ()
    results: list[tuple[str, Tensor]] = field(default_factory=list)


@dataclass
class Function:
    """A function: arguments, operators in the order of the file, and returned values."""

    name: str
    arguments: list[tuple[str, Tensor]]
    operators: list[Operator] = field(default_factory=list)
    returned: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Module:
    """A module with addresses.

    `regions` maps `neuron` (the memory of activations) and `coeff` (weights) to begin and size in
    bytes. `layers` maps line numbers to operators. `whole` is False if the end of the file is
    missing.
    """

    name: str
    chip: str
    regions: Mapping[str, tuple[int, int]]
    layers: Mapping[int, Layer]
    functions: Sequence[Function]
    whole: bool


def read_module(path: Path) -> Module:
    """Parse the module in a file, plain or gzip; parts that a cut file lacks are missing.

    Raises LoadError if the file names no module or chip, is too large or unreadable.
    """
    text = read_text(path)
    name_match = _NAME.search(text)
    chip_match = _CHIP.search(text)
    if not name_match or not chip_match:
        raise LoadError(f"{path.name}: is not a module of TPU-MLIR: it does not name a chip")
    reader = _Reader(_places(text))
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    numbers = {(memory, field): int(value) for memory, field, value in _REGION.findall(text)}
    regions = {
        memory: (numbers[memory, "addr"], numbers[memory, "size"])
        for memory in ("neuron", "coeff")
        if {(memory, "addr"), (memory, "size")} <= numbers.keys()
    }
    whole = _END.search(text) is not None and set(_USED_PLACE.findall(text)) <= reader.places.keys()
    return Module(name_match[1], chip_match[1], regions, reader.layers, reader.functions, whole)


def _places(text: str) -> dict[str, list[str]]:
    """Map each alias of a location to its names: a single name, several for a fused location, []
    for MLIR's unknown location.
    """
    names: dict[str, list[str]] = {_UNKNOWN: []}
    fused: dict[str, list[str]] = {}
    for alias, name, parts in _ALIAS.findall(text):
        if parts:
            fused[alias] = [part.strip().removeprefix("#") for part in parts.split(",")]
        else:
            names[alias] = [_unescape(name)]
    for alias, parts in fused.items():
        fused[alias] = [name for part in parts for name in names.get(part, [])]
    return names | fused


def _unescape(text: str) -> str:
    """Decode a string literal of MLIR.

    A backslash and two hexadecimal digits denote a byte, before other characters it is dropped.
    """
    return _ESCAPE.sub(_byte, text.encode()).decode(errors="replace")


def _byte(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode()) if len(escape[1]) == 2 else escape[1]


class _Reader:
    """Parser state: collects functions, operators and nested operators, line by line."""

    def __init__(self, places: Mapping[str, list[str]]) -> None:
        self.places = places
        self.layers: dict[int, Layer] = {}
        self.functions: list[Function] = []

    def read(self, number: int, line: str) -> None:
        """Parse the next line of the module, with its number from 1, and add its function or
        operator to `functions`.

        Lines of other forms are ignored.
        """
        if started := _FUNCTION.match(line):
            self.functions.append(
                Function(started[1], [_tensor(*argument) for argument in _ARGUMENT.findall(line)])
            )
        elif not self.functions:
            return
        elif operator := _OPERATOR.match(line):
            self._operator(number, line, operator)
        elif line.startswith("      return "):
            self.functions[-1].returned = set(_VALUE.findall(line))
        # Six spaces: the end of a region of an operator of the function; nested operators end
        # deeper.
        elif line.startswith("      })") and self.functions[-1].operators:
            self._close(line)

    def _operator(self, number: int, line: str, match: re.Match[str]) -> None:
        indentation, value, op_type = match.groups()
        names = self._names(line)
        uses = set(_VALUE.findall(line, match.end()))
        self.layers[number] = Layer(op_type.partition(".")[2], names[0] if names else "")
        operators = self.functions[-1].operators
        if len(indentation) == _OUTER:
            operators.append(Operator(op_type, value or "", uses))
            if not line.rstrip().endswith("({"):
                self._close(line)
        elif operators:
            operators[-1].uses |= uses

    def _close(self, line: str) -> None:
        """Set names and results of the function's last operator from its last line."""
        operator = self.functions[-1].operators[-1]
        operator.names = self._names(line)
        types = _TENSOR.findall(line.rpartition("-> ")[2])
        values = [operator.value]
        if len(types) != 1:
            values = [f"{operator.value}#{rank}" for rank in range(len(types))]
        operator.results = [
            _tensor(value, *parts) for value, parts in zip(values, types, strict=True)
        ]

    def _names(self, line: str) -> list[str]:
        match = _PLACE.search(line)
        if match is None:
            return []
        alias, name = match.groups()
        return self.places.get(alias, []) if alias else [_unescape(name)]


def _tensor(name: str, shape: str, quantised: str, dtype: str, address: str) -> tuple[str, Tensor]:
    dimensions = tuple(int(size) for size in shape.split("x") if size)
    return name, Tensor(quantised or dtype, dimensions, int(address) if address else None)
