"""Read the tiled operators of a Deeploy run from its frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.tiling.deeploy.rounding import tile_grain
from schema.frames import Frames

_MAX_DIMENSIONS = 8


@dataclass(frozen=True)
class Held:
    """A tile that a level holds: tensor, role as an operand, whole shape, bytes of its block.

    `in_place`: the block lies in the bytes of another block of the same step.
    """

    tensor: str
    operand: str
    access: str | None
    shape: tuple[int, ...] | None
    element_bytes: int | None
    copies: int | None
    bytes: int
    block: int | None = None
    in_place: bool = False


@dataclass(frozen=True)
class Operator:
    """An operator at a level; `static` is the size of the level's constants in bytes.

    `added_static` are the static bytes of the generated code, which the tool's tiler does not count.
    `capacity` is None if unknown. `sizes` has the largest value of each size that differs from tile
    to tile, by its name in the code. `dma_in` and `dma_out` are None if the transfers could not be
    read from the code. `grain`: each tile takes a multiple of this number of bytes.
    """

    attempt: int
    level: str
    step: int
    name: str
    op_type: str
    capacity: int | None
    static: int
    tiles: int | None
    outer_tiles: str
    sizes: Mapping[str, int]
    kernel: tuple[int, ...] | None
    strides: tuple[int, ...] | None
    pads: tuple[int, ...] | None
    groups: int | None
    transposed: tuple[bool, bool]
    held: tuple[Held, ...]
    dma_in: int | None
    dma_out: int | None
    grain: int = 1
    added_static: int = 0

    def operand(self, name: str) -> Held | None:
        """Return the tile that the operator holds of this operand, None if there is no
        such tile.
        """
        return next((held for held in self.held if held.operand == name), None)

    @property
    def bytes(self) -> int:
        """Bytes of the level that the operator's blocks take; a block in the bytes of another takes
        0.
        """
        return sum(held.bytes for held in self.held if not held.in_place)

    @property
    def held_bytes(self) -> int:
        """Bytes of all blocks of the operator at the level, including blocks in the bytes of
        another block.
        """
        return sum(held.bytes for held in self.held)

    @property
    def double_buffered(self) -> bool | None:
        """Whether any block of the operator holds two tiles; None if the number of tiles is unknown
        for all.
        """
        copies = [held.copies for held in self.held if held.copies is not None]
        return max(copies) > 1 if copies else None


def operators(frames: Frames) -> list[Operator]:
    """Read the tiled operators from the frames of a Deeploy run, in the order of frame `tilings` (a
    row each).

    `frames` has tilings, tiles, transfers, attempts, allocations and steps; blocks without an
    address count as well.
    """
    held = _held_by_operator(frames["tiles"], frames["allocations"])
    moved = _moved_by_operator(frames["transfers"])
    attempts = frames["attempts"].set_index("attempt")
    steps = frames["steps"].drop_duplicates("step").set_index("step")
    grain = tile_grain(frames["attempts"], frames["allocations"])
    constants = _constant_bytes(frames["allocations"])
    tiled = []
    for row in frames["tilings"].to_dict("records"):
        key = (row["attempt"], row["step"])
        named = _name_and_type(steps, row["step"])
        tiled.append(
            _operator(
                row,
                attempts.loc[row["attempt"]],
                named,
                held[key],
                moved.get(key),
                grain=grain,
                constants=constants.get(row["attempt"], 0),
            )
        )
    return tiled


def _operator(
    row: Mapping[Any, Any],
    attempt: pd.Series[Any],
    named: tuple[str, str],
    held: tuple[Held, ...],
    moved: tuple[int, int] | None,
    *,
    grain: int,
    constants: int,
) -> Operator:
    return Operator(
        attempt=row["attempt"],
        level=str(row["level"]),
        step=row["step"],
        name=named[0],
        op_type=named[1],
        capacity=_whole(attempt["capacity"]),
        static=constants,
        tiles=_whole(row["tiles"]),
        outer_tiles=_text(row["outer_tiles"]),
        sizes=_named_sizes(_text(row["sizes"])),
        kernel=parse_sizes(row["kernel"]),
        strides=parse_sizes(row["strides"]),
        pads=parse_sizes(row["pads"]),
        groups=_whole(row["groups"]),
        transposed=(_true(row["transposed_a"]), _true(row["transposed_b"])),
        held=held,
        dma_in=moved[0] if moved else None,
        dma_out=moved[1] if moved else None,
        grain=grain,
        # A report counts after code generation, when tables of the code are in the level as well.
        added_static=max(int(attempt["static_bytes"]) - constants, 0),
    )


def _name_and_type(steps: pd.DataFrame, step: int) -> tuple[str, str]:
    """Return name and type of a step's operator; ("step N", "") if the run does not name it."""
    if step not in steps.index:
        return f"step {step}", ""
    return str(steps.at[step, "name"]), _text(steps.at[step, "op_type"])


