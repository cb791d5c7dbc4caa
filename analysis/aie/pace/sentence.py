"""Describe the pace of a capture in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.aie.pace.limiters import ITERATION, Limiter
from analysis.aie.pace.tile_times import KERNELS
from schema.decimals import decimals


def pace_sentence(
    limiters: Sequence[Limiter], elapsed: float, usual_kernels: float, gmacs: float | None
) -> str:
    """Describe the first limiter and the gain of its removal.

    `elapsed` and `usual_kernels` (the time of the usual core in kernels) are cycles per iteration,
    `gmacs` is GMAC/s.
    """
    if not limiters:
        rate = "" if gmacs is None else f" of {_write_rate(gmacs)} GMAC/s"
        return f"nothing limits the rate{rate}: no part of a core and no iteration takes 1 % of the time more than usual"
    first, *rest = limiters
    sentence = f"{first.where} {_inflect('set', first)} the pace: {_describe_size(first, elapsed, usual_kernels)}"
    second = rest[0] if rest else None
    following = (
        ""
        if second is None
        else f"{second.where} ({_describe_size(second, elapsed, usual_kernels)})"
    )
    if gmacs is None or first.gmacs_if_fixed is None:
        return f"{sentence}; next: {following}" if following else sentence
    sentence += f"; if fixed {_write_rate(gmacs)} -> {_write_rate(first.gmacs_if_fixed)} GMAC/s"
    if second is None:
        return sentence
    sentence += f", because {following} {_inflect('come', second)} next"
    return (
        sentence
        if second.cumulative_gmacs is None
        else f"{sentence}; both: {_write_rate(second.cumulative_gmacs)}"
    )


def _inflect(verb: str, limiter: Limiter) -> str:
    return verb if limiter.where.startswith("all ") else f"{verb}s"


def _describe_size(limiter: Limiter, elapsed: float, usual_kernels: float) -> str:
    """Describe a limiter and its size: the excess for kernels, else its share of the time."""
    if limiter.what == KERNELS and usual_kernels > 0:
        return f"kernels +{100 * limiter.cycles / usual_kernels:.1f} %"
    share = f"{100 * limiter.cycles / elapsed:.1f} % of the time"
    return share if limiter.what == ITERATION else f"{limiter.what.replace('_', ' ')}, {share}"


def _write_rate(gmacs: float) -> str:
    """Format a rate with three significant digits, or all digits before the point."""
    # From 99.95 on the format would print `100.` or an exponent.
    return decimals(gmacs, 0) if gmacs >= 99.95 else f"{gmacs:#.3g}"
