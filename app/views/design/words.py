"""Sentences about the stalls of a capture that its design explains, with links to tiles."""

from __future__ import annotations

from analysis.aie.design.lock_waits import STALL as LOCK_STALL
from analysis.aie.design.memory_pairs import STALL as MEMORY_STALL
from app.views.design.place import tile_of_unit, worst_core
from app.views.state import RunState
from components.caption import Caption, Jump, joined_captions
from components.numbers import grouped_digits
from services.run.design_results import DesignResults


def stalls_caption(design: DesignResults, state: RunState) -> str:
    """Return what the design explains of the stalls: of the selected core, else of the core with
    most cycles of each stall.

    They are the sentences of command `design`. A stall that no core has is left out; "" without a
    traced core.
    """
    track = state.selection.track
    chosen = None if track is None else tile_of_unit(track)
    if chosen in design.cores:
        return joined_captions(memory_caption(design, chosen), lock_caption(design, chosen))
    memory_core = worst_core(design, MEMORY_STALL)
    lock_core = worst_core(design, LOCK_STALL)
    captions = []
    # Zero cycles are a fact without consequence; a stall that was not traced is unknown.
    if memory_core is not None and design.stall_cycles(memory_core, MEMORY_STALL) != 0:
        captions.append(memory_caption(design, memory_core))
    if lock_core is not None and design.stall_cycles(lock_core, LOCK_STALL) != 0:
        captions.append(lock_caption(design, lock_core))
    return joined_captions(*captions)


def memory_caption(design: DesignResults, core: str) -> Caption:
    """Return the sentence about the memory stalls of a traced core, with a link to it."""
    try:
        joined = design.memory(core)
    except ValueError as error:
        # A memory with too many buffers is not compared in pairs; the page shows the reason.
        return Caption(f"{core}: {error}.", Jump(core, "track", core))
    sentence = "" if design.join is None else design.join.memory_sentence(joined)
    return Caption(grouped_digits(sentence), Jump(core, "track", core))


def lock_caption(design: DesignResults, core: str) -> Caption:
    """Return the sentence about the lock stalls of a traced core, with links to it and to the
    traced tile that is late.
    """
    joined = design.locks(core)
    jumps = [Jump(core, "track", core)]
    culprit = joined.blame.culprit
    if culprit is not None and culprit.tile in design.cores:
        jumps.append(Jump(culprit.tile, "track", culprit.tile))
    sentence = "" if design.join is None else design.join.lock_sentence(joined)
    return Caption(grouped_digits(sentence), *jumps)
