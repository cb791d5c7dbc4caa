"""Words for the parts of a selection in the memory views."""

from __future__ import annotations

from analysis.memory.attempt_map import AttemptMap, attempt_words
from analysis.memory.selection import MemorySelection
from components.memory.block_words import MAX_NAME_CHARACTERS
from components.memory.buffer_words import moment
from components.numbers import address, integer, shorten, size


def memory_words(selection: MemorySelection, shown: AttemptMap | None) -> dict[str, str]:
    """Map the selected fields (block, bank, step, span, addresses, against) to words, such as
    `steps 3 – 7`.

    Fields that are not selected are missing. `shown` is the map of the selected attempt, None if
    unknown.
    """
    if shown is not None and shown.facts.devices:
        return _buffer_words(selection, shown)
    words = {}
    if selection.block is not None:
        words["block"] = f"block {_name(selection.block, shown)}"
    if selection.bank is not None:
        words["bank"] = f"bank {selection.bank}"
    if selection.step is not None:
        words["step"] = f"step {integer(selection.step)}"
    if selection.span is not None:
        # The span is half-open, but people read it with both ends included.
        words["span"] = f"steps {integer(selection.span[0])} – {integer(selection.span[1] - 1)}"
    if selection.addresses is not None:
        words["addresses"] = (
            f"{address(selection.addresses[0])} – {address(selection.addresses[1])}"
        )
    if selection.against is not None:
        words["against"] = f"compared with {attempt_words(selection.against)}"
    return words


def _buffer_words(selection: MemorySelection, shown: AttemptMap) -> dict[str, str]:
    """Map the selected fields (block, step, addresses) to words, for a device of a profile; its
    time window belongs to the timeline.
    """
    words = {}
    if selection.block is not None:
        name = _name(selection.block, shown)
        words["block"] = (
            f"{'buffer ' if name.isdecimal() else ''}{name} of {shorten(shown.label, MAX_NAME_CHARACTERS)}"
        )
    if selection.step is not None:
        words["step"] = f"at {moment(selection.step, shown.length)}"
    if selection.addresses is not None:
        words["addresses"] = (
            f"map from {size(selection.addresses[0])} to {size(selection.addresses[1])}"
        )
    return words


def _name(block: int, shown: AttemptMap | None) -> str:
    """Return the name of the block, its rank if it has no name in this map."""
    names = (
        [] if shown is None else shown.blocks.loc[shown.blocks["block"] == block, "name"].tolist()
    )
    return shorten(str(names[0]), MAX_NAME_CHARACTERS) if names and names[0] else str(block)
