"""Sentences about the bytes that a whole network moves and needs.

A sum always mentions the operators that it lacks.
"""

from __future__ import annotations

from analysis.tiling.deeploy.network_summary import CapacityStep, NetworkLevel
from components.counts import part_text
from components.numbers import count_text, size
from components.tiling.words import exact_size


def network_caption(level: NetworkLevel) -> str:
    """Return the caption of a memory level: the capacity that all operators need, as tiled and with
    other tiles, and the bytes that they move.
    """
    now = "" if level.capacity is None else f"; the run has {exact_size(level.capacity)}"
    if level.least_of_any < level.least_as_tiled:
        tiled = f" with other tiles, into {exact_size(level.least_as_tiled)} as tiled{now}"
    else:
        tiled = f" as tiled, and into no less with other tiles{now}"
    added = f"The generated code adds {exact_size(level.added_static)} of static data."
    note = level.capacity_note or (added if level.added_static else "")
    fits = _all_words(level.operators)
    # Otherwise "all fit" and the note that they do not would contradict each other.
    lead = f"By the tiler's count {fits[0].lower()}{fits[1:]}" if level.added_static else fits
    return (
        f"{lead} into {exact_size(level.least_of_any)} of {level.level}"
        f"{tiled}. {note} {moved_sentence(level)}".replace("  ", " ")
    )


def _all_words(operators: int) -> str:
    return (
        "The only operator fits"
        if operators == 1
        else f"All {count_text(operators, 'operator')} fit"
    )


def moved_sentence(level: NetworkLevel) -> str:
    """Write how many bytes are moved in and out for the operators with known transfers, and how
    many operators are unknown, as a sentence.
    """
    if level.unknown == level.operators:
        return "How many bytes are moved is not known."
    lead = "It moves" if level.operators == 1 else "They move"
    both_ways = f"{size(level.bytes_in)} in and {size(level.bytes_out)} out"
    return f"{lead} {size(level.moved_bytes)}, {both_ways}{lacking_words(level)}."


def lacking_words(level: NetworkLevel) -> str:
    """Write how many operators a sum of the level lacks, in words that continue a sentence; "" if
    it has all.
    """
    return f", without {unknown_words(level)}" if level.unknown else ""


def unknown_words(level: NetworkLevel) -> str:
    """Write how many of the level's operators have unknown transfers: "2 of 8 operators whose
    transfers are not known".
    """
    return f"{part_text(level.unknown, level.operators, 'operator')} whose transfers are not known"


def step_sentence(level: NetworkLevel, step: CapacityStep) -> str:
    """Write how many operators fit into a capacity of the sweep, the bytes moved then, and the
    highest addresses of simple allocators, as a sentence.

    If the capacity is too small for all operators, only how many fit.
    """
    named = f", {', '.join(step.names)}" if step.names else ""
    where = f"{exact_size(step.capacity)} of {level.level}{named}"
    if step.moved_bytes is None:
        if level.operators == 1:
            return f"{where}: too small for the only operator."
        return f"{where}: {part_text(step.fitting, level.operators, 'operator')} fit, too small."
    ends = ", ".join(
        f"{name.replace('_', ' ')} ends at {size(end)}" for name, end in step.extents.items()
    )
    if level.unknown == level.operators:
        sentence = f"{where}: {_all_words(level.operators).lower()}"
        return f"{sentence}; {ends}." if ends else f"{sentence}."
    change = step.moved_bytes - level.moved_bytes
    less = (
        f", {size(abs(change))} {'less' if change < 0 else 'more'} than as tiled"
        if change
        else ", as now"
    )
    verb = "moves" if level.operators == 1 else "move"
    fits = f"{_all_words(level.operators).lower()} and {verb}"
    sentence = f"{where}: {fits} {size(step.moved_bytes)}{less}{lacking_words(level)}"
    return f"{sentence}; {ends}." if ends else f"{sentence}."
