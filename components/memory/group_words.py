"""Texts about layer groups: reason of a failure, result of the search, and log summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.memory.group_table import GroupAttempt, LayerGroup
from components.caption import Caption, Jump
from components.counts import part_text
from components.memory.block_words import exact
from components.numbers import count_text, integer, shorten

FailureOf = Callable[[GroupAttempt], Mapping[str, Any]]
"""Function from a failed attempt to its failure: `reason`, `excess` (bytes) and `step`.

If the search was run for the attempt, the mapping also has `lab`, its result; None if it gave no
result.
"""
_FREE_RANGE = "free_range"
"""Reason bank_rule of an attempt that allowed bank conflicts: no rule kept its blocks out."""
_NAME = 40
_SETTINGS = {
    "shape_secs": "shape secs",
    "allow_bank_conflict": "bank conflicts",
    "one_loop": "one loop",
}
_REASONS = {
    "too_big": "by too many bytes in one step",
    "fragmentation": "by fragmentation",
    "bank_rule": "by a rule of banks",
    _FREE_RANGE: "although a block that failed fits into a free range",
    "": "for reasons that are not known yet",
}
"""Reason of a failure -> words for it in the summary of the log."""
_MAX_VALUES = 4
"""Maximum number of values of a setting that are listed."""


def group_name(group: LayerGroup) -> str:
    """Return the name of a group, cut to 40 characters; `attempt N` with its last attempt if it has
    no name.
    """
    return shorten(group.group, _NAME) if group.group else f"attempt {group.last.attempt}"


def _reason(failure: Mapping[str, Any], attempt: GroupAttempt) -> str:
    """Return the reason of a failure, "" if it is unknown; where bank conflicts were allowed, a
    violated bank rule is the lack of a free range.
    """
    reason = str(failure["reason"] or "")
    return _FREE_RANGE if reason == "bank_rule" and attempt.allow_bank_conflict == 1 else reason


def failure_words(failure: Mapping[str, Any], attempt: GroupAttempt) -> str:
    """Write why an attempt failed: too big by how much and at which step, bank rule, or
    fragmentation.

    Returns "" if the reason is unknown.
    """
    match _reason(failure, attempt):
        case "too_big":
            at = "" if failure["step"] is None else f" in step {integer(failure['step'])}"
            return f"too big: {exact(failure['excess'])} too many{at}"
        case "bank_rule":
            return "bank rule: a block that failed fits into a free range"
        case "free_range":
            return "a block that failed fits into a free range, and bank conflicts were allowed"
        case "fragmentation":
            return "fragmentation: no free range is large enough"
        case _:
            return ""


def lab_words(failure: Mapping[str, Any], *, pending: bool) -> str:
    """Write the result of the search for a failed attempt, at the capacity of the chip, in a few
    words.

    `pending` is True while results of the search are still expected: a failure without `lab` is
    then "being asked", otherwise "not asked".
    """
    if "lab" not in failure:
        return "being asked" if pending else "not asked"
    lab = failure["lab"]
    if lab is None:
        return "no answer"
    if lab["status"] in ("optimal", "feasible"):
        return f"fits, found: {exact(lab['extent'])}"
    if lab["status"] == "infeasible":
        at = "" if failure["step"] is None else f" in step {integer(failure['step'])}"
        # The bound of the search counts alignments, that of the map only the bytes alive at once.
        least = "" if lab["bound"] is None else f": at least {exact(lab['bound'])} aligned{at}"
        return f"cannot{least}" if failure["reason"] == "too_big" else "cannot, proved"
    return "not found"


def differs_words(group: LayerGroup) -> str:
    """List the settings that vary among the attempts of a group, with at most four values each; ""
    if all are the same.
    """
    return "; ".join(
        f"{_SETTINGS.get(name, name)} {_values(values)}" for name, values in group.differs.items()
    )


def _values(values: Sequence[str | int]) -> str:
    more = f" and {integer(len(values) - _MAX_VALUES)} more" if len(values) > _MAX_VALUES else ""
    return ", ".join(str(value) for value in values[:_MAX_VALUES]) + more


def groups_sentence(
    groups: Sequence[LayerGroup], failure_of: FailureOf, *, final_known: bool
) -> str:
    """Write how many groups failed for good, why, and which group is the worst.

    If the log does not record which attempts the compiler used (`final_known` is False), a sentence
    states that the last attempt of each group is taken instead. Sentences about the log's
    unfinished groups and about the search follow if there are any.
    """
    lost = [group for group in groups if group.last.outcome == "failed" or group.last.failed]
    open_ = sum(group.last.outcome == "unfinished" and not group.last.failed for group in groups)
    count = count_text(len(groups), "layer group")
    tail = f" {_unfinished_sentence(open_)}" if open_ else ""
    if not final_known and any(len(group.attempts) > 1 for group in groups):
        tail += " The log does not mark the final attempts: the last attempt of each group is used."
    if not lost:
        tried = sum(attempt.failed > 0 for group in groups for attempt in group.attempts)
        on_way = f"; {count_text(tried, 'attempt')} failed on the way" if tried else ""
        outcome = (
            "The only layer group did not fail" if len(groups) == 1 else f"None of {count} failed"
        )
        return f"{outcome} for good{on_way}.{tail}"
    worst = _worst(lost, failure_of)
    sentence = f"{_lost_words(lost, len(groups), failure_of)}.{tail}"
    return Caption(
        f"{sentence}{_search_sentence(lost, failure_of)}",
        Jump(group_name(worst), "attempt", worst.last.attempt),
    )


def _lost_words(lost: Sequence[LayerGroup], groups: int, failure_of: FailureOf) -> str:
    """Write how many of the groups failed for good and why, and which of them is the worst."""
    worst = _worst(lost, failure_of)
    named = group_name(worst)
    loss = _loss(worst, failure_of)
    reasons = Counter(_reason(failure_of(group.last), group.last) for group in lost)
    if groups == 1:
        return f"The only layer group, {named}, failed for good {_REASONS[next(iter(reasons))]}; it {loss}"
    count = f"{part_text(len(lost), groups, 'layer group')} failed for good"
    if len(lost) == 1:
        return f"{count} {_REASONS[next(iter(reasons))]}: {named} {loss}"
    why = ", ".join(
        f"{integer(reasons[name])} {words}" for name, words in _REASONS.items() if reasons[name]
    )
    return f"{count}: {why}; the worst, {named}, {loss}"


def _unfinished_sentence(count: int) -> str:
    return f"The log ends inside of {count_text(count, 'group')}."


def _worst(lost: Sequence[LayerGroup], failure_of: FailureOf) -> LayerGroup:
    """Return the group whose last attempt lacks most bytes, else the group with most failed blocks."""
    return max(lost, key=lambda group: (failure_of(group.last)["excess"] or 0, group.last.failed))


def _loss(worst: LayerGroup, failure_of: FailureOf) -> str:
    failure = failure_of(worst.last)
    if failure["excess"]:
        at = "" if failure["step"] is None else f" in step {integer(failure['step'])}"
        return f"asks for {exact(failure['excess'])} more than there are{at}"
    return f"has no place for {count_text(worst.last.failed, 'block')}"


def _search_sentence(lost: Sequence[LayerGroup], failure_of: FailureOf) -> str:
    """Write how many of the failed groups the search fits, and for how many it proves that this is
    impossible, with a space in front; "" unless it has a result for all of them.
    """
    results = [failure_of(group.last).get("lab", "") for group in lost]
    if any(not isinstance(result, Mapping) for result in results):
        return ""
    fits = sum(
        result["status"] in ("optimal", "feasible")
        for result in results
        if isinstance(result, Mapping)
    )
    cannot = sum(
        result["status"] == "infeasible" for result in results if isinstance(result, Mapping)
    )
    if len(lost) == 1:
        one = "fits it" if fits else "proves that it cannot fit" if cannot else "finds no placement"
        return f" The built-in search {one}."
    open_ = len(lost) - fits - cannot
    left = f", and finds no placement of {integer(open_)}" if open_ else ""
    counts = f"fits {integer(fits)}, proves that {integer(cannot)} cannot fit{left}"
    return f" Of these {count_text(len(lost), 'group')}, the built-in search {counts}."
