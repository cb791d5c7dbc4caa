"""Parse memory facts from Deeploy's generated `Network.c` and `Network.h`.

Facts: arena sizes, addresses, aliases, operands, types. Format of Deeploy's code generation: a
buffer's address is `arena + offset`; a tile's variable is called
`TILING_CODEGEN_<level>_<node>_<operand>_ref`; a reshaped tensor is assigned the pointer of its
source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from data_loaders.deeploy.tiling_code import TilingCode, read_tiling
from schema.memory import MAX_BYTES

MAX_CODE_BYTES = 32 * 1024**2
"""Bytes of code that are read; a network with 193 layers has 5 MB."""

_ARENA = re.compile(r"\b(\w{1,80}?)_MEMORYARENA_\w+")
_NODE = re.compile(r"\(Name: ([^,()\n]{1,500}), Op: ([^()\n]{1,100})\)")
_CALL = re.compile(r"// _(\w{1,500}?)_closure(?:_\w{1,20})? CLOSURE CALL|" + _NODE.pattern)
# Every repetition below is bounded, so that no text makes a search take quadratic time.
_PLATFORM = re.compile(r'#include "mchan_([a-z]\w*)\.h"')
_VERSION = re.compile(r"v[0-9]+")
_TYPE = r"(u?int[0-9]{1,2}|b?float[0-9]{1,2})"
_TILE = "TILING_CODEGEN_"
_MARKS = (b"MEMORYARENA", b"RunNetwork")


@dataclass(frozen=True)
class Code:
    """Facts from the code of a run.

    `places`: level, name and address of buffers. `tiles`: level, label (`<node>_<operand>`) and
    address. `arenas`: bytes per level. `aliases`: tensor -> tensor whose address it is assigned.
    `dtypes`: tensor -> type. `nodes`: name and op_type in order of execution. `whole` is true if
    the code is not cut off. `tiling`: the loops over tiles and their transfers.
    """

    places: pd.DataFrame
    tiles: pd.DataFrame
    arenas: Mapping[str, int]
    aliases: Mapping[str, str]
    dtypes: Mapping[str, str]
    nodes: pd.DataFrame
    platform: str | None
    whole: bool
    tiling: TilingCode


def is_code(head: bytes) -> bool:
    """Whether the bytes contain `__DEEPLOY_HEADER__` (Network.h), or include Network.h and contain
    MEMORYARENA or RunNetwork (Network.c).
    """
    return b"__DEEPLOY_HEADER__" in head or (
        b'#include "Network.h"' in head and any(mark in head for mark in _MARKS)
    )


def read_code(contents: Sequence[bytes]) -> Code:
    """Parse the text of a Network.c, a Network.h, or both in this order.

    Fields stay empty for other text.
    """
    text = "\n".join(content[:MAX_CODE_BYTES].decode("utf-8", "replace") for content in contents)
    arena = _ARENA.search(text)
    prefix = re.escape(arena.group(1) if arena else "DeeployNetwork")
    places = _places(prefix, text)
    tile = places["name"].str.startswith(_TILE)
    # Of headers such as mchan_v7.h and mchan_siracusa.h, the first names a version of the DMA.
    platform = next(
        (name for name in _PLATFORM.findall(text) if not _VERSION.fullmatch(name)), None
    )
    return Code(
        places=places[~tile].reset_index(drop=True),
        tiles=_tiles(places[tile]),
        arenas=_arenas(prefix, text),
        aliases=_aliases(prefix, text),
        dtypes=_dtypes(prefix, text),
        nodes=_nodes(text),
        platform=platform.capitalize() if platform else None,
        whole=all(is_whole(content) for content in contents),
        tiling=read_tiling(prefix, text),
    )


def is_whole(content: bytes) -> bool:
    """Whether the text ends with `}` or `#endif`, as Deeploy's files do, and has at most
    MAX_CODE_BYTES (32 MiB).
    """
    return len(content) <= MAX_CODE_BYTES and content.rstrip().endswith((b"}", b"#endif"))


def _places(prefix: str, text: str) -> pd.DataFrame:
    """Find name, level and address (bytes within the arena) of every pointer that is set to an
    offset in an arena.

    A frame with a row per distinct pointer, in order; empty if there are none.
    """
    space = r"\s{0,8}"
    cast = rf"\([\w\s*]{{1,60}}\){space}\(\(char{space}\*\){space}"
    offset = rf"{prefix}_MEMORYARENA_(\w+){space}\+{space}([0-9]{{1,18}})\)"
    pattern = re.compile(rf"\b{prefix}_(\w+){space}={space}{cast}{offset}")
    frame = pd.DataFrame(pattern.findall(text), columns=["name", "level", "address"], dtype="str")
    return frame.drop_duplicates(ignore_index=True).astype({"address": "int64"})


def _tiles(places: pd.DataFrame) -> pd.DataFrame:
    """Extract level, label (`NODE_OPERAND`) and address of the operands' first tiles.

    Rows of second buffers are left out.
    """
    label = places["name"].str.removeprefix(_TILE)
    cut = [
        name.removeprefix(f"{level}_") for name, level in zip(label, places["level"], strict=True)
    ]
    frame = places.assign(label=pd.array(cut, dtype="str"))
    frame = frame[frame["label"].str.endswith("_ref")]
    frame = frame.assign(label=frame["label"].str.removesuffix("_ref"))
    return frame[["level", "label", "address"]].reset_index(drop=True)


def _nodes(text: str) -> pd.DataFrame:
    """List name and op_type ("" if unknown) of the nodes in the order in which RunNetwork executes
    them; empty if the text lacks RunNetwork.
    """
    op_types: dict[str, str] = dict(_NODE.findall(text))
    body = text.find("void RunNetwork")
    called = (
        [call or inlined for call, inlined, _ in _CALL.findall(text, max(body, 0))]
        if body >= 0
        else []
    )
    names = list(dict.fromkeys(called))
    columns = {"name": names, "op_type": [op_types.get(name, "") for name in names]}
    return pd.DataFrame(columns, dtype="str")


def _arenas(prefix: str, text: str) -> dict[str, int]:
    """Map each level to the bytes of its arena, from Network.h or else the allocation in Network.c.

    Levels without a size, or with 2**62 bytes or more, are missing.
    """
    arena = rf"\b{prefix}_MEMORYARENA_(\w+)"
    number = r"([0-9]{1,18})"
    allocated = re.findall(rf"{arena} ?=[^;\n]{{0,200}}\(sizeof\(int8_t\) ?\* ?{number}\)", text)
    declared = re.findall(rf"{arena}_len ?= ?{number} ?;", text)
    sizes = {level: int(size) for level, size in [*allocated, *declared]}
    return {level: size for level, size in sizes.items() if size < MAX_BYTES}


def _aliases(prefix: str, text: str) -> dict[str, str]:
    """Map each tensor to the tensor whose pointer a statement assigns to it.

    Tiles are left out, and the last statement counts.
    """
    assignments = re.findall(
        rf"^[ \t]*{prefix}_(\w+)[ \t]*=[ \t]*{prefix}_(\w+)[ \t]*;", text, re.MULTILINE
    )
    return {
        name: source
        for name, source in assignments
        if name != source and not name.startswith(_TILE)
    }


def _dtypes(prefix: str, text: str) -> dict[str, str]:
    """Map each declared tensor to its element type: `int8`, `float32` ....

    Empty if the text declares no tensor.
    """
    declared = rf"\b{_TYPE}(?:_t)?[ \t]{{0,8}}\*?[ \t]{{0,8}}{prefix}_(\w+)[ \t]{{0,8}}[;\[]"
    return {name: dtype for dtype, name in re.findall(declared, text)}
