"""The step of the cursor of a memory map."""

from __future__ import annotations

from analysis.memory.alive import peak_within
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import peak_in_use
from analysis.memory.selection import MemorySelection


def cursor(
    shown: AttemptMap, selection: MemorySelection, window: tuple[int, int] | None = None
) -> int:
    """Return the step (of a profile: the time in ns) of the cursor: the selected step if it exists,
    else the peak of the attempt within the window, else of the whole attempt.

    `window`, [start, end), defaults to that of the selection, and without any to all steps. 0 if no
    peak is known.
    """
    step = selection.step
    window = window or selection.span
    if step is not None and step < shown.length:
        return step
    peak = peak_in_use(shown)[1] or 0
    if window is None or window[0] <= peak < window[1]:
        return peak
    within = peak_within(shown, window)
    return peak if within is None else within
