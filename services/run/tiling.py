"""Tilings of a run, the same for page and command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property, lru_cache
from typing import Any

import pandas as pd

from analysis.aie.gemm import read_gemm
from analysis.tiling.array_gemm import LOCAL_BYTES, ArrayTiling, array_tiling, whole_of
from analysis.tiling.deeploy.buffering import with_buffers
from analysis.tiling.deeploy.choices import Choice, Tiled, list_choices, tile_operator
from analysis.tiling.deeploy.operators import operators
from schema.frames import Frames, empty

_FRAMES = ("tilings", "tiles", "transfers", "attempts", "allocations", "steps")
Copies = tuple[tuple[str, int], ...]
"""(operand, number of tiles that its block holds) for each operand that differs from the tool's
choice."""
_MAX_CACHED = 16
"""Number of operators whose choices are cached, for the parts of a page that request them one after
another."""


class TilingData:
    """The tilings of a run, computed when first used.

    `stored` has its stored frames, `run` is frame `run`.
    """

    def __init__(self, stored: Frames, run: pd.DataFrame) -> None:
        self._stored = stored
        self._run = run
        self.choices = lru_cache(_MAX_CACHED)(self._choices)

    @cached_property
    def tiled_operators(self) -> list[Tiled]:
        """Operators of the run with the tool's choice of tiles, in the order of frame `tilings`;
        empty if no operator is tiled.
        """
        frames = {
            name: self._stored[name] if name in self._stored else empty(name) for name in _FRAMES
        }
        return [tile_operator(operator) for operator in operators(frames)]

    def with_buffers(self, number: int, copies: Copies = ()) -> Tiled:
        """Return the operator at position `number` in `tiled_operators`, from 0, with other numbers
        of tiles per block for the operands in `copies`.
        """
        return with_buffers(self.tiled_operators[number], dict(copies))

    def _choices(self, number: int, copies: Copies = ()) -> tuple[list[Choice], int]:
        """Return (possible choices of an operator, position of the tool's choice among them, from
        0); `number` is the operator's position in `tiled_operators`.
        """
        return list_choices(self.with_buffers(number, copies))

    def tiles_per_block(self, attempt: int, block: int) -> int | None:
        """Return how many tiles a block of an attempt holds; `None` if it holds no tiles or their
        number is unknown.
        """
        tiles = self._stored["tiles"] if self.tiles_operators else empty("tiles")
        copies = tiles.loc[
            (tiles["attempt"] == attempt) & (tiles["block"] == block), "copies"
        ].dropna()
        return int(copies.iloc[0]) if len(copies) else None

    @property
    def tiles_operators(self) -> bool:
        """Whether the run has operators that are cut into tiles at memory levels."""
        return "tilings" in self._stored and len(self._stored["tilings"]) > 0

    def array(self, local: int = LOCAL_BYTES) -> ArrayTiling | None:
        """Return the possible tile sizes of the run's GEMM on an array of cores; `None` if the run
        has no such GEMM, or a setting of it is unknown or invalid.

        `local` is the data memory of a core in bytes.
        """
        row = self._run.iloc[0].to_dict()
        if not shares_gemm(row):
            return None
        gemm = read_gemm(row)
        whole = whole_of(gemm, str(row["mac_dtype"]), str(row["hwid"]))
        m, k, n = (int(size or 0) for size in (gemm.m, gemm.k, gemm.n))
        return None if whole is None else array_tiling(whole, (m, k, n), local)


def shares_gemm(run: Mapping[Any, Any]) -> bool:
    """Whether a run has all settings that describe how an array of cores shares a GEMM: M, K, N, m,
    k, n, rows, cols and clock_hz.
    """
    return not any(
        pd.isna(run[name]) for name in ("M", "K", "N", "m", "k", "n", "rows", "cols", "clock_hz")
    )


def tiling_mapping(data: TilingData) -> dict[str, Any]:
    """Convert a run's tilings to JSON types: `kind` is `deeploy` with a list `operators`, or `gemm`
    with a dict `gemm`.

    Raises ValueError if the run has no tilings.
    """
    if data.tiles_operators:
        rows = [
            operator_mapping(tiled, *data.choices(at))
            for at, tiled in enumerate(data.tiled_operators)
        ]
        return {"kind": "deeploy", "operators": rows}
    array = data.array()
    if array is None:
        raise ValueError(
            "the run has no tiles: only memory maps of Deeploy have them, and AIE captures whose M, K, N, m, k, n, "
            "rows and cols are known and whose tiles are not larger than the GEMM"
        )
    return {"kind": "gemm", "gemm": gemm_mapping(array)}


def gemm_mapping(tiling: ArrayTiling) -> dict[str, Any]:
    """Convert the GEMM of a capture to JSON types: its sizes, the numbers of its own tile, all
    possible tiles (`choices`), and the position of its own among them (`chosen_index`, from 0).
    """
    whole = tiling.whole
    own = tiling.own
    sizes = {
        name: getattr(whole, name) for name in ("M", "K", "N", "rows", "cols", "element_bytes")
    }
    numbers = {name: value for name, value in asdict(own).items() if name != "best"}
    choices = [asdict(tile) | {"fits": tile.fits} for tile in tiling.choices]
    macs = whole.M * whole.K * whole.N
    return sizes | {"macs": macs} | numbers | {"choices": choices, "chosen_index": tiling.chosen}


def operator_mapping(tiled: Tiled, choices: list[Choice], chosen: int) -> dict[str, Any]:
    """Convert a tiled operator to JSON types (sizes in bytes), with its `choices` and the position
    `chosen` of the tool's choice among them, from 0.
    """
    operator = tiled.operator
    own = choices[chosen]
    buffers = [
        {"tensor": held.tensor, "operand": held.operand or None, "tile_shape": shape}
        | {"buffers": held.copies or 1, "bytes": held.bytes}
        for held, shape in zip(operator.held, tiled.shapes, strict=True)
    ]
    return {
        "step": operator.step,
        "name": operator.name,
        "op": operator.op_type or None,
        "level": operator.level,
        "capacity": operator.capacity,
        "static": operator.static,
        "added_static": operator.added_static,
        "double_buffered": operator.double_buffered,
        "outer_tiles": operator.outer_tiles or None,
        # A view in the bytes of its source is held as well, yet takes no further bytes.
        "chosen": choice_mapping(own)
        | {"bytes": operator.held_bytes, "taken": own.bytes, "buffers": buffers},
        "explored": tiled.model is not None,
        "choices": [choice_mapping(choice) for choice in choices],
        "chosen_index": chosen,
    }


def choice_mapping(choice: Choice) -> dict[str, Any]:
    """Convert a choice of tile sizes to JSON types: tile (size by dimension), bytes, tiles, fits,
    dma_in and dma_out (bytes), best.
    """
    numbers = {
        name: getattr(choice, name)
        for name in ("bytes", "tiles", "fits", "dma_in", "dma_out", "best")
    }
    return {"tile": dict(choice.tile)} | numbers
