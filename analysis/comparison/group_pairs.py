"""Checks that two compiler logs have a layer group in common; attempts at different groups are not
comparable.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from analysis.comparison.plan import Plan
from analysis.memory.layer_groups import is_used_attempt
from schema.plurals import plural

Tensors = frozenset[str]
_LOGGED = ("success", "failed", "unfinished")
"""Outcomes of attempts in a log."""
_MIN_SHARE = 0.5
"""Minimum share of common tensors, in the larger of two groups, for them to be the same group."""
_MAX_NAME = 30
"""Maximum number of characters of a tensor's name in the reason."""


def unpaired_reason(base: Plan, new: Plan) -> str:
    """Explain in a clause why no layer groups of two logs match, with an example of each side's
    groups; "" if some match, or if a side has no groups.

    Only groups of attempts that the compiler used count. Two groups are the same if at least half
    of the tensors of the larger group are in both.
    """
    base_groups, new_groups = (_groups(plan) for plan in (base, new))
    if not base_groups or not new_groups or _have_pair(base_groups, new_groups):
        return ""
    counts = (
        f"base has {_count_with_example(base_groups)}, new has {_count_with_example(new_groups)}"
    )
    return f"no layer group is in both runs: {counts}"


def _groups(plan: Plan) -> list[Tensors]:
    """List the names of the tensors of each used attempt of a log, without constants; empty for
    levels, problems and devices.
    """
    attempts = plan.attempts
    logged = attempts["level"].isna() & attempts["outcome"].isin(_LOGGED)
    used = attempts.loc[logged.to_numpy(bool) & is_used_attempt(attempts), "attempt"]
    blocks = plan.allocations
    rows = blocks[
        blocks["attempt"].isin(used) & (blocks["kind"] != "constant") & (blocks["name"] != "")
    ]
    names = rows["name"].astype("str").groupby(rows["attempt"])
    return [frozenset(tensors) for _, tensors in names]


def _have_pair(base: list[Tensors], new: list[Tensors]) -> bool:
    owners: dict[str, list[int]] = defaultdict(list)
    for place, tensors in enumerate(base):
        for name in tensors:
            owners[name].append(place)
    for tensors in new:
        # Count common tensors by an index of the base, instead of comparing all pairs of groups.
        shared = Counter(place for name in tensors for place in owners.get(name, ()))
        if any(
            count >= _MIN_SHARE * max(len(tensors), len(base[place]))
            for place, count in shared.items()
        ):
            return True
    return False


def _count_with_example(groups: list[Tensors]) -> str:
    """Describe the number of groups, with the first tensor name in alphabetical order of the first
    group as example: `2 groups with tensors such as conv1`.
    """
    first = min(groups[0])
    shown = first if len(first) <= _MAX_NAME else f"{first[: _MAX_NAME - 1]}…"
    return f"{plural(len(groups), 'group')} with tensors such as {shown}"
