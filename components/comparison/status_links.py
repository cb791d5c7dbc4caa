"""Addresses of the comparisons about a row of the status."""

from __future__ import annotations

from urllib.parse import urlencode

from analysis.comparison.status_row import Since


def since_address(since: Since) -> str:
    """Return the address that compares the last good run with the first bad run of a regression;
    "" if no good run precedes it.
    """
    if since.last_good is None:
        return ""
    sides = [("base", since.last_good.run_id), ("new", since.first_bad.run_id)]
    return f"/compare?{urlencode(sides)}"
