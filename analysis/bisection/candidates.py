"""Choice of the commit to measure next inside a range of commits without results."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

_BROKEN_NEAR, _BROKEN_REACH = 0.5, 2.0
"""Probability that a neighbour of a broken commit is broken too, and the number of commits over
which that probability decays: a cause often breaks several commits in a row.
"""


def choose_between(before: int, after: int, broken: AbstractSet[int]) -> int | None:
    """Choose the position to measure next between two measured commits: the expected information is
    largest there. None if there is no commit between them that is not broken.
    """
    commits = np.array([at for at in range(before + 1, after) if at not in broken], dtype=np.int64)
    if not len(commits):
        return None
    chance = (commits - before) / (after - before)
    bits = -chance * np.log2(chance) - (1 - chance) * np.log2(1 - chance)
    near = sorted(at for at in broken if before < at < after)
    if near:
        distance = np.abs(commits[:, None] - np.array(near)).min(axis=1)
        bits = bits * (1 - _BROKEN_NEAR * np.exp(-(distance - 1) / _BROKEN_REACH))
    return int(commits[np.argmax(bits)])
