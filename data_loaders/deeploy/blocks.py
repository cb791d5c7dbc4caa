"""Describe the blocks of a Deeploy map by graph and code: kind, role, type, operator, aliases."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_loaders.deeploy.aliases import alias_of_views, coinciding, view_sources
from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.levels import Levels
from data_loaders.deeploy.operands import operands
from data_loaders.deeploy.plans import INNER, plans
from schema.diagnostics import Diagnostic
from schema.frames import complete
from schema.plurals import plural


def describe_blocks(levels: Levels) -> pd.DataFrame:
    """Add columns level, plan and block (number within the attempt, from 0) to the blocks of all
    levels; the rows keep their order.
    """
    blocks = levels.blocks.assign(plan=plans(levels.blocks))
    level = levels.levels["level"].reindex(blocks["attempt"]).reset_index(drop=True)
    return blocks.assign(level=level, block=blocks.groupby("attempt").cumcount().astype("int64"))


def allocations(
    blocks: pd.DataFrame, evidence: Evidence, names: pd.Series, findings: list[Diagnostic]
) -> pd.DataFrame:
    """Build frame `allocations`, a row per row of `blocks` (from `describe_blocks`).

    Columns that are unknown are null. `names` has the node's name by step. A finding about assumed
    aliases is appended to `findings`.
    """
    alias_of = _alias_column(blocks, evidence, findings)
    constant = blocks["constant"].to_numpy(bool)
    placed = np.where(blocks["address"].notna(), "placed", "unplaced")
    columns = {name: blocks[name] for name in blocks.columns if name != "constant"}
    columns |= {
        "kind": _kinds(blocks, evidence),
        "role": _roles(blocks, evidence, names),
        "hold": constant,
    }
    columns |= {"status": np.where(alias_of.notna(), "shared", placed), "alias_of": alias_of}
    return complete(
        "allocations", columns | _types(blocks, evidence) | {"op_type": _op_types(blocks, evidence)}
    )


def _alias_column(
    blocks: pd.DataFrame, evidence: Evidence, findings: list[Diagnostic]
) -> pd.Series:
    """Compute `alias_of` (Int64) of the blocks: the number of the block whose storage a view uses,
    else null.

    If only addresses suggest views, a finding that reports the assumption is appended to
    `findings`.
    """
    sources = view_sources(evidence.code, evidence.graph)
    if sources is not None:
        return alias_of_views(blocks, sources)
    alias_of = coinciding(blocks)
    count = int(alias_of.notna().sum())
    if count:
        text = f"{plural(count, 'block')} treated as views of another block that has the same address range at the same time"
        findings.append(Diagnostic("info", "aliases_assumed", text, "", count))
    return alias_of


def _kinds(blocks: pd.DataFrame, evidence: Evidence) -> pd.Series:
    """Return the kind of each block: constant, weight (a constant's tile), variable (a tensor or
    its tile) or transient (any other).

    Without a graph, tiles that match no other block are of kind buffer.
    """
    tensors = evidence.graph.tensors if evidence.graph else None
    inner = blocks["plan"] == INNER
    constants = set(blocks.loc[blocks["constant"], "name"])
    variables = set(blocks.loc[~blocks["constant"] & ~inner, "name"])
    if tensors is not None:
        constants |= set(tensors.index[tensors["constant"]])
        variables |= set(tensors.index[~tensors["constant"]])
    unknown = "transient" if tensors is not None else "buffer"
    kind = np.select(
        [blocks["name"].isin(constants), blocks["name"].isin(variables)],
        ["weight", "variable"],
        unknown,
    )
    return pd.Series(np.where(blocks["constant"], "constant", kind), dtype="str")


def _roles(blocks: pd.DataFrame, evidence: Evidence, names: pd.Series) -> pd.Series:
    """Return the role of each block: a tile's operand, or input and output of the network.

    The role is null if it is unknown, as without code and graph.
    """
    role = pd.Series(None, index=range(len(blocks)), dtype="str")
    if evidence.code is not None and len(names):
        role = operands(blocks, evidence.code, names)
    if evidence.graph is not None:
        outer = (blocks["plan"] != INNER) & ~blocks["constant"]
        role = role.mask(outer, blocks["name"].map(evidence.graph.tensors["role"]))
    return role


def _op_types(blocks: pd.DataFrame, evidence: Evidence) -> pd.Series:
    """Return the op_type (such as Conv) per block: of the operator that writes an outer block, or
    for a tile of the operator of its step.

    Null without a graph, or if the graph lacks the tensor or step.
    """
    if evidence.graph is None:
        return pd.Series(None, index=range(len(blocks)), dtype="str")
    writer = blocks["name"].map(evidence.graph.tensors["op_type"])
    return writer.mask(
        blocks["plan"] == INNER, blocks["start"].map(evidence.graph.steps["op_type"])
    )


def _types(blocks: pd.DataFrame, evidence: Evidence) -> dict[str, pd.Series]:
    """Map `dtype`, `shape` (text such as `1x3x32`) and `tensor_bytes` to a value per block.

    Unknown values are null, an unknown shape is "". Tiles have the dtype and shape of their tensor.
    tensor_bytes is null for tiles, since their size is not the tensor's. The graph gives constants
    the types of the float network, so they are used only if they agree with the constant's size.
    """
    dtype = pd.Series(None, index=range(len(blocks)), dtype="str")
    shape = dtype.fillna("")
    size = pd.Series(pd.NA, index=dtype.index, dtype="Int64")
    if evidence.graph is not None:
        tensors = evidence.graph.tensors
        constant_bytes = (
            blocks[blocks["constant"]].drop_duplicates("name").set_index("name")["size"]
        )
        trusted = tensors[
            ~tensors["constant"]
            | (tensors["tensor_bytes"] == constant_bytes.reindex(tensors.index))
        ]
        dtype, shape = (blocks["name"].map(trusted[column]) for column in ("dtype", "shape"))
        size = (
            blocks["name"]
            .map(trusted["tensor_bytes"])
            .astype("Int64")
            .mask(blocks["plan"] == INNER)
        )
    if evidence.code is not None:
        dtype = blocks["name"].map(evidence.code.dtypes).astype("str").fillna(dtype)
    return {"dtype": dtype.replace("", None), "shape": shape.fillna(""), "tensor_bytes": size}
