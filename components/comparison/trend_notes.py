"""Notes below the plot of a trend: basis of its sizes, baselines, verdicts, and points that are not
drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analysis.comparison.series import Band, Series
from components.comparison.trend_words import value_text
from components.counts import part_text
from components.numbers import count_text, integer, shorten
from components.verdicts import SIGNS
from schema.impossible import explain_impossible
from schema.metrics import Metric


def basis_text(series: Sequence[Series]) -> str:
    """Write for how many changes the size does not come from a comparison of runs, as a sentence;
    "" if all sizes do.
    """
    changes = [event for curve in series for event in curve.development.changes]
    levels = sum(event.basis == "levels" and event.kind != "drift" for event in changes)
    drifts = sum(event.kind == "drift" for event in changes)
    compared = len(changes) - levels - drifts
    clauses = []
    if levels:
        verb = "is" if levels == 1 else "are"
        clauses.append(
            f"{count_text(levels, 'change')} {verb} sized by the medians of levels, as compare has no number"
        )
    if drifts:
        verb = "is" if drifts == 1 else "are"
        clauses.append(f"{count_text(drifts, 'drift')} {verb} sized by the ends of a fitted line")
    if clauses and compared:
        clauses.append("all other sizes are those of a comparison of the runs")
    return f"{'; '.join(clauses)}." if clauses else ""


def band_text(name: str, band: Band, others: Sequence[Band], metric: Metric) -> str:
    """Describe the baseline of the series `name` in a sentence: median, range, number of runs,
    deleted runs and runs without the number.

    `others` are further baselines, which are not drawn.
    """
    low, high = (value_text(value, metric) for value in (min(band.values), max(band.values)))
    level = f"median {value_text(band.median, metric)}, {low} to {high}, {count_text(len(band.values), 'run')}"
    gone = f", {integer(band.deleted)} deleted" if band.deleted else ""
    gone += f", {integer(band.without)} without this number" if band.without else ""
    more = (
        f"; not drawn: {', '.join(shorten(other.name, 30) for other in others)}" if others else ""
    )
    return f"Baseline {shorten(band.name, 40)} of {name}: {level}{gone}{more}."


def rule_text(rule: str, verdicts: Sequence[str | None], missing: int) -> str:
    """Count the verdicts of a rule on runs by verdict, as two sentences.

    A None in `verdicts` is a run without a verdict; `missing` runs are still to be compared. If
    none are missing, the rule does not cover the runs without a verdict.
    """
    counts = Counter(verdict for verdict in verdicts if verdict)
    verdict_counts = ", ".join(
        f"{integer(counts[verdict])} {verdict}" for verdict in SIGNS if counts[verdict]
    )
    outside = 0 if missing else len(verdicts) - counts.total()
    apart = [f"{integer(outside)} not covered"] if outside else []
    counted = ", ".join(filter(None, [verdict_counts, *apart])) or "no verdict yet"
    lead = f"Rule {shorten(rule, 40)} of {count_text(len(verdicts), 'run')}: {counted}"
    left = f"; {count_text(missing, 'run')} still to be compared" if missing else ""
    return f"{lead}{left}. Its verdicts are about the number that gates, such as GMAC/s."


def shown_text(series: Sequence[Series], drawn: Sequence[Series], thinned: int) -> str:
    """Count the runs and series of `series`, and how many of them are not drawn, as a sentence.

    `thinned` is the number of points that are left out because series are too long.
    """
    runs = sum(curve.runs for curve in series)
    lead = f"{count_text(runs, 'run')} in {integer(len(series))} series"
    left = len(series) - len(drawn)
    rest = runs - sum(curve.runs for curve in drawn)
    are_hidden = (
        "is not drawn: filter to see it" if left == 1 else "are not drawn: filter to see them"
    )
    hidden = f"; {integer(left)} of them ({count_text(rest, 'run')}) {are_hidden}"
    are_left_out = "is" if thinned == 1 else "are"
    thin = (
        f"; {count_text(thinned, 'point')} {are_left_out} left out between others"
        if thinned
        else ""
    )
    return f"{lead}{hidden if left else ''}{thin}."


def left_out_text(left_out: int, metric: Metric, noun: str = "capture") -> str:
    """Write how many captures are left out because their number is impossible; "" if there are
    none.
    """
    if not left_out:
        return ""
    are = "is" if left_out == 1 else "are"
    why = explain_impossible(metric.name)
    return f"{count_text(left_out, noun)} {are} left out, {metric.label} {why}."


def guessed_dates_text(guessed: int, drawn: int) -> str:
    """Write how many of the drawn captures have a guessed date; "" if there are none."""
    if not guessed:
        return ""
    have = "has" if guessed == 1 else "have"
    return (
        f"{part_text(guessed, drawn, 'drawn capture')} {have} no date: the date of the file, "
        "or of the ingest, is used instead."
    )


def summary(drawn: Sequence[Series], metric: Metric, caption: str) -> str:
    """Describe the plot for screen readers: metric, number of runs and series, then `caption`, the
    caption of the view.
    """
    runs = sum(len(curve.points) for curve in drawn)
    return f"{metric.label} of {count_text(runs, 'run')} over time, {integer(len(drawn))} series. {caption}"
