"""Which attempts are about one layer group: those that the compiler's cache names, else those with the same tensors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.memory.attempts import without_levels
from schema.array_types import Bools, Ints

Hashes = npt.NDArray[np.uint64]


def with_groups(attempts: pd.DataFrame, allocations: pd.DataFrame) -> pd.DataFrame:
    """Return frame `attempts` with `group` filled where the file names no layer group at all: `tensors 0`, ...

    Attempts that lay out the same tensors (kind and name, constants left out) get one label, counted from the first
    of them. Memory levels, and attempts without blocks, get none.
    """
    asked = attempts["level"].isna().to_numpy(bool)
    if (attempts["group"] != "").any() or asked.sum() < 2:
        return attempts
    tensors, counts = _tensors(attempts, allocations)
    labelled = np.flatnonzero(asked & (counts > 0))
    ranks, _ = pd.factorize(tensors[labelled])
    labels = np.full(len(attempts), "", dtype=object)
    labels[labelled] = [f"tensors {rank}" for rank in ranks.tolist()]
    return attempts.assign(group=pd.Series(labels, index=attempts.index, dtype="str"))


def by_group(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the attempts with those of one layer group together, groups in the order of their first attempts."""
    alone = pd.Series(np.arange(len(attempts)).astype("str"), index=attempts.index)
    ranks, _ = pd.factorize(attempts["group"].astype("str").where(attempts["group"] != "", "\0" + alone))
    return attempts.iloc[np.argsort(ranks, kind="stable")]


def is_kept_attempt(attempts: pd.DataFrame) -> Bools:
    """Tell which attempts the compiler went on with: the final ones, else the last of each layer group, else all.

    A memory level beside attempts is none; where there are levels alone all of them are.
    """
    own = attempts["attempt"].isin(without_levels(attempts)["attempt"]).to_numpy(bool)
    final = attempts["final"].fillna(False).to_numpy(bool) & own
    if final.any():
        return np.asarray(final, dtype=np.bool_)
    repeated = (attempts["group"] != "") & attempts.duplicated("group", keep="last")
    return np.asarray(own & ~repeated.to_numpy(bool), dtype=np.bool_)


def previous_of_group(attempts: pd.DataFrame, attempt: int) -> int | None:
    """Return the attempt before one in its layer group, None for the first and where it has no group."""
    own = attempts.loc[attempts["attempt"] == attempt, "group"].astype("str")
    if not len(own) or not own.iloc[0]:
        return None
    earlier = attempts.loc[(attempts["group"] == own.iloc[0]) & (attempts["attempt"] < attempt), "attempt"]
    return int(earlier.max()) if len(earlier) else None


def _tensors(attempts: pd.DataFrame, allocations: pd.DataFrame) -> tuple[Hashes, Ints]:
    """Return per attempt a number that stands for its set of tensors, and how many blocks it has."""
    blocks = allocations.loc[allocations["kind"] != "constant", ["attempt", "kind", "name"]]
    blocks = blocks[blocks["attempt"].isin(attempts["attempt"])].drop_duplicates()
    hashes = pd.util.hash_pandas_object(blocks[["kind", "name"]].astype("str"), index=False).to_numpy(np.uint64)
    owner = pd.Index(attempts["attempt"]).get_indexer(blocks["attempt"])
    sums = np.zeros(len(attempts), dtype=np.uint64)
    np.add.at(sums, owner, hashes)
    return sums, np.bincount(owner, minlength=len(attempts)).astype(np.int64)
