"""Whether two logs of a compiler are about the same layer groups: attempts at others say nothing about each other."""

from __future__ import annotations

from collections import Counter, defaultdict

from analysis.comparison.plan import Plan
from analysis.memory.layer_groups import is_kept_attempt

Tensors = frozenset[str]
_LOGGED = ("success", "failed", "unfinished")
"""Outcomes of attempts of a log."""
_LEAST_SHARE = 0.5
"""Share of the tensors of the larger of two groups that both have where they are one."""
_NAME = 30


def unpaired_reason(base: Plan, new: Plan) -> str:
    """Return why no attempts of two logs belong together, naming groups of either; empty where some do.

    Groups are those of the attempts that the compiler kept. Two are one where they have most tensors in common.
    """
    one, other = (_groups(plan) for plan in (base, new))
    if not one or not other or _have_pair(one, other):
        return ""
    return f"no layer group is in both runs: base has {_count_with_example(one)}, new has {_count_with_example(other)}"


def _groups(plan: Plan) -> list[Tensors]:
    """Return the tensors of each kept attempt of a log; none of levels, problems and devices."""
    attempts = plan.attempts
    logged = attempts["level"].isna() & attempts["outcome"].isin(_LOGGED)
    kept = attempts.loc[logged.to_numpy(bool) & is_kept_attempt(attempts), "attempt"]
    blocks = plan.allocations
    rows = blocks[blocks["attempt"].isin(kept) & (blocks["kind"] != "constant") & (blocks["name"] != "")]
    names = rows["name"].astype("str").groupby(rows["attempt"])
    return [frozenset(found) for _, found in names]


def _have_pair(base: list[Tensors], new: list[Tensors]) -> bool:
    owners: dict[str, list[int]] = defaultdict(list)
    for place, tensors in enumerate(base):
        for name in tensors:
            owners[name].append(place)
    for tensors in new:
        shared = Counter(place for name in tensors for place in owners.get(name, ()))
        if any(count >= _LEAST_SHARE * max(len(tensors), len(base[place])) for place, count in shared.items()):
            return True
    return False


def _count_with_example(groups: list[Tensors]) -> str:
    """Return how many groups there are, with a tensor of the first one."""
    first = min(groups[0])
    shown = first if len(first) <= _NAME else f"{first[: _NAME - 1]}…"
    return f"{len(groups)} group{'' if len(groups) == 1 else 's'} with tensors such as {shown}"
