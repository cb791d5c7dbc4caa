"""The selection of a comparison in words, for its page and its snapshot."""

from __future__ import annotations

from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from components.numbers import integer, shorten
from services.comparison.data import CompareData
from services.run.capabilities import Capability


def selection_words(data: CompareData, state: CompareState) -> dict[str, str]:
    """Map each selected part to its text, such as `track` to `tile 2_3`; parts that are not
    selected are left out.
    """
    chosen = state.selection
    words = {
        "track": f"tile {shorten(chosen.track, 30)}" if chosen.track else "",
        "iteration": _part(data, chosen.iteration),
        "kernel": f"kernel {shorten(chosen.kernel, 40)}" if chosen.kernel else "",
        "attempt": f"attempt or level {shorten(chosen.attempt, 30)}" if chosen.attempt else "",
        "block": _block(data, chosen.block),
        "window": f"{integer(chosen.window[0])} – {integer(chosen.window[1])}"
        if chosen.window
        else "",
    }
    return {part: text for part, text in words.items() if text} | COMPARE.selection_words(
        data, state
    )


def _part(data: CompareData, number: int | None) -> str:
    """Return `iteration N` for captures, `marker N` for profiles; "" if `number` is None."""
    return (
        ""
        if number is None
        else f"{'iteration' if data.can(Capability.ITERATIONS) else 'marker'} {number}"
    )


def _block(data: CompareData, row: int | None) -> str:
    if row is None or not data.can(Capability.ADDRESSES) or row >= len(data.blocks):
        return ""
    named = data.blocks.iloc[row]
    return f"block {shorten(str(named['name_new'] or named['name_base']), 40)}"
