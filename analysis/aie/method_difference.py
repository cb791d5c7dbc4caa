"""Report the differences between the two methods on a run, with their causes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from analysis.aie.headline import mean_rate
from analysis.aie.iterations import measured_iterations, system_mask
from analysis.aie.kernel_kinds import MAIN
from analysis.aie.kernels import CoreKernels
from analysis.aie.reference import ReferenceCore
from schema.array_types import Floats
from schema.decimals import decimals
from schema.diagnostics import Diagnostic
from schema.plurals import plural, plural_form

_AVERAGE = "it uses the mean of the iterations' rates instead of their work over their time"
_NOTABLE = 0.005
"""Relative difference of mean rates that is reported.

Smaller differences come from the timers of tiles, which differ by a few cycles.
"""

_Pair = tuple[CoreKernels, ReferenceCore | None]


def method_difference(
    robust: Sequence[CoreKernels],
    robust_iterations: pd.DataFrame,
    reference: Sequence[ReferenceCore],
    reference_iterations: pd.DataFrame,
) -> list[Diagnostic]:
    """Compare kernels, iterations and mean GMAC/s of the two methods in a list of one finding; []
    if they are equal, rates within 0.5 %.
    """
    ours = _numbers_of_method(robust_iterations, mean_rate)
    theirs = _numbers_of_method(reference_iterations, _mean_rate)
    parts = []
    if ours["kernels"] != theirs["kernels"]:
        parts.append(_count_words("kernel", theirs, ours))
    if ours["iterations"] != theirs["iterations"]:
        parts.append(_count_words("iteration", theirs, ours))
    if _differ(ours["rate"], theirs["rate"]):
        parts.append(_rate_words(theirs["rate"], ours["rate"]))
    if not parts:
        return []
    reasons = _reasons(robust, reference, robust_iterations) or [_AVERAGE]
    text = f"method reference gives {', '.join(parts)} of method robust: {'; '.join(reasons)}"
    return [Diagnostic("info", "methods_differ", text, "", len(parts))]


def _count_words(noun: str, theirs: dict[str, float | None], ours: dict[str, float | None]) -> str:
    name = plural_form(noun)
    return f"{plural(int(theirs[name] or 0), noun)} instead of {int(ours[name] or 0)}"


def _numbers_of_method(
    iterations: pd.DataFrame, mean: Callable[[Floats, Floats], float | None]
) -> dict[str, float | None]:
    own = ~system_mask(iterations)
    rows = measured_iterations(iterations)
    counts = np.bincount(iterations["track"].array.codes[own], minlength=1)
    return {
        "kernels": float(iterations["measured"].to_numpy()[own].sum()),
        "iterations": float(counts.max()),
        "rate": mean(*(iterations[name].to_numpy()[rows] for name in ("work_macs", "gmacs_per_s"))),
    }


def _mean_rate(_work: Floats, rate: Floats) -> float | None:
    rates = rate[~np.isnan(rate)]
    return float(rates.mean()) if len(rates) else None


def _differ(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is not theirs
    return abs(ours - theirs) > _NOTABLE * max(abs(ours), abs(theirs))


def _rate_words(theirs: float | None, ours: float | None) -> str:
    """Describe the mean rates (GMAC/s) of the reference method and of ours, which differ: `a mean
    of 812 GMAC/s instead of 845 GMAC/s`. None for a rate means that the method has no complete perf
    iteration.
    """
    if theirs is None:
        return f"no mean GMAC/s, as it finds no complete perf iteration, instead of {_rate(ours)}"
    if ours is None:
        return f"a mean of {_rate(theirs)} instead of none"
    return f"a mean of {_rate(theirs)} instead of {_rate(ours)}"


def _rate(value: float | None) -> str:
    return (
        "none"
        if value is None
        else f"{decimals(value, 0)} GMAC/s"
        if value >= 99.95
        else f"{value:#.3g} GMAC/s"
    )


def _reasons(
    robust: Sequence[CoreKernels], reference: Sequence[ReferenceCore], iterations: pd.DataFrame
) -> list[str]:
    by_track = {core.core.track: core for core in reference}
    pairs = [(core, by_track.get(core.core.track)) for core in robust]
    system = system_mask(iterations)
    elapsed, span, cores = (
        iterations[name].to_numpy(np.int64)[system] for name in ("elapsed", "span", "cores")
    )
    seen = {str(reason) for core in robust for reason in pd.unique(core.kernels.reason)}
    checks = (
        (
            _any(
                pairs, lambda ours, theirs: len(ours.work.start) > 0 and theirs.pairs.median is None
            ),
            "it only knows the current event names",
        ),
        (any("lost" in reason for reason in seen), "lost markers shift its pairing"),
        (
            any("duplicate" in reason for reason in seen),
            "it merges repeated markers only by distance",
        ),
        (
            _any(pairs, lambda ours, theirs: (ours.kernels.name != MAIN).any()),
            "it does not separate kinds of kernels",
        ),
        (
            _any(pairs, lambda ours, theirs: theirs.iteration[:1].sum() > 0),
            "it counts the opening stall as an iteration",
        ),
        (
            _any(pairs, _has_adjacent_kernels),
            "it skips kernels that start at the tick at which another kernel ends",
        ),
        (
            _any(pairs, lambda ours, theirs: ours.split.by != "both"),
            "it splits iterations at long stalls only",
        ),
        (
            _any(pairs, lambda ours, theirs: not ours.split.complete[-1:].all()),
            "it credits a truncated iteration with the whole GEMM",
        ),
        (
            any(not len(core.work.start) for core in robust),
            "its aggregate is empty because one core has no kernels",
        ),
        ((elapsed > span).any(), "it uses the longest span of a core as the system's time"),
        ((cores < len(robust)).any(), "it drops iterations missing on a core"),
    )
    return [text for holds, text in checks if holds]


def _any(pairs: Sequence[_Pair], holds: Callable[[CoreKernels, ReferenceCore], object]) -> bool:
    return any(theirs is not None and bool(holds(ours, theirs)) for ours, theirs in pairs)


def _has_adjacent_kernels(ours: CoreKernels, theirs: ReferenceCore) -> bool:
    return bool((ours.work.start[1:] == ours.work.end[:-1]).any())
