"""Addresses of the pages of bisections."""

from __future__ import annotations

from urllib.parse import urlencode

from analysis.comparison.status_row import StatusRow
from schema.result_metrics import find_metric

LIST_PATH = "/bisect"


def bisection_path(bisection_id: str) -> str:
    """Return the address of the page of a bisection."""
    return f"{LIST_PATH}/{bisection_id}"


def bisected_metric(row: StatusRow) -> str:
    """Return the metric that a bisection of a regression is about: that of the row, or "" for the
    metric that decides verdicts if the row's metric has no series of its own, such as the time of a
    single tile or kernel.
    """
    metric = find_metric(str(row.metric or ""))
    return metric.name if metric is not None and metric.polarity else ""


def start_address(row: StatusRow) -> str:
    """Return the address of the form for a bisection of a regression of the status, with its
    fields filled in; "" if the row has no good and bad commit that differ.

    If there is such a bisection already, the page links to it.
    """
    since = row.since
    if since is None or since.last_good is None:
        return ""
    good, bad = since.last_good.commit, since.first_bad.commit
    if not good or not bad or good == bad:
        return ""
    fields = {"run": since.first_bad.run_id, "good": good, "bad": bad}
    metric = bisected_metric(row)
    if metric:
        fields["metric"] = metric
    return f"{LIST_PATH}?{urlencode(fields)}"
