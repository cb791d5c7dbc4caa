"""Content of the messages of an alert: JSON for webhooks, text for Slack and mail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import StatusRow
from schema.decimals import signed_percent
from schema.result_metrics import find_metric
from services.alerts.origin import MessageOrigin
from storage.alerts import Alert

_TITLES = {"regressed": "Regressed", "recovered": "Recovered", "no_data": "No data", "test": "Test"}
"""Words for each event."""
_MAX_CHARACTERS = 300
"""Maximum characters of a name in a message."""


def status_payload(
    event: str,
    alert: Alert,
    row: StatusRow,
    at: str,
    origin: MessageOrigin,
) -> dict[str, Any]:
    """Build the JSON of a message about a row of the status, without its id; `at` is the time of
    the status.

    Members: event, alert, rule, at, key, run (run_id, commit, branch, taken_at), since, metric,
    value, base, relative, url and bisect (both `None` without a public address). `bisect` is the
    address for finding the commit of a regression, `None` without a good and a bad commit.
    """
    record = row.record()
    run: Mapping[str, Any] = {
        name: getattr(row.run, name) for name in ("run_id", "commit", "branch", "taken_at")
    }
    numbers = {name: record[name] for name in ("since", "metric", "value", "base", "relative")}
    url = page_address(origin.public_url, f"/run/{quote(row.run.run_id, safe='')}")
    path = origin.find_bisection(row) if event == "regressed" else ""
    addresses = {"url": url, "bisect": page_address(origin.public_url, path) if path else None}
    return _payload(event, alert, at) | {"key": record["key"], "run": run} | numbers | addresses


def check_payload(alert: Alert, at: str, public_url: str) -> dict[str, Any]:
    """Build the JSON of an alert's test message, without its id; it has the same members as
    `status_payload`, but those about a key and a run are `None`.
    """
    numbers = dict.fromkeys(("key", "run", "since", "metric", "value", "base", "relative"))
    addresses = {"url": page_address(public_url, "/alerts"), "bisect": None}
    return _payload("test", alert, at) | numbers | addresses


def slack_text(payload: Mapping[str, Any]) -> str:
    """Format a message as lines of text for Slack: summary, commit, numbers, link; without the
    lines for which there is no value. Markup in names is escaped.
    """
    text = _escape_markup(summary(payload))
    commit = _escape_markup(_commit(payload))
    lines = [
        f"*{text}*",
        *([f"commit {commit}"] if commit else []),
        *map(_escape_markup, _numbers(payload)),
    ]
    # messages that an older release put into the outbox have no such member
    if payload.get("bisect"):
        lines.append(f"<{_escape_markup(str(payload['bisect']))}|Find the commit>")
    if payload["url"]:
        lines.append(f"<{_escape_markup(str(payload['url']))}|Open in Tilescope>")
    return "\n".join(lines)


def mail_text(payload: Mapping[str, Any]) -> str:
    """Format a message as the lines of a mail: summary, commit and branch, numbers, alert and rule,
    address of the run; without the lines for which there is no value.
    """
    commit = _commit(payload)
    branch = plain_name((payload["run"] or {}).get("branch"))
    named = [f"{name} {text}" for name, text in (("commit", commit), ("branch", branch)) if text]
    lines = [summary(payload), *named, *_numbers(payload)]
    lines.append(f"alert {plain_name(payload['alert'])}, rule {plain_name(payload['rule'])}")
    lines += [f"find the commit: {payload['bisect']}"] if payload.get("bisect") else []
    lines += [str(payload["url"])] if payload["url"] else []
    return "\n".join(lines) + "\n"


def summary(payload: Mapping[str, Any]) -> str:
    """Describe the event in a line: its word, key, and change in per cent with the rule that it is
    relative to, such as `Regressed: ..., -6.1 % vs nightly`; a test names the alert instead of a
    key.
    """
    title = _TITLES[str(payload["event"])]
    if payload["key"] is None:
        return f"{title}: alert {plain_name(payload['alert'])} of Tilescope"
    size = "" if payload["event"] == "no_data" else change_size(payload["relative"])
    change = f", {size} vs {plain_name(payload['rule'])}" if size else ""
    return f"{title}: {key_words(payload['key'])}{change}"


def _payload(event: str, alert: Alert, at: str) -> dict[str, Any]:
    return {"event": event, "alert": alert.name, "rule": alert.rule, "at": at}


def page_address(public_url: str, path: str) -> str | None:
    return f"{public_url.rstrip('/')}{path}" if public_url else None


def change_size(relative: float | None) -> str:
    return "" if relative is None else signed_percent(relative)


def _numbers(payload: Mapping[str, Any]) -> list[str]:
    metric = find_metric(str(payload["metric"]))
    if metric is None or payload["value"] is None or payload["base"] is None:
        return []
    unit = f" {metric.unit}" if metric.unit else ""
    return [
        f"{plain_name(metric.label)}: {payload['value']:.6g}{unit}, baseline {payload['base']:.6g}{unit}"
    ]


def key_words(key: Mapping[str, Any]) -> str:
    series_key = SeriesKey(**key)
    groups = [
        (series_key.M, series_key.K, series_key.N),
        (series_key.m, series_key.k, series_key.n),
        (series_key.rows, series_key.cols),
    ]
    sizes = [" x ".join(map(str, group)) if None not in group else "" for group in groups]
    names = ("", "tile ", "grid ")
    parts = [
        series_key.source,
        series_key.hwid,
        *(f"{name}{size}" for name, size in zip(names, sizes, strict=True) if size),
    ]
    return " ".join(
        plain_name(part)
        for part in [*parts, series_key.mac_dtype, series_key.tags, series_key.name]
        if part
    )


def _commit(payload: Mapping[str, Any]) -> str:
    return plain_name((payload["run"] or {}).get("commit"))[:12]


def plain_name(text: object) -> str:
    """Return a name in a line, with spaces for control characters, since names come from files; at
    most _MAX_CHARACTERS (300), "" for None.
    """
    return "".join(char if char.isprintable() else " " for char in str(text or ""))[
        :_MAX_CHARACTERS
    ]


def _escape_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
