"""Sentence and table cells of the ranks of a distributed job."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.kernels.ranks import Ranks, RankTimes
from components.kernels.step_words import time_text
from components.numbers import DASH, count_text
from schema.plurals import plural

HEADS = ("rank", "step", "window", "busy", "communication exposed", "waited")
"""Columns of the table; busy and communication are parts of the window of the rank's device."""
_MAX_RANGES = 5
"""Number of ranges of missing ranks that are named."""


def ranks_sentence(ranks: Ranks) -> str:
    """Describe which rank all waited for, how long, and which ranks have no trace."""
    return f"{_straggler_words(ranks)} {_missing_words(ranks)}{_doubt_words(ranks)}"


def rank_cells(ranks: Ranks) -> list[list[str]]:
    """Format a row of texts per rank, in the order of HEADS; a dash for unknown times."""
    return [
        [
            str(rank.rank),
            time_text(rank.step_ns),
            time_text(rank.total),
            _part(rank.busy, rank),
            _part(rank.communication_exposed, rank),
            _part(rank.wait, rank),
        ]
        for rank in ranks.ranks
    ]


def _part(time: int | None, rank: RankTimes) -> str:
    if time is None:
        return DASH
    share = f" ({100 * time / rank.total:.0f} % of window)" if rank.total else ""
    return f"{time_text(time)}{share}"


def _straggler_words(ranks: Ranks) -> str:
    collectives = count_text(len(ranks.collectives), "collective")
    if "too_large" in ranks.unknown:
        return "The traces have too many executions for this page: command `ranks` has the times."
    if "no_collectives" in ranks.unknown:
        return "How long ranks wait is unknown: the traces share no collective."
    straggler = ranks.straggler
    if straggler is None:
        return f"No rank waits for another in {collectives}."
    share = 100 * straggler.skew / ranks.skew
    return (
        f"Rank {straggler.rank} came last to {straggler.collectives} of {collectives}: its "
        f"{time_text(straggler.skew)} of skew are {share:.0f} % of all {time_text(ranks.skew)}."
    )


def _missing_words(ranks: Ranks) -> str:
    present = len(ranks.ranks) + ranks.left_out
    left_out = f"; {ranks.left_out} of them are left out here" if ranks.left_out else ""
    if ranks.world_size is None:
        return f"{count_text(present, 'rank')} found{left_out}; the size of the job is unknown."
    if not ranks.missing:
        return f"{plural(ranks.world_size, 'rank')}, each with a trace{left_out}."
    lead = f"{present} of {plural(ranks.world_size, 'rank')} with a trace{left_out}"
    return f"{lead}; missing: {_ranges(ranks.missing)}."


def _doubt_words(ranks: Ranks) -> str:
    if "collectives_differ" not in ranks.unknown:
        return ""
    return (
        " The ranks of a group have different collectives, so that those of one number may not be"
        " the same."
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Format whole numbers in order as ranges, such as `2-7, 9`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [f"{a}-{b}" if a < b else str(a) for a, b in ranges[:_MAX_RANGES]]
    more = len(ranges) - _MAX_RANGES
    return ", ".join(texts) + (f" and {count_text(more, 'more range')}" if more > 0 else "")
