"""Caption and texts of a sweep of a GEMM over M, K or N."""

from __future__ import annotations

from analysis.aie.efficiency import SizeSweep, SweptSize
from components.numbers import DASH, count_text, gmacs, integer, percent
from schema.peak_rates import exceeds_peak

HEADS = ("", "kernel efficiency", "system efficiency", "by wall clock", "run")


def sweep_caption(sweep: SizeSweep) -> str:
    """Describe the sweep: what is constant, and the size with the best system efficiency."""
    others = " and ".join(f"{name} = {integer(size)}" for name, size in sweep.constant.items())
    counted = f"{count_text(len(sweep.sizes), 'size')} of {sweep.dimension} with {others}"
    if len(sweep.sizes) == 1:
        return f"{counted}: no other run differs in {sweep.dimension} alone."
    known = [
        (swept.efficiency.system, swept)
        for swept in sweep.sizes
        if swept.efficiency.system is not None
    ]
    rated = [(share, swept) for share, swept in known if not exceeds_peak(share)]
    peak = f"Peak: {gmacs(sweep.peak_gmacs)} GMAC/s."
    above = len(known) - len(rated)
    impossible = f"; {integer(above)} impossible, above the peak" if above else ""
    if not rated:
        return f"{counted}{impossible}; the system efficiency of none is known. {peak}"
    share, best = max(rated, key=lambda pair: pair[0])
    lead = f"{sweep.dimension} = {integer(best.size)} has the highest system efficiency: {percent(share)}"
    missing = len(sweep.sizes) - len(known)
    unknown = f"; {integer(missing)} unknown" if missing else ""
    if len(rated) == 1:
        lead = f"Only {sweep.dimension} = {integer(best.size)} has a known system efficiency: {percent(share)}"
    return f"{lead} ({counted}{unknown}{impossible}). {peak}"


def sweep_cells(sweep: SizeSweep) -> list[list[str]]:
    """Format a row per size: size, three efficiencies and the id of the run."""
    return [
        [f"{sweep.dimension} = {integer(swept.size)}", *_shares(swept), swept.run_id]
        for swept in sweep.sizes
    ]


def size_text(sweep: SizeSweep, swept: SweptSize) -> str:
    """Format the hover text of a size: the size, a note if it is the run's own, and its kernel,
    system and wall-clock efficiency.

    An unknown efficiency is a dash; the wall-clock efficiency is left out instead.
    """
    kernel, system, wall_clock = _shares(swept)
    own = ", this run" if swept.size == sweep.own else ""
    called = "" if wall_clock == DASH else f"\nby wall clock {wall_clock}"
    return (
        f"{sweep.dimension} = {integer(swept.size)}{own}\nkernel {kernel}, system {system}{called}"
    )


def _shares(swept: SweptSize) -> tuple[str, str, str]:
    own = swept.efficiency
    return percent(own.kernel), percent(own.system), percent(own.wall_clock)
