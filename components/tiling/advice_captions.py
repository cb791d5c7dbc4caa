"""Caption of the advice about the tile size of a GEMM, from measured sizes and a model fitted to
them.
"""

from __future__ import annotations

from analysis.tiling.advice import Advice, MeasuredSize, Size
from analysis.tiling.kernel_period import MIN_SIZES
from components.numbers import count_text, gmacs, integer, percent, relative_text

NOTHING_MEASURED = "No run of this GEMM has a GMAC/s, so no tile size can be advised."


def size_text(size: Size) -> str:
    """Format a tile size as `m × k × n`, such as `32 × 64 × 32`."""
    return " × ".join(map(integer, size))


def advice_caption(advice: Advice, own: Size | None = None) -> str:
    """Return the caption: the recommended tile size with its measured or predicted rate, the rate
    of the run's `own` size, and the basis of predictions.

    Without a measured size it is NOTHING_MEASURED.
    """
    best = advice.best
    if best is None:
        return NOTHING_MEASURED
    first = advice.measured[0]
    lead = _measured_words(advice) if best.measured else _predicted_words(advice, first)
    return f"{lead}{_own_words(advice, own)}. {_basis(advice)}".strip()


def _own_words(advice: Advice, own: Size | None) -> str:
    """Write how the run's size `own` compares with the best, in words that continue a sentence.

    Returns "" if it is the best or was not measured.
    """
    ours = next((measured for measured in advice.measured if measured.size == own), None)
    if ours is None or advice.best is None or ours.size == advice.best.size:
        return ""
    share = percent(ours.gmacs / advice.best.gmacs)
    return f"; this run's {size_text(ours.size)} has {gmacs(ours.gmacs)} GMAC/s, {share} of that"


def _measured_words(advice: Advice) -> str:
    first = advice.measured[0]
    several = len(advice.measured) > 1
    which = (
        f"the best of {count_text(len(advice.measured), 'measured tile size')}"
        if several
        else "the only measured tile size"
    )
    return f"{size_text(first.size)} is {which}: {_rate(first)}"


def _rate(measured: MeasuredSize) -> str:
    return f"{gmacs(measured.gmacs)} GMAC/s" + (
        f", median of {count_text(measured.runs, 'run')}" if measured.runs > 1 else ""
    )


def _predicted_words(advice: Advice, first: MeasuredSize) -> str:
    guess = next(size for size in advice.predicted if advice.best and size.size == advice.best.size)
    interval = (
        f"{gmacs(guess.gmacs)} GMAC/s ({gmacs(guess.low)} to {gmacs(guess.high)}, not measured)"
    )
    best = f"above the best measured size, {size_text(first.size)} with {gmacs(first.gmacs)}"
    return f"{size_text(guess.size)} is predicted to reach {interval}, {best}"


def _basis(advice: Advice) -> str:
    """Write how many sizes were predicted and how far their 95 % intervals reach, or how many
    measured sizes predictions need, as a sentence.

    Returns "" if there is no model for another reason.
    """
    if advice.model is None:
        return (
            f"Predictions need {MIN_SIZES} measured sizes."
            if len(advice.measured) < MIN_SIZES
            else ""
        )
    if not advice.predicted:
        return "No other size is within the measured range, so none is predicted."
    guess = advice.predicted[0]
    # All intervals have the same relative ends, which are not symmetrical.
    reach = (relative_text(end / guess.gmacs - 1) for end in (guess.low, guess.high))
    count = count_text(len(advice.predicted), "other size")
    return (
        f"{count} predicted, with 95 % intervals from {' to '.join(reach)} of the predicted rate."
    )
