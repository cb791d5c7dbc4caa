"""Describe the pace of a capture in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.aie.pace.candidates import ALL_CORES, ITERATION
from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.tile_times import KERNELS
from schema.decimals import decimals
from schema.plurals import plural

MIN_INTERVAL = 0.015
"""Rates that differ by this share or more are written as an interval."""


def pace_sentence(
    limiters: Sequence[Limiter],
    elapsed: float,
    usual_kernels: float,
    gmacs: float | None,
    cores: int,
) -> str:
    """Describe the first limiter, or the first two that go together, and the gain of its removal.

    `elapsed` and `usual_kernels` (the time of the usual core in kernels) are cycles per iteration,
    `gmacs` is GMAC/s. `cores` is the number of timed cores, which follows a sentence about all
    cores: a capture may time only a part of the array.
    """
    sentence = _describe_limiters(limiters, elapsed, usual_kernels, gmacs)
    return f"{sentence} ({plural(cores, 'core')} timed)" if ALL_CORES in sentence else sentence


def _describe_limiters(
    limiters: Sequence[Limiter], elapsed: float, usual_kernels: float, gmacs: float | None
) -> str:
    if not limiters:
        rate = "" if gmacs is None else f" of {_write_rate(gmacs)} GMAC/s"
        return f"nothing limits the rate{rate}: no part of a core and no iteration takes 1 % of the time more than usual"
    sizes = [_describe_size(limiter, elapsed, usual_kernels) for limiter in limiters[:3]]
    count = 1 + len(limiters[0].together)
    if count > 1:
        sentence = _describe_pair(limiters, sizes, gmacs)
    else:
        sentence = _describe_first(limiters[0], sizes[0])
        sentence += "" if gmacs is None else _describe_gain(gmacs, limiters[0])
    if len(limiters) <= count:
        return sentence
    following = limiters[count]
    sentence += f"; next {_place(following)} ({sizes[count].removesuffix(' of the time')})"
    if following.cumulative_gmacs is None:
        return sentence
    return f"{sentence}: {'both' if count == 1 else 'all three'} {_write_rate(following.cumulative_gmacs)}"


def is_interval(limiter: Limiter) -> bool:
    """Whether the rate without a limiter is only known as an interval: its lower end is at least
    MIN_INTERVAL (1.5 %) below the rate. False if either rate is unknown.
    """
    high = limiter.gmacs_if_fixed
    low = limiter.gmacs_if_fixed_low
    return high is not None and low is not None and high - low >= MIN_INTERVAL * high


def _describe_first(limiter: Limiter, size: str) -> str:
    if limiter.is_late_data and limiter.where == ALL_CORES:
        return f"data movement sets the pace: all cores ({size})"
    if limiter.is_late_data:
        share = f"{100 * limiter.share:.1f} % of the time"
        return f"{limiter.where} sets the pace: its data are late, {share}"
    verb = "set" if limiter.where == ALL_CORES else "sets"
    return f"{limiter.where} {verb} the pace: {size}"


def _describe_gain(gmacs: float, limiter: Limiter) -> str:
    if limiter.gmacs_if_fixed is None:
        return ""
    rate = _write_rate(limiter.gmacs_if_fixed)
    if limiter.gmacs_if_fixed_low is not None and is_interval(limiter):
        rate = f"{_write_rate(limiter.gmacs_if_fixed_low)} to {rate}"
    return f"; if fixed {_write_rate(gmacs)} -> {rate} GMAC/s"


def _describe_pair(limiters: Sequence[Limiter], sizes: Sequence[str], gmacs: float | None) -> str:
    places = [
        f"{limiter.where} ({size})" for limiter, size in zip(limiters[:2], sizes, strict=False)
    ]
    sentence = f"{places[0]} and {places[1]} set the pace together"
    both = limiters[1].cumulative_gmacs
    if gmacs is None or both is None:
        return sentence
    return f"{sentence}: both fixed {_write_rate(gmacs)} -> {_write_rate(both)} GMAC/s, fixing only one has no effect"


def _place(limiter: Limiter) -> str:
    is_movement = limiter.is_late_data and limiter.where == ALL_CORES
    return "data movement of all cores" if is_movement else limiter.where


def _describe_size(limiter: Limiter, elapsed: float, usual_kernels: float) -> str:
    """Describe the size of a limiter in words: for kernels the excess over `usual_kernels` in per
    cent (`kernels +3.1 %`), else its share of the elapsed time (`lock stall, 4.2 % of the time`).
    """
    if limiter.what == KERNELS and usual_kernels > 0:
        return f"kernels +{100 * limiter.cycles / usual_kernels:.1f} %"
    share = f"{100 * limiter.cycles / elapsed:.1f} % of the time"
    return share if limiter.what == ITERATION else f"{limiter.what.replace('_', ' ')}, {share}"


def _write_rate(gmacs: float) -> str:
    """Format a rate (GMAC/s) without its unit, such as `9.53` or `1204`: three significant digits,
    or from 99.95 on all digits before the point.
    """
    # From 99.95 on the format would print `100.` or an exponent.
    return decimals(gmacs, 0) if gmacs >= 99.95 else f"{gmacs:#.3g}"
