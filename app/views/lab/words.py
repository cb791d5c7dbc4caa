"""Sentences about the results of the lab: extent, proof, bank conflicts, end of a search, progress."""

from __future__ import annotations

from analysis.allocators.listed import strategy_label
from components.numbers import count_text, excess_percent, integer, seconds, size
from services.lab.data import LabData
from services.lab.searches import Running
from services.run.placements import LabPlacement

_STOPPED = {
    "effort": "its effort is used up",
    "time": "its time limit was reached: a faster machine may find less",
    "cancelled": "it was cancelled",
}


def result_sentence(data: LabData, placement: LabPlacement) -> str:
    """Compose sentences about a placement: extent and its proof, the end of the search, and the
    bank conflicts before and after.
    """
    return f"{_extent_sentence(data, placement)} {conflicts_sentence(data, placement)}".strip()


def conflicts_sentence(data: LabData, placement: LabPlacement) -> str:
    """Compose a sentence with the number of bank conflicts of a placement and of the file's own
    placement; "" if the number is unknown.
    """
    after = data.conflicts(placement)
    before = data.conflicts_stored
    least = data.conflicts_bound or 0
    if after is None or data.problem is None:
        return ""
    sentence = count_text(after, "bank conflict") if after else "No bank conflict"
    among = "in the file" if data.is_placed else "between the blocks that the file placed"
    if before is not None:
        sentence += f", {integer(before) if before else 'none'} {among}"
    above = data.problem.memory is not None and (placement.extent or 0) > data.problem.memory
    if above:
        sentence += f"; it ends above the {_bytes(data.problem.memory or 0)} of all banks"
    elif after and least:
        sentence += f"; at least {integer(least)} cannot be avoided"
    elif after:
        sentence += (
            "; all can be avoided"
            if data.can_avoid_conflicts
            else "; whether all can be avoided is not known"
        )
    allowed = data.stored_map is not None and data.stored_map.whole("allow_bank_conflict") == 1
    return f"{sentence}. {'The compiler allowed conflicts here.' if allowed else ''}".strip()


def _extent_sentence(data: LabData, placement: LabPlacement) -> str:
    capacity = data.asked.capacity
    static = data.problem.static_bytes if data.problem is not None else 0
    least = f"{_bytes(placement.bound)}"
    above = f" above {size(static)} of constants" if static else ""
    if placement.status == "infeasible":
        return _impossible_sentence(data, placement, static)
    spent = f"{count_text(placement.effort, 'placement')}, {seconds(placement.seconds)}"
    ended = _STOPPED.get(placement.stopped, "")
    if placement.status == "not_found":
        return f"Not found in {spent}: neither a placement nor a proof that there is none{_because(ended)}."
    sentence = f"{_bytes(placement.extent or 0)}{above}"
    if placement.moved_bytes is not None:
        sentence = f"{sentence} with {_bytes(placement.moved_bytes)} moved"
        # Points of the front share one search, so that they have no number of placements.
        spent = seconds(placement.seconds)
    if data.fits(placement) is False:
        over = (placement.extent or 0) - (data.room or 0)
        return f"Does not fit: {sentence}, {_bytes(over)} above the {_bytes(data.room or 0)} asked for ({spent})."
    # With a capacity, a placement above the bound is proved to fit, but not to be the least.
    if placement.status == "optimal" and not (
        capacity is not None and placement.extent != placement.bound
    ):
        why = (
            "no placement is below the bound"
            if placement.proof == "bound"
            else "every order with less was searched"
        )
        return f"Proved least: {sentence}; {why} ({spent})."
    if capacity is not None:
        return f"Fits: {sentence} of {_bytes(capacity - static)} ({spent})."
    gap = f", {excess_percent(placement.gap)} above the bound of {least}" if placement.gap else ""
    gap += _more_than_alive(data, placement.bound) if gap else ""
    # Another strategy may have found less, so that this is not the least that was found.
    return f"Found: {sentence}{gap} ({spent}){_because(ended)}."


def _impossible_sentence(data: LabData, placement: LabPlacement, static: int) -> str:
    """Compose a sentence with the reason why no placement fits; `static` are bytes of constants."""
    capacity = data.asked.capacity or 0
    room = capacity - static
    if room <= 0:
        return f"Cannot fit: the constants take {_bytes(static)} of {_bytes(capacity)}."
    above = f" above {size(static)} of constants" if static else ""
    why = (
        f"at least {_bytes(placement.bound)} are needed at once{_more_than_alive(data, placement.bound)}"
        if placement.proof == "bound"
        else "every order was searched"
    )
    return f"Cannot fit into {_bytes(room)}{above}: {why}."


def _more_than_alive(data: LabData, bound: int) -> str:
    """Explain why the bound exceeds the bytes that are alive at once, the bound of the run's page:
    it counts alignments, and outputs apart from the operands whose bytes they took over.

    Returns "" if both are equal, or if the problem is not that of the file.
    """
    alive = data.bytes_alive
    if alive is None or alive == bound:
        return ""
    return f" ({_bytes(alive)} alive, the rest for alignment and outputs placed apart)"


def running_sentence(running: Running) -> str:
    """Compose a sentence about the progress of a running search: strategy, its extent so far, gap
    to the bound, effort and seconds.
    """
    name = strategy_label(running.strategy)
    rank = f" ({running.rank + 1} of {running.total})" if running.total > 1 else ""
    if running.stopping:
        return f"Stopping {name}{rank}."
    if running.doing:
        return f"{name}{rank}: {running.doing}."
    if running.extent is None:
        return f"{name}{rank}: starting."
    extent = f"{_bytes(running.extent)} so far"
    gap = (
        ""
        if not running.bound
        else f", {excess_percent(running.extent / running.bound - 1)} above the bound"
    )
    spent = f"{count_text(running.effort, 'placement')}, {running.seconds:.0f} s"
    return f"{name}{rank}: {extent}{gap}; {spent}."


def elsewhere_sentence(data: LabData) -> str:
    """Compose a sentence about the user's search for another problem; "" if no such search runs."""
    if data.elsewhere is None:
        return ""
    other = data.elsewhere.run_id
    where = "another problem of this run" if other == data.run.run_id else f"run {other}"
    return f"Your search for {where} is still running: wait for it, or cancel it."


def least_sentence(data: LabData) -> str:
    """Compose a sentence with the least capacity that any result shows to be enough, and whether it
    is proved; "" if no result has a placement.
    """
    placed = [placement for placement in data.placements if placement.extent is not None]
    if not placed or data.problem is None:
        return ""
    best = min(placed, key=lambda placement: (placement.extent or 0, placement.status != "optimal"))
    proved = best.extent == best.bound or any(
        placement.status == "optimal"
        and placement.extent == best.extent
        and data.asked.capacity is None
        for placement in placed
    )
    total = (best.extent or 0) + data.problem.static_bytes
    constants = " with the constants" if data.problem.static_bytes else ""
    return f"Least that fits: {_bytes(total)}{constants}, {'proved' if proved else 'as far as it was searched'}."


def asked_words(count: int) -> str:
    """Compose a sentence with the number of results of a problem; with 0, that nothing is solved
    yet.
    """
    return f"{count_text(count, 'answer')} so far." if count else "Not solved yet: press Solve."


def _because(ended: str) -> str:
    return f"; {ended}" if ended else ""


def _bytes(value: int) -> str:
    return f"{integer(value)} B" if value < 1024 else f"{size(value)} ({integer(value)} B)"
