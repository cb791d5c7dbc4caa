"""The blocks of a Deeploy map with what graph and code say of them: kind, role, type, operator, shared storage."""

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
    """Return the blocks with their level, plan and rank in their attempt, sorted by attempt."""
    blocks = levels.blocks.assign(plan=plans(levels.blocks))
    level = levels.levels["level"].reindex(blocks["attempt"]).reset_index(drop=True)
    return blocks.assign(level=level, block=blocks.groupby("attempt").cumcount().astype("int64"))


def allocations(blocks: pd.DataFrame, evidence: Evidence, names: pd.Series, findings: list[Diagnostic]) -> pd.DataFrame:
    """Return frame `allocations` of blocks as `describe_blocks` makes them; `names` are the operators by step."""
    alias_of = _alias_of(blocks, evidence, findings)
    constant = blocks["constant"].to_numpy(bool)
    placed = np.where(blocks["address"].notna(), "placed", "unplaced")
    columns = {name: blocks[name] for name in blocks.columns if name != "constant"}
    columns |= {"kind": _kinds(blocks, evidence), "role": _roles(blocks, evidence, names), "hold": constant}
    columns |= {"status": np.where(alias_of.notna(), "shared", placed), "alias_of": alias_of}
    return complete("allocations", columns | _types(blocks, evidence) | {"op_type": _op_types(blocks, evidence)})


def _alias_of(blocks: pd.DataFrame, evidence: Evidence, findings: list[Diagnostic]) -> pd.Series:
    """Return the blocks' `alias_of`; without code and graph, what the addresses suggest, and say so."""
    sources = view_sources(evidence.code, evidence.graph)
    if sources is not None:
        return alias_of_views(blocks, sources)
    alias_of = coinciding(blocks)
    count = int(alias_of.notna().sum())
    if count:
        text = f"{plural(count, 'block')} taken for views of another that has the same address range at the same time"
        findings.append(Diagnostic("info", "aliases_assumed", text, "", count))
    return alias_of


def _kinds(blocks: pd.DataFrame, evidence: Evidence) -> pd.Series:
    """Return constant, weight (the tile of one), transient, variable or, where nothing says, buffer."""
    tensors = evidence.graph.tensors if evidence.graph else None
    inner = blocks["plan"] == INNER
    constants = set(blocks.loc[blocks["constant"], "name"])
    variables = set(blocks.loc[~blocks["constant"] & ~inner, "name"])
    if tensors is not None:
        constants |= set(tensors.index[tensors["constant"]])
        variables |= set(tensors.index[~tensors["constant"]])
    unknown = "transient" if tensors is not None else "buffer"
    kind = np.select([blocks["name"].isin(constants), blocks["name"].isin(variables)], ["weight", "variable"], unknown)
    return pd.Series(np.where(blocks["constant"], "constant", kind), dtype="str")


def _roles(blocks: pd.DataFrame, evidence: Evidence, names: pd.Series) -> pd.Series:
    """Return the operand that a tile is, and of outer blocks whether they are the network's input or output."""
    role = pd.Series(None, index=range(len(blocks)), dtype="str")
    if evidence.code is not None and len(names):
        role = operands(blocks, evidence.code, names)
    if evidence.graph is not None:
        outer = (blocks["plan"] != INNER) & ~blocks["constant"]
        role = role.mask(outer, blocks["name"].map(evidence.graph.tensors["role"]))
    return role


def _op_types(blocks: pd.DataFrame, evidence: Evidence) -> pd.Series:
    """Return the operator that writes an outer block, and of a tile the operator of its step."""
    if evidence.graph is None:
        return pd.Series(None, index=range(len(blocks)), dtype="str")
    writer = blocks["name"].map(evidence.graph.tensors["op_type"])
    return writer.mask(blocks["plan"] == INNER, blocks["start"].map(evidence.graph.steps["op_type"]))


def _types(blocks: pd.DataFrame, evidence: Evidence) -> dict[str, pd.Series]:
    """Return dtype, shape and tensor_bytes; a tile has its tensor's type and shape, and asks for bytes of its own.

    The graph's types of constants are those of the float network: they count where they give the constant's size.
    """
    dtype = pd.Series(None, index=range(len(blocks)), dtype="str")
    shape, size = dtype.fillna(""), pd.Series(pd.NA, index=dtype.index, dtype="Int64")
    if evidence.graph is not None:
        tensors = evidence.graph.tensors
        real = blocks[blocks["constant"]].drop_duplicates("name").set_index("name")["size"]
        believed = tensors[~tensors["constant"] | (tensors["tensor_bytes"] == real.reindex(tensors.index))]
        dtype, shape = (blocks["name"].map(believed[column]) for column in ("dtype", "shape"))
        size = blocks["name"].map(believed["tensor_bytes"]).astype("Int64").mask(blocks["plan"] == INNER)
    if evidence.code is not None:
        dtype = blocks["name"].map(evidence.code.dtypes).astype("str").fillna(dtype)
    return {"dtype": dtype.replace("", None), "shape": shape.fillna(""), "tensor_bytes": size}
