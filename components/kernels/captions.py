"""Captions of the views of a profile."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.kernels.distribution import summary
from components.caption import Caption, Jump
from components.counts import part_text
from components.kernels.counters_grid import counter_names
from components.kernels.roofline import MAX_POINTS, Peaks
from components.kernels.words import why_missing
from components.numbers import (
    count_text,
    duration_text,
    grouped_digits,
    integer,
    missing,
    percent,
    rate_text,
    shorten,
)
from schema.peak_rates import exceeds_peak

_MAX_NAME_CHARACTERS = 36
_MAX_NAMED = 3
"""Kernels that the caption of the kernel table names at most."""
_HALF = 0.5


def kernels_caption(table: pd.DataFrame) -> str:
    """Return the caption of a kernel table: the at most three kernels that take half of the time,
    the time of copies, and how many kernels have no FLOP/s.

    When there are no rows, it states that no kernel is in the selection.
    """
    kernels = table[~table["copy"]]
    copies = table[table["copy"]]
    parts = [_heaviest(kernels, float(copies["total"].sum()))] if len(kernels) else []
    if len(copies):
        runs = count_text(int(copies["count"].sum()), "copy")
        parts.append(
            f"{runs} take{'s' if copies['count'].sum() == 1 else ''} {duration_text(copies['total'].sum())}"
        )
    return (
        f"{'; '.join(parts)}. {_without_rates(kernels)}".strip()
        if parts
        else "No kernel in the selection."
    )


def _heaviest(kernels: pd.DataFrame, copied: float) -> str:
    """Format `3 kernels of 56 take 61 % of 12 ms: ...` for the kernels that take half of the time,
    at most three.

    Shares are of the time of kernels and copies, as in the table; `copied` is the time of copies in
    ns. For a single kernel, or if no time was taken, it is only the number of kernels and runs and
    their time.
    """
    total = float(kernels["total"].sum()) + copied
    if total <= 0 or len(kernels) == 1:
        runs = count_text(int(kernels["count"].sum()), "run")
        return (
            f"{count_text(len(kernels), 'kernel')}, {runs}, {duration_text(total - copied)} in all"
        )
    shares = (
        kernels["total"].to_numpy(np.float64)[np.argsort(-kernels["total"].to_numpy(np.int64))]
        / total
    )
    # If copies take most of the time, all kernels together may take less than half.
    few = min(int(np.searchsorted(np.cumsum(shares), _HALF)) + 1, _MAX_NAMED, len(kernels))
    names = (
        kernels.sort_values("total", ascending=False, kind="stable")["name"].astype("str").head(few)
    )
    lead = f"{few} kernel{'s' if few > 1 else ''} of {integer(len(kernels))} take{'' if few > 1 else 's'}"
    share = percent(float(shares[:few].sum()))
    scope = "of kernels and copies" if copied else "kernel time"
    listed = ", ".join(shorten(name, _MAX_NAME_CHARACTERS) or "without a name" for name in names)
    return f"{lead} {share} of {duration_text(total)} {scope}: {listed}"


def _without_rates(kernels: pd.DataFrame) -> str:
    """Write the number of kernels without FLOP/s and the most frequent reason, as a sentence.

    Returns "" if all kernels have them, or if no reason is recorded.
    """
    without = kernels[kernels["flops"].isna() & (kernels["missing"] != "")]
    if not len(without):
        return ""
    why = why_missing(str(without["missing"].value_counts().index[0]), copy=False)
    return f"{part_text(len(without), len(kernels), 'kernel')} without FLOP/s: {why}."


def durations_caption(kernels: pd.DataFrame) -> str:
    """Return the caption of durations: median and p95 (ns) of rows of a frame `kernels`, and a link
    to the longest run.

    The index of `kernels` is the position in the frame, which the link selects. When there is no
    duration, it states that no kernel is in the selection.
    """
    numbers = summary(kernels["duration"])
    if numbers.median is None:
        return "No kernel in the selection."
    worst = kernels.iloc[int(kernels["duration"].to_numpy(np.float64, na_value=-1.0).argmax())]
    spread = f"{count_text(numbers.n, 'run')}: median {duration_text(numbers.median)}, p95 {duration_text(numbers.p95)}"
    name = shorten(str(worst["name"]), _MAX_NAME_CHARACTERS) or "a kernel without a name"
    longest = f"run {integer(worst['run'])} of {name}"
    jump = Jump(longest, "kernel", int(str(worst.name)))
    if numbers.n == 1:
        return Caption(f"1 run, {duration_text(numbers.median)}: {longest}.", jump)
    return Caption(
        f"{spread}; the longest, {duration_text(worst['duration'])}, is {longest}.", jump
    )


def first_runs_caption(rows: pd.DataFrame) -> str:
    """Return the caption of first runs from rows of `analysis.kernels.first_runs.first_runs`: how
    many kernels took more than twice as long, how much time they lost, and the kernel that lost
    most.

    When there are no rows, it states that no kernel ran twice.
    """
    if not len(rows):
        return "No kernel ran twice on a device here."
    slower = rows[rows["first"] > 2 * rows["steady"]]
    lost = float((rows["first"] - rows["steady"]).clip(lower=0).sum())
    worst = rows.iloc[0]
    sentence = f"{part_text(len(slower), len(rows), 'kernel')} took more than twice as long on the first run"
    if lost <= 0:
        return f"{sentence}."
    by = duration_text(worst["first"] - worst["steady"])
    name = shorten(str(worst["name"]), _MAX_NAME_CHARACTERS)
    return f"{sentence}, {duration_text(lost)} in all; {name} lost most, {by}."


def _reached_words(reached: float) -> str:
    if missing(reached):
        return ""
    share = f", {percent(reached)} of what is attainable"
    if not exceeds_peak(reached):
        return share
    # Caches serve bytes that memory does not, and files count bytes per access.
    return (
        f"{share}: a peak in Settings is too low, or its operations or bytes are counted too high"
    )


def roofline_caption(rows: pd.DataFrame, peaks: Peaks) -> str:
    """Return the caption of the roofline: the kernel with the highest FLOP/s and, with both peaks,
    the share of the kernels' time limited by memory.

    `rows` are one or more rows of `analysis.kernels.roofline.roofline_rows`. If a peak is unknown,
    the caption names the setting that is missing.
    """
    best = rows.loc[rows["flops"].idxmax()]
    fast = f"{shorten(str(best['name']), _MAX_NAME_CHARACTERS)} computes fastest: {rate_text(best['flops'], 'FLOP/s')}"
    share = _reached_words(best["reached"])
    more = (
        f"; the {integer(MAX_POINTS)} with the most time are drawn"
        if len(rows) > MAX_POINTS
        else ""
    )
    if not all(peaks):
        unset = " and ".join(
            word for word, peak in zip(("FLOP/s", "bytes/s"), peaks, strict=True) if not peak
        )
        return f"{fast}{share}{more}. Set the peak {unset} in Settings to see what is attainable."
    time = rows["total"].to_numpy(np.float64)
    # At least 1 ns, so that kernels without a duration do not cause a division by zero.
    memory = float(time[(rows["bound"] == "memory").to_numpy(bool)].sum() / max(time.sum(), 1.0))
    return f"{fast}{share}; memory limits {percent(memory)} of the kernels' time{more}."


def peaks_note(run: pd.DataFrame) -> str:
    """Return the sentence "Peaks: ORIGIN." with the origin of the peak rates in a frame `run`, ""
    if it is not recorded.
    """
    origin = run["peak_from"].iloc[0]
    return "" if pd.isna(origin) or not origin else f"Peaks: {origin}."


def counters_caption(rows: pd.DataFrame) -> str:
    """Write the numbers of counters, executions and kernels in a table of
    `analysis.kernels.counters.counter_table` as a sentence; without rows, that no execution was
    counted.
    """
    if not len(rows):
        return "No execution was counted."
    counters = count_text(len(counter_names(rows)), "counter")
    kernels = count_text(rows["name"].nunique(), "kernel")
    return f"{counters} of {count_text(len(rows), 'execution')} of {kernels}."


def instances_caption(values: pd.Series, counter: str, kernel: str) -> str:
    """Return the caption of a counter's hardware instances: sum, number of instances at 0, and the
    largest value with its instance.

    `values` has the number of the instance as its index; if it is empty, the caption states that.
    """
    if not len(values):
        return f"The capture has no instances of {shorten(counter, _MAX_NAME_CHARACTERS)}."
    total = float(values.sum())
    most = float(values.max())
    lead = f"{shorten(counter, _MAX_NAME_CHARACTERS)} of {shorten(kernel, _MAX_NAME_CHARACTERS)}"
    lead = f"{lead}: {integer(total)} over {count_text(len(values), 'instance')}"
    if total <= 0:
        return f"{lead}."
    idle = int((values == 0).sum())
    idle_words = f", {integer(idle)} of them at 0" if idle else ""
    return f"{lead}{idle_words}; the most is {integer(most)} on {integer(int(values.idxmax()))}."


def thread_traces_note(diagnostics: pd.DataFrame) -> str:
    """Return the message of the first finding `thread_traces` as a sentence, "" if there is no such
    finding, as the capture has no thread traces.
    """
    messages = (
        diagnostics.loc[diagnostics["code"].astype("str") == "thread_traces", "message"]
        .astype("str")
        .tolist()
    )
    sentence = grouped_digits(messages[0]) if messages else ""
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""
