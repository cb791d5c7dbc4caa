"""Build the tiling frames of a Deeploy run: tilings of operators, tiles of operands, transfers."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.operands import split_label
from data_loaders.deeploy.plans import INNER
from data_loaders.deeploy.tiling_code import Move, TilingCode
from schema.frames import complete
from schema.memory import MAX_BYTES

_CONV = ("data_in", "weight")
_GEMM = ("A", "B", "C")
_INPUTS = {
    "RequantizedConv": (*_CONV, "mul", "add"),
    "Conv": (*_CONV, "bias"),
    "RequantizedGemm": (*_GEMM, "mul"),
    "Gemm": _GEMM,
    "MatMul": ("A", "B"),
}
"""Operator -> its operands in the order of the graph's inputs."""
_BITS = re.compile(r"[0-9]+")
_PLACE = ["attempt", "level", "step"]


def tiling_frames(
    blocks: pd.DataFrame, allocations: pd.DataFrame, evidence: Evidence, names: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Build frames tilings (a row per level and step), tiles (per block) and transfers.

    All are empty if no level holds tiles. `blocks` are the rows of frame `allocations`; `names` has
    name and op_type of the steps.
    """
    inner = (blocks["plan"] == INNER).to_numpy()
    held = allocations.loc[inner, ["attempt", "block", "level", "name", "start", "role", "dtype"]]
    held = held.rename(columns={"start": "step"}).reset_index(drop=True)
    tiling = evidence.code.tiling if evidence.code else TilingCode()
    steps = dict(zip(names["name"].tolist(), range(len(names)), strict=True))
    return {
        "tilings": _tilings(held, tiling, names, evidence),
        "tiles": _tiles(held, tiling, names, evidence),
        "transfers": _transfers(held, tiling, steps),
    }


def _tilings(
    held: pd.DataFrame, tiling: TilingCode, names: pd.DataFrame, evidence: Evidence
) -> pd.DataFrame:
    frame = held[_PLACE].drop_duplicates().sort_values(["attempt", "step"]).reset_index(drop=True)
    keys = list(zip(frame["level"].astype("str"), frame["step"].map(names["name"]), strict=True))
    counts = [tiling.counts.get(key, ()) for key in keys]
    sizes = [
        " ".join(f"{name}={size}" for name, size in tiling.sizes.get(key, {}).items())
        for key in keys
    ]
    columns: dict[str, object] = {name: frame[name] for name in _PLACE}
    columns["tiles"] = pd.array([_total(count) for count in counts], dtype="Int64")
    columns["outer_tiles"] = pd.array(
        [" ".join(map(str, np.diff(count))) or None for count in counts], dtype="str"
    )
    columns["sizes"] = pd.array([text or None for text in sizes], dtype="str")
    if evidence.graph is not None:
        attributes = evidence.graph.attributes.reindex(frame["step"]).reset_index(drop=True)
        columns |= {name: attributes[name] for name in attributes}
    return complete("tilings", columns)


def _total(count: tuple[int, ...]) -> int | None:
    """Return an operator's number of tiles from its table `count`.

    The table of the code counts tiles up to the end of each outer tile, so the total is its last
    value; `None` if the table is empty or that value is not positive.
    """
    return count[-1] if count and 0 < count[-1] < MAX_BYTES else None


def _tiles(
    held: pd.DataFrame, tiling: TilingCode, names: pd.DataFrame, evidence: Evidence
) -> pd.DataFrame:
    uses = _uses(evidence, names)
    matches = held.merge(uses, on=["step", "name"], how="left")
    doubled = tiling.doubled
    labels = zip(
        held["level"].astype("str"),
        held["step"].map(names["name"]).astype("str"),
        held["name"],
        strict=True,
    )
    # The two copies of a double-buffered tile are one block of the map: only the code shows them.
    copies = [2 if (level, f"{node}_{name}") in doubled else 1 for level, node, name in labels]
    columns = {name: held[name] for name in ("attempt", "block", "step")}
    columns |= {"operand": matches["operand"].astype("str").fillna(held["role"].astype("str"))}
    columns |= {"access": matches["access"], "position": matches["position"].astype("Int64")}
    columns |= {"element_bytes": _element_bytes(held["dtype"].astype("str"))}
    columns["copies"] = pd.array(copies if evidence.code else [pd.NA] * len(held), dtype="Int64")
    if evidence.graph is not None:
        columns["shape"] = held["name"].map(evidence.graph.tensors["shape"]).replace("", None)
    return complete("tiles", columns)


def _uses(evidence: Evidence, names: pd.DataFrame) -> pd.DataFrame:
    """Return columns step, name, access, position and operand.

    A row per step and tensor that it uses; empty without a graph. Position counts from 0 within the
    inputs or the outputs of a step. Operand is null if the operator is unknown.
    """
    if evidence.graph is None:
        blank = {
            "step": "int64",
            "name": "str",
            "access": "str",
            "position": "Int64",
            "operand": "str",
        }
        return pd.DataFrame({name: pd.Series([], dtype=dtype) for name, dtype in blank.items()})
    uses = evidence.graph.uses
    output = uses["access"] != "r"
    # Operators have several inputs and outputs; each kind is numbered from 0 within its step.
    position = uses.groupby([uses["step"], output]).cumcount()
    op_types = uses["step"].map(names["op_type"]).astype("str")
    pairs = zip(op_types, output, position, strict=True)
    operands = [
        "data_out" if written else _input(op_type, place) for op_type, written, place in pairs
    ]
    operand = pd.Series(operands, index=uses.index, dtype="str").where(op_types.isin(list(_INPUTS)))
    return uses.assign(position=position, operand=operand)


def _input(op_type: str, place: int) -> str | None:
    inputs = _INPUTS.get(op_type, ())
    return inputs[place] if place < len(inputs) else None


def _element_bytes(dtypes: pd.Series) -> pd.Series:
    """Map dtypes such as `int8` to bytes per element (Int64).

    Null for types without a number of bits or of less than a byte.
    """
    bits = {dtype: _BITS.search(dtype) for dtype in dtypes.dropna().unique()}
    sizes = {dtype: int(match.group()) // 8 or None for dtype, match in bits.items() if match}
    return dtypes.map(sizes).astype("Int64")


def _transfers(held: pd.DataFrame, tiling: TilingCode, steps: Mapping[str, int]) -> pd.DataFrame:
    levels = held.drop_duplicates("level").set_index("level")["attempt"].to_dict()
    counts = {
        (level, steps.get(node, -1)): _total(count)
        for (level, node), count in tiling.counts.items()
    }
    rows: list[tuple[object, ...]] = []
    for move in tiling.moves:
        step, operand = split_label(move.label, steps)
        if step >= 0 and move.level in levels:
            direction = "in" if move.into else "out"
            place = (levels[move.level], step, operand, _tensor(move, operand), direction)
            rows += [(*place, *run) for run in _tile_runs(move, counts.get((move.level, step)))]
    columns = [
        "attempt",
        "step",
        "operand",
        "name",
        "direction",
        "tile",
        "tiles",
        "bytes",
        "commands",
    ]
    frame = pd.DataFrame(rows, columns=columns)
    return complete("transfers", {name: frame[name] for name in columns}).sort_values(
        ["attempt", "step"], kind="stable", ignore_index=True
    )


def _tensor(move: Move, operand: str) -> str | None:
    """Return the name of the tensor that a transfer reads or writes.

    `None` if its label in the code does not begin with the node.
    """
    node = move.label.removesuffix(operand)
    return (
        move.external.removeprefix(node)
        if move.external.startswith(node) and move.external != node
        else None
    )


def _tile_runs(move: Move, count: int | None) -> list[tuple[int, int, int, int]]:
    """Return (first tile from 0, tiles, bytes per tile, commands per tile) for each run of tiles
    with equal transfers.

    Runs of 2^62 bytes or more are left out. A run with 0 tiles gets `count`, the operator's number
    of tiles, or 1 if that is unknown.
    """
    rows = []
    tile = 0
    for tiles, size, commands in move.runs:
        many = tiles or count or 1
        if size * many < MAX_BYTES:
            rows.append((tile, many, size, commands))
        tile += many
    return rows
