"""What is selected in the memory views, in words."""

from __future__ import annotations

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.numbers import address, integer, shorten


def memory_words(selection: MemorySelection, shown: AttemptMap | None) -> dict[str, str]:
    """Return the words by field of the selection, without the attempt; `shown` is the map that it is about."""
    words = {}
    if selection.block is not None:
        words["block"] = f"block {_name(selection.block, shown)}"
    if selection.bank is not None:
        words["bank"] = f"bank {selection.bank}"
    if selection.step is not None:
        words["step"] = f"step {integer(selection.step)}"
    if selection.span is not None:
        words["span"] = f"steps {integer(selection.span[0])} – {integer(selection.span[1] - 1)}"
    if selection.addresses is not None:
        words["addresses"] = f"{address(selection.addresses[0])} – {address(selection.addresses[1])}"
    if selection.against is not None:
        words["against"] = f"compared with attempt {selection.against}"
    return words


def _name(block: int, shown: AttemptMap | None) -> str:
    """Return the block's name, its number where it has none here."""
    names = [] if shown is None else shown.blocks.loc[shown.blocks["block"] == block, "name"].tolist()
    return shorten(str(names[0]), 30) if names and names[0] else str(block)
