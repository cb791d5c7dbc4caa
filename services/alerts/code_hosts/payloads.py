"""Content of the messages for a code host as JSON, as the outbox stores it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote, urlencode

from analysis.comparison.status_row import RunStanding, StatusRow
from schema.code_hosts import ISSUE, PULL_REQUEST
from services.alerts.code_hosts.content import MAX_ROWS
from services.alerts.messages import page_address
from services.alerts.origin import MessageOrigin
from services.status.regressions import series_id
from storage.alerts import Alert

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_SHORT_ID = 12
"""Digits of a run id in the address of a comparison, as the gate's."""


def is_commit(text: str) -> bool:
    """Whether a text is the hash of a commit, full or abbreviated to at least 7 digits; only these
    are looked up at a code host.
    """
    return _COMMIT.fullmatch(text) is not None


def issue_payload(
    step: str, alert: Alert, row: StatusRow, at: str, origin: MessageOrigin
) -> dict[str, Any]:
    """Build the message about a step of an issue: `regressed`, `lasting` or `recovered`.

    `at` is the time of the status. An issue follows the latest run of its key, so only that time
    orders its messages, and `seen_at` is empty.
    """
    good = row.since.last_good if row.since else None
    payload = _common_members(ISSUE, alert, at, origin) | _row_record(
        row, [good.run_id] if good else [], origin
    )
    return payload | {"step": step, "series": series_id(row.key), "seen_at": ""}


def pull_request_payload(
    alert: Alert, standings: Sequence[RunStanding], seen_at: str, at: str, origin: MessageOrigin
) -> dict[str, Any]:
    """Build the message about all keys that were measured at a commit; `standings` has a
    run or more, the worst verdict first, and at most MAX_ROWS (30) of them are part of the message.

    `seen_at` is the time when the newest of these runs was ingested.
    """
    first = standings[0].row
    rows = [
        _row_record(standing.row, standing.base or [], origin) for standing in standings[:MAX_ROWS]
    ]
    payload = _common_members(PULL_REQUEST, alert, at, origin)
    payload |= {"commit": first.run.commit, "verdict": first.verdict, "rows": rows}
    return payload | {"keys": len(standings), "key": None, "seen_at": seen_at}


def _common_members(post: str, alert: Alert, at: str, origin: MessageOrigin) -> dict[str, Any]:
    path = f"/status?{urlencode({'rule': alert.rule})}"
    own = {"post": post, "alert": alert.name, "rule": alert.rule, "at": at, "site": origin.site}
    return own | {"status_url": page_address(origin.public_url, path)}


def _row_record(row: StatusRow, base: Sequence[str], origin: MessageOrigin) -> dict[str, Any]:
    """Convert a row of the status; addresses are `None` without a public address, or if the row has
    no run to compare with, or no commits to bisect.
    """
    public_url = origin.public_url
    bisect = origin.find_bisection(row) if row.verdict == "regressed" else ""
    compare = _compare_path(base, row.run.run_id)
    return {
        "key": row.key._asdict(),
        "run": {
            name: getattr(row.run, name) for name in ("run_id", "commit", "branch", "taken_at")
        },
        "metric": row.metric,
        "value": row.value,
        "base": row.base,
        "relative": row.relative,
        "verdict": row.verdict,
        "reason": row.reason,
        "since": asdict(row.since) if row.since else None,
        "acknowledged": row.acknowledged.by if row.acknowledged else "",
        "url": page_address(public_url, f"/run/{quote(row.run.run_id, safe='')}"),
        "compare": page_address(public_url, compare) if compare else None,
        "bisect": page_address(public_url, bisect) if bisect else None,
    }


def _compare_path(base: Sequence[str], run_id: str) -> str:
    if not base:
        return ""
    query = [("base", base_id[:_SHORT_ID]) for base_id in base] + [("new", run_id[:_SHORT_ID])]
    return f"/compare?{urlencode(query)}"
