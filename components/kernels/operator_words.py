"""Sentence about the operators of an ONNX Runtime profile."""

from __future__ import annotations

import pandas as pd

from components.kernels.step_words import time_text
from components.numbers import count_text, shorten

_MAX_LISTED = 3
"""Operators that the sentence names."""
_MIN_SHARE = 0.01
"""Operators below this share are left out of the sentence, unless it is the first."""


def operators_sentence(
    operators: pd.DataFrame,
    runs: int | None,
    unattributed: tuple[int, int] = (0, 0),
    outside_ns: int = 0,
) -> str:
    """Describe which operators take the time: on devices if any was profiled, else on the host.

    `operators` is frame `operators`, `runs` the number of runs of the model (None: not in the
    file), `unattributed` number and time (ns) of executions without an operator, `outside_ns` the
    time of nodes outside of all runs.

    `Conv 63 % of 19.0 ms in 3 runs, Loop 24 %: time of nodes on the host, without the nodes
    inside.` "" if no operator took time.
    """
    on_device = bool(operators["device_spans"].sum())
    column = "self_device" if on_device else "self_cpu"
    times = operators.sort_values(column, ascending=False, kind="stable").head(_MAX_LISTED)
    total = int(operators[column].sum())
    if not total:
        return ""
    parts = [
        (shorten(str(name), 40), time / total)
        for name, time in zip(times["name"].tolist(), times[column].tolist(), strict=True)
    ]
    (first, share), *others = parts
    text = f"{first} {100 * share:.0f} % of {time_text(total)}{_runs_words(runs, outside_ns)}"
    text += "".join(f", {name} {100 * part:.0f} %" for name, part in others if part >= _MIN_SHARE)
    base = "kernels on devices" if on_device else "nodes on the host, without the nodes inside"
    return f"{text}: time of {base}.{_unattributed_words(unattributed)}"


def _runs_words(runs: int | None, outside_ns: int) -> str:
    if runs is None:
        return ""
    counted = count_text(runs, "run")
    return f" ({time_text(outside_ns)} outside of {counted})" if outside_ns else f" in {counted}"


def _unattributed_words(unattributed: tuple[int, int]) -> str:
    spans, time = unattributed
    if not spans:
        return ""
    verb = "has" if spans == 1 else "have"
    return f" {count_text(spans, 'kernel')} of {time_text(time)} {verb} no operator in the file."