def _held_by_operator(
    tiles: pd.DataFrame, allocations: pd.DataFrame
) -> dict[tuple[int, int], tuple[Held, ...]]:
    """Map (attempt, step) to the tiles that the operator holds; operators without tiles are
    missing.
    """
    blocks = allocations[["attempt", "block", "name", "size"]].assign(
        in_place=_in_place(allocations)
    )
    by_operator: dict[tuple[int, int], tuple[Held, ...]] = {}
    for row in tiles.merge(blocks, on=["attempt", "block"]).to_dict("records"):
        shape = parse_sizes(row["shape"])
        size = _whole(row["element_bytes"])
        names = (row["name"], _text(row["operand"]), _text(row["access"]) or None)
        held = Held(
            *names, shape, size, _whole(row["copies"]), row["size"], row["block"], row["in_place"]
        )
        key = (row["attempt"], row["step"])
        by_operator[key] = (*by_operator.get(key, ()), held)
    return by_operator


def _constant_bytes(allocations: pd.DataFrame) -> dict[int, int]:
    """Map each attempt with constants to the bytes of all its constants."""
    constants = allocations[allocations["kind"] == "constant"]
    return {
        int(attempt): int(size)
        for attempt, size in constants.groupby("attempt")["size"].sum().items()
    }


def _in_place(allocations: pd.DataFrame) -> pd.Series:
    """Mask (a series with the index of the allocations) of the blocks that are inside the bytes of
    another block of the same step.

    Tetris places a view so. MiniMalloc gives it bytes of its own, which count.
    """
    place = allocations[["attempt", "block", "start", "address", "size"]]
    own = place.assign(alias_of=allocations["alias_of"], shared=allocations["status"] == "shared")
    target = place.rename(columns={"block": "alias_of"}).astype({"alias_of": "Int64"})
    both = own.merge(target, on=["attempt", "alias_of"], how="left", suffixes=("", "_of"))
    inside = (both["address"] >= both["address_of"]) & (
        both["address"] + both["size"] <= both["address_of"] + both["size_of"]
    )
    marked = both["shared"] & (both["start"] == both["start_of"]) & inside.fillna(False)
    return pd.Series(marked.to_numpy(bool), index=allocations.index)


def _moved_by_operator(transfers: pd.DataFrame) -> dict[tuple[int, int], tuple[int, int]]:
    """Map (attempt, step) to the bytes (in, out) that the operator moves for all its tiles;
    operators without transfers are missing.
    """
    total = transfers["bytes"] * transfers["tiles"]
    by_operator: dict[tuple[int, int], tuple[int, int]] = {}
    for row in transfers.assign(total=total)[["attempt", "step", "direction", "total"]].to_dict(
        "records"
    ):
        key = (row["attempt"], row["step"])
        into, out = by_operator.get(key, (0, 0))
        by_operator[key] = (
            (into + row["total"], out) if row["direction"] == "in" else (into, out + row["total"])
        )
    return by_operator


def parse_sizes(text: object) -> tuple[int, ...] | None:
    """Parse up to 8 sizes separated by x, such as `3x3`, to a tuple; None for anything else."""
    parts = text.split("x") if isinstance(text, str) else []
    if not 0 < len(parts) <= _MAX_DIMENSIONS or not all(part.isdecimal() for part in parts):
        return None
    return tuple(map(int, parts))


def _named_sizes(text: str) -> dict[str, int]:
    """Parse sizes such as `O=80 M=16` to name -> size; parts without a whole number are ignored."""
    pairs = [part.partition("=") for part in text.split()]
    return {name: int(size) for name, _, size in pairs if size.isdecimal()}


def _whole(value: Any) -> int | None:  # noqa: ANN401 - a cell of a frame
    return None if pd.isna(value) else int(value)


def _text(value: Any) -> str:  # noqa: ANN401 - a cell of a frame
    return value if isinstance(value, str) else ""


def _true(value: Any) -> bool:  # noqa: ANN401 - a cell of a frame
    return bool(not pd.isna(value) and value)
