"""Parse Deeploy's generated code for tiles: their number, transfers per tile, double buffering.

Format of Deeploy's code generation: `<level>_<node>_numTiles` counts the tiles up to the end of
each outer tile. A transfer of `mchan` has a command word: bits 0 to 16 are the bytes, bit 17 is set
for transfers into L1. Transfers of RAM have bytes and direction as arguments. Values that differ
between tiles are read from a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from schema.memory import MAX_BYTES

_BYTES = 0x1FFFF
_INTO = 1 << 17
_LABEL = r"TILING_CODEGEN_(L[0-9])_(\w{1,900})"
_COUNTED = "_numTiles"
_SIZED = re.compile(r"\b(\w{1,900})_(O|M|ch_im_out|dim_im_(?:in|out)_[xy])")
_NUMBER = re.compile(r"[0-9]{1,18}")
_INDEXED = re.compile(r"\w{0,80}_" + _LABEL + r"\[\(?(?:TILING_I|[0-9])[^\]\n]{0,20}\]")
_TOKENS = re.compile(
    r"(?P<channel>mchan_channel_alloc\()"
    r"|for \(uint32_t i_[0-9]+ = 0; i_[0-9]+ < (?P<times>[^;\n]{1,1200});"
    r"|(?P<side>local|external)_buffer_offsetted = [^;\n]{0,80}?" + _LABEL + r"_ref\b"
    r"|(?P<call>mchan_transfer_\w{1,40}|pi_cl_ram_copy_2d)\((?P<arguments>[^;\n]{1,6000})\);"
)
_RAM_ARGUMENTS = 8
_MCHAN_ARGUMENTS = 3


@dataclass(frozen=True)
class Move:
    """Transfers of an operand between memory levels.

    `label` is `<node>_<operand>`, `external` the label of the tensor, `into` is true for transfers
    into the level, `runs` has (tiles, bytes, commands).
    """

    level: str
    label: str
    external: str
    into: bool
    runs: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class TilingCode:
    """Facts about tiles from the code.

    `counts`: level and node -> number of tiles up to the end of each outer tile. `doubled`: level
    and `<node>_<tensor>` of double-buffered tensors. `sizes`: level and node -> name of each size
    that differs between tiles -> its largest value.
    """

    counts: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    moves: Sequence[Move] = ()
    doubled: frozenset[tuple[str, str]] = frozenset()
    sizes: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)


def read_tiling(prefix: str, text: str) -> TilingCode:
    """Parse the tables and transfers of tiles in the text of a Network.c.

    All fields are empty if it has none. `prefix` begins the names of the code, escaped for a
    regular expression.
    """
    table = re.compile(rf"\b{prefix}_{_LABEL}\[[0-9]{{1,9}}\] ?= ?\{{([-0-9, ]*)\}}")
    tables = {(level, name): _numbers(values) for level, name, values in table.findall(text)}
    counts = {
        (level, name.removesuffix(_COUNTED)): values
        for (level, name), values in tables.items()
        if name.endswith(_COUNTED)
    }
    # Only double-buffered tensors have a second buffer.
    doubled = frozenset(re.findall(rf"\b{prefix}_{_LABEL}_buffer_1\b", text))
    return TilingCode(counts, list(_moves(text, tables)), doubled, _sizes(tables))


def _numbers(values: str) -> tuple[int, ...]:
    digits = _NUMBER.findall(values)
    return tuple(map(int, digits)) if "-" not in values else ()


Tables = Mapping[tuple[str, str], tuple[int, ...]]


def _sizes(tables: Tables) -> dict[tuple[str, str], dict[str, int]]:
    """Map (level, node) to the name of each tile size that has a table, such as `dim_im_in_x`, and
    the largest value in it.
    """
    largest: dict[tuple[str, str], dict[str, int]] = {}
    for (level, name), values in tables.items():
        sized = _SIZED.fullmatch(name)
        if sized and values:
            largest.setdefault((level, sized.group(1)), {})[sized.group(2)] = max(values)
    return largest


def _moves(text: str, tables: Tables) -> Iterator[Move]:
    """Yield every transfer of known size once per level, operand and direction, in order.

    Double-buffered code contains a transfer for two tiles.
    """
    times: list[str] = []
    sides: dict[str, tuple[str, str]] = {}
    seen = set()
    for token in _TOKENS.finditer(text):
        if token["times"]:
            times.append(token["times"])
        elif token["side"]:
            sides[token["side"]] = (token.group(4), token.group(5))
        elif token["channel"]:
            times = []
            sides = {}
        else:
            move = _move(token["call"], token["arguments"].split(", "), (times, sides), tables)
            times = []
            sides = {}
            if move is not None and (key := (move.level, move.label, move.into)) not in seen:
                seen.add(key)
                yield move


Context = tuple[list[str], dict[str, tuple[str, str]]]


def _move(call: str, arguments: list[str], context: Context, tables: Tables) -> Move | None:
    """Parse the transfer of a call.

    Returns `None` if it has too few arguments, or its buffer, size or loops are unknown. `context`
    has its loops and buffers.
    """
    ram = call == "pi_cl_ram_copy_2d"
    if len(arguments) < (_RAM_ARGUMENTS if ram else _MCHAN_ARGUMENTS):
        return None
    times, sides = context
    external, local, word = (
        (arguments[1], arguments[2], arguments[3])
        if ram
        else (arguments[2], arguments[1], arguments[0])
    )
    local_label = _label(local) or sides.get("local")
    external_label = _label(external) or sides.get("external")
    words = _values(word, tables)
    loops = [_values(count, tables) for count in times]
    if local_label is None or not words or not all(loops):
        return None
    into = arguments[6].strip() == "1" if ram else bool(words[0] & _INTO)
    sizes = words if ram else tuple(word & _BYTES for word in words)
    tensor = external_label[1] if external_label else ""
    return Move(*local_label, tensor, into, _runs(sizes, loops))


def _label(argument: str) -> tuple[str, str] | None:
    """Return level and label (`NODE_OPERAND`) of a pointer to a tile or the next tile, `None` for
    other pointers.
    """
    match = re.search(_LABEL, argument)
    return (match.group(1), re.sub(r"_(?:ref|next)$", "", match.group(2))) if match else None


def _values(text: str, tables: Tables) -> tuple[int, ...]:
    """Return the number in a text as the only element, or the table that the text indexes.

    Empty for other texts.
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return (int(text),)
    indexed = _INDEXED.fullmatch(text)
    return tables.get((indexed.group(1), indexed.group(2)), ()) if indexed else ()


def _runs(sizes: tuple[int, ...], loops: list[tuple[int, ...]]) -> tuple[tuple[int, int, int], ...]:
    """Group successive tiles with equal transfers into (tiles, bytes per tile, commands per tile),
    in order.

    A count of 0 tiles means all tiles. Empty if the tables differ in length or all tiles might move
    2**62 bytes or more.
    """
    length = max(len(values) for values in (sizes, *loops))
    if any(len(values) not in (1, length) for values in (sizes, *loops)):
        return ()
    commands = [1] * length
    for values in loops:
        commands = [count * values[tile % len(values)] for tile, count in enumerate(commands)]
    moved = [(sizes[tile % len(sizes)] * count, count) for tile, count in enumerate(commands)]
    if any(max(size, count) >= MAX_BYTES // length for size, count in moved):
        return ()
    if len(sizes) == length == 1:
        return ((0, *moved[0]),)
    return tuple((sum(1 for _ in group), *key) for key, group in groupby(moved))
