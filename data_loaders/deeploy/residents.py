"""Compute the outer plan of a run without a plot: lifetimes of the tensors of its graph.

Rule of Deeploy's scheduler: a tensor is alive from the step that writes it to the last step that
reads it; an input of the network from step 0, an output until one step behind the last, a tensor at
least as long as its views.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.deeploy.aliases import ancestors
from data_loaders.deeploy.code import Code
from data_loaders.deeploy.graph import Graph


def residents(graph: Graph, sources: Mapping[str, str]) -> pd.DataFrame:
    """Compute columns name, size (bytes), start and end (steps, exclusive).

    A row per tensor of known size. Constants, and tensors that no step uses and are no input or
    output, are left out. `sources` maps views to their sources.
    """
    used = graph.uses.groupby("name")["step"].agg(first="min", last="max")
    tensors = graph.tensors.join(used)
    alive = tensors["first"].notna() | tensors["role"].notna()
    tensors = tensors[alive & ~tensors["constant"] & tensors["tensor_bytes"].notna()]
    start = tensors["first"].where(tensors["role"] != "input", 0).fillna(0)
    last = tensors["last"].where(tensors["role"] != "output", len(graph.steps)).fillna(0)
    views = ancestors(sources)
    of_views = (
        last.reindex(views["name"]).groupby(views["ancestor"].to_numpy()).max().reindex(last.index)
    )
    end = np.fmax(last, of_views) + 1  # fmax ignores the NaN of tensors without views
    columns = {"size": tensors["tensor_bytes"], "start": start, "end": end}
    return pd.DataFrame(columns).astype("int64").rename_axis("name").reset_index()


def home_level(names: pd.Series, code: Code) -> str | None:
    """Return the level in which the code places most of these tensors.

    Returns `None` if it places none of these tensors.
    """
    levels = code.places.loc[code.places["name"].isin(names), "level"].value_counts()
    return str(levels.index[0]) if len(levels) else None


def home_addresses(
    names: pd.Series, code: Code, level: str, sources: Mapping[str, str]
) -> pd.Series:
    """Return each tensor's address in bytes in its home level (Int64), null if the code has none.

    A view without an address has that of its nearest source with an address.
    """
    places = (
        code.places[code.places["level"] == level]
        .drop_duplicates("name")
        .set_index("name")["address"]
    )
    views = ancestors(sources).sort_values("distance")
    views = (
        views[views["ancestor"].isin(places.index)]
        .drop_duplicates("name")
        .set_index("name")["ancestor"]
    )
    own = names.map(places).astype("Int64")
    return own.fillna(names.map(views).map(places).astype("Int64"))
