"""Addresses of the pages of bisections."""

from __future__ import annotations

from urllib.parse import urlencode

from analysis.comparison.status_row import StatusRow
from schema.metrics import METRICS
from schema.result_metrics import PREFIX

LIST_PATH = "/bisect"


def start_address(row: StatusRow) -> str:
    """Return the address of the form for a bisection of a regression of the status, with its
    fields filled in; "" if the row has no good and bad commit that differ, or is about a named
    number.

    If there is such a bisection already, the page links to it.
    """
    since = row.since
    # Bisections are of metrics of the registry, not of the named numbers of files.
    if since is None or since.last_good is None or row.metric.startswith(PREFIX):
        return ""
    good, bad = since.last_good.commit, since.first_bad.commit
    if not good or not bad or good == bad:
        return ""
    fields = {"run": since.first_bad.run_id, "good": good, "bad": bad}
    # Metrics of single tiles or kernels have no series of their own.
    if row.metric in METRICS and METRICS[row.metric].polarity:
        fields["metric"] = row.metric
    return f"{LIST_PATH}?{urlencode(fields)}"
