"""Parts of an ONNX Runtime profile: nodes, what ran on devices, and the spans of the session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.doubtful import find_doubtful
from data_loaders.onnxruntime.entries import CALL, KERNEL, NODE, SESSION
from data_loaders.onnxruntime.executions import read_executions
from data_loaders.onnxruntime.nodes import in_order_of_nesting, named_by_operator, with_parents

RUN = "model_run"
"""Name of the session's span around a call of `run`."""
_NO_PROVIDER = "no provider"


@dataclass(frozen=True)
class Profile:
    """Parts of a profile, each sorted by start; `row` is the track.

    `nodes` are the nodes' spans on the host (see `with_parents`; `node` is the name in the file, ""
    if it has none; `doubtful` nodes end at their begin, see `find_doubtful`), `executions` the
    spans on devices, `calls` the host's calls into their library, `session` the session's spans, of which
    `runs` are the calls of the model.
    """

    nodes: pd.DataFrame
    executions: pd.DataFrame
    calls: pd.DataFrame
    session: pd.DataFrame
    runs: pd.DataFrame

    @property
    def has_devices(self) -> bool:
        """Whether devices were profiled, so that spans of nodes are only the host's part."""
        return len(self.executions) > 0


def read_profile(spans: pd.DataFrame) -> Profile:
    """Separate the spans of nodes, devices and the session.

    Frames without rows if there are no such spans.
    """
    ordered = spans.sort_values(
        ["start", "end"], ascending=[True, False], kind="stable", ignore_index=True
    )
    session = _select(ordered, SESSION)
    session["row"] = _track_names(pd.Series("session", index=session.index), session["tid"])
    calls = _select(ordered, CALL)
    calls["row"] = _track_names(pd.Series("device library", index=calls.index), calls["tid"])
    runs = session[session["name"] == RUN].reset_index(drop=True)
    nodes = _read_nodes(ordered, runs)
    return Profile(nodes, read_executions(ordered), calls, session, runs)


def _select(spans: pd.DataFrame, category: str) -> pd.DataFrame:
    own = spans[(spans["cat"] == category).to_numpy(bool)].reset_index(drop=True)
    return own.assign(name=own["name"].astype("str"))


def _read_nodes(spans: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    own = spans[(spans["cat"] == NODE).to_numpy(bool)]
    # A node has a name for all of its runs, so that names are far fewer than spans.
    names = own["name"].cat.remove_unused_categories()
    texts = names.cat.categories.astype("str")
    is_kernel = np.asarray(texts.str.endswith(KERNEL), np.bool_)
    code = names.cat.codes.to_numpy()
    chosen = is_kernel[code]
    name = texts.str.removesuffix(KERNEL)[code[chosen]]
    nodes = in_order_of_nesting(own[chosen].assign(name=name))
    nodes["node"] = nodes["name"]
    nodes["name"] = named_by_operator(nodes)
    provider = nodes["provider"].astype("str").fillna(_NO_PROVIDER)
    nodes["row"] = _track_names(provider, nodes["tid"])
    doubtful = find_doubtful(nodes, runs)
    # Without an end a node is around no other, and makes its track no longer.
    end = nodes["end"].mask(doubtful, nodes["start"])
    return with_parents(nodes.assign(doubtful=doubtful, end=end))


def _track_names(owner: pd.Series, thread: pd.Series) -> pd.Series:
    """Return the name of each span's track: its owner, with ` thread N` added if the owner has
    several threads.
    """
    threads = (
        pd.DataFrame({"owner": owner, "thread": thread})
        .groupby("owner")["thread"]
        .transform("nunique")
    )
    # Most profiles have a single thread, and texts of a million spans take a tenth of the reading.
    if (threads < 2).all():
        return owner
    return owner.where(threads < 2, owner + " thread " + thread.astype("str").fillna("unknown"))
