"""What a number over time says in words: names of series, sizes of changes, the answer, what is not drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import urlencode

from analysis.comparison.series import Band, Change, Series, SeriesKey
from components.numbers import DASH, counted, in_unit, integer, percent, shorten, signed
from schema.metrics import Metric


def size_text(key: SeriesKey) -> str:
    """Return the size of the GEMM, empty where there is none."""
    sizes = [size for size in (key.M, key.K, key.N) if size is not None]
    return "×".join(map(integer, sizes)) if len(sizes) == 3 else ""


def panel_name(key: SeriesKey) -> str:
    """Return hwid and size, of a run without them its source."""
    return " · ".join(filter(None, (shorten(key.hwid, 24), size_text(key)))) or key.source


def heading_name(keys: Sequence[SeriesKey]) -> str:
    """Return the name of a plot of series of one hwid and size; without these, that of their source if it is one."""
    names = {panel_name(key) for key in keys}
    return names.pop() if len(names) == 1 else "no hwid"


def own_names(keys: Sequence[SeriesKey]) -> list[str]:
    """Return what tells series of one hwid and size apart: source, cores or tags, where they differ in these."""
    facts = [
        (
            key.source,
            f"{key.rows}×{key.cols} cores" if key.rows and key.cols else "",
            shorten(key.tags, 24) or "no tags",
        )
        for key in keys
    ]
    differing = [part for part in range(3) if len({each[part] for each in facts}) > 1]
    return [", ".join(filter(None, (each[part] for part in differing))) for each in facts]


def series_names(series: Sequence[Series]) -> list[str]:
    """Return a name of each series, no longer than it takes to tell it from the others."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(series):
        groups[panel_name(one.key)].append(at)
    names = [""] * len(series)
    for name, members in groups.items():
        for at, own in zip(members, own_names([series[at].key for at in members]), strict=True):
            names[at] = f"{name} ({own})" if own else name
    return names


def date_text(date: str) -> str:
    """Return a date of ISO 8601 to the minute."""
    return date[:16].replace("T", " ")


def value_text(value: float, metric: Metric) -> str:
    """Return a number with its unit."""
    shown = in_unit(value, metric.unit)
    return f"{shown} {metric.unit}" if metric.unit in {"GMAC/s", "cycles"} else shown


def relative_text(relative: float) -> str:
    """Return a relative change with its sign."""
    return signed(percent(abs(relative)), relative)


def change_text(change: Change) -> str:
    """Say how large a change is, where, and what that is worth."""
    return f"{relative_text(change.relative)} at run {change.index + 1}, {change.verdict}"


def compare_address(series: Series, rank: int) -> str:
    """Return the address that compares the runs before a change with those after it."""
    base, new = series.sides(rank)
    return "/compare?" + urlencode([*(("base", run) for run in base), *(("new", run) for run in new)])


def answer(series: Sequence[Series], metric: Metric) -> str:
    """Say where the number changed last, and how many other changes there are."""
    names = series_names(series)
    each = zip(series, names, strict=True)
    found = [(one.points[change.index], name, change) for one, name in each for change in one.changes]
    if not found:
        return _steady(series, metric)
    point, name, change = max(found, key=lambda one: one[0].date)
    verb = "fell" if change.relative < 0 else "rose"
    where = f"at run {integer(change.index + 1)} ({shorten(point.name, 50)}, {date_text(point.date)})"
    more = f"; {counted(len(found) - 1, 'more change')} in the table" if len(found) > 1 else ""
    return f"{name}: {metric.label} {verb} {percent(abs(change.relative))} {where}{more}."


def _steady(series: Sequence[Series], metric: Metric) -> str:
    """Say that nothing changed, or that nobody can tell."""
    told = [one for one in series if not one.note]
    if not told:
        among = f", the longest of {integer(len(series))} series" if len(series) > 1 else ""
        return f"{metric.label}{among}: {series[0].note}."
    level = f" at {value_text(told[0].levels()[0].median, metric)}" if len(told) == 1 else ""
    where = f"over {counted(len(told[0].points), 'run')}" if len(told) == 1 else f"in {integer(len(told))} series"
    return f"{metric.label} holds its level{level} {where}."


def band_text(name: str, band: Band, others: Sequence[Band], metric: Metric) -> str:
    """Say what the baseline of a series is: its median and range, and what is missing of it."""
    low, high = (value_text(value, metric) for value in (min(band.values), max(band.values)))
    level = f"median {value_text(band.median, metric)}, {low} to {high}, {counted(len(band.values), 'run')}"
    gone = f", {integer(band.deleted)} deleted" if band.deleted else ""
    gone += f", {integer(band.without)} without this number" if band.without else ""
    more = f"; not drawn: {', '.join(shorten(other.name, 30) for other in others)}" if others else ""
    return f"Baseline {shorten(band.name, 40)} of {name}: {level}{gone}{more}."


def shown_text(series: Sequence[Series], drawn: Sequence[Series], thinned: int) -> str:
    """Say how much is drawn, and what is not."""
    runs = sum(len(one.points) for one in series)
    said = f"{counted(runs, 'run')} in {integer(len(series))} series"
    left = len(series) - len(drawn)
    rest = sum(len(one.points) for one in series) - sum(len(one.points) for one in drawn)
    hidden = f"; the {integer(left)} with fewest runs ({counted(rest, 'run')}) are not drawn: filter to see them"
    thin = f"; {integer(thinned)} points are left out between others" if thinned else ""
    return f"{said}{hidden if left else ''}{thin}."


def summary(drawn: Sequence[Series], metric: Metric, said: str) -> str:
    """Say what the plot shows, for those who do not see it."""
    runs = sum(len(one.points) for one in drawn)
    return f"{metric.label} of {counted(runs, 'run')} over time, {integer(len(drawn))} series. {said}"


def commit_text(commit: str) -> str:
    """Return the beginning of a commit's id, a dash where there is none."""
    return commit[:8] or DASH
