"""Groups attempts by layer group: by the names in the compiler's cache, else by equal sets of
tensors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.memory.attempts import without_levels
from schema.array_types import Bools, Ints

Hashes = npt.NDArray[np.uint64]


def with_groups(attempts: pd.DataFrame, allocations: pd.DataFrame) -> pd.DataFrame:
    """Return frame `attempts` with column `group` filled with `tensors 0`, `tensors 1` ... if the
    file names no layer groups; unchanged if it does, or with fewer than two attempts.

    Attempts that place the same tensors (by kind and name, without constants) get the same label,
    numbered in order of first occurrence. Memory levels and attempts without blocks get "".
    """
    is_attempt = attempts["level"].isna().to_numpy(bool)
    if (attempts["group"] != "").any() or is_attempt.sum() < 2:
        return attempts
    tensors, counts = _tensors(attempts, allocations)
    labelled = np.flatnonzero(is_attempt & (counts > 0))
    ranks, _ = pd.factorize(tensors[labelled])
    labels = np.full(len(attempts), "", dtype=object)
    labels[labelled] = [f"tensors {rank}" for rank in ranks.tolist()]
    return attempts.assign(group=pd.Series(labels, index=attempts.index, dtype="str"))


def by_group(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of frame `attempts` sorted so that each layer group is contiguous, groups in
    the order of their first attempts; an attempt without a group is a group of its own.
    """
    alone = pd.Series(np.arange(len(attempts)).astype("str"), index=attempts.index)
    ranks, _ = pd.factorize(
        attempts["group"].astype("str").where(attempts["group"] != "", "\0" + alone)
    )
    return attempts.iloc[np.argsort(ranks, kind="stable")]


def is_used_attempt(attempts: pd.DataFrame) -> Bools:
    """Mask of the attempts that the compiler used: the final attempts; if no attempt is marked as
    final, the last attempt of each layer group and all attempts without a group.

    Memory levels in addition to attempts are excluded; if there are only levels, all are included.
    """
    own = attempts["attempt"].isin(without_levels(attempts)["attempt"]).to_numpy(bool)
    final = attempts["final"].fillna(False).to_numpy(bool) & own
    if final.any():
        return np.asarray(final, dtype=np.bool_)
    repeated = (attempts["group"] != "") & attempts.duplicated("group", keep="last")
    return np.asarray(own & ~repeated.to_numpy(bool), dtype=np.bool_)


def find_previous_attempt(attempts: pd.DataFrame, attempt: int) -> int | None:
    """Return the rank of the attempt before the attempt of rank `attempt` in its layer group;
    `None` for the first attempt, or if it has no group or does not exist.
    """
    own = attempts.loc[attempts["attempt"] == attempt, "group"].astype("str")
    if not len(own) or not own.iloc[0]:
        return None
    earlier = attempts.loc[
        (attempts["group"] == own.iloc[0]) & (attempts["attempt"] < attempt), "attempt"
    ]
    return int(earlier.max()) if len(earlier) else None


def _tensors(attempts: pd.DataFrame, allocations: pd.DataFrame) -> tuple[Hashes, Ints]:
    """Compute a hash of the set of tensors (uint64; 0 without blocks) and the number of distinct
    blocks, both per attempt. Constants are left out.
    """
    blocks = allocations.loc[allocations["kind"] != "constant", ["attempt", "kind", "name"]]
    blocks = blocks[blocks["attempt"].isin(attempts["attempt"])].drop_duplicates()
    hashes = pd.util.hash_pandas_object(
        blocks[["kind", "name"]].astype("str"), index=False
    ).to_numpy(np.uint64)
    owner = pd.Index(attempts["attempt"]).get_indexer(blocks["attempt"])
    sums = np.zeros(len(attempts), dtype=np.uint64)
    # The sum of hashes does not depend on the order of the blocks.
    np.add.at(sums, owner, hashes)
    return sums, np.bincount(owner, minlength=len(attempts)).astype(np.int64)
