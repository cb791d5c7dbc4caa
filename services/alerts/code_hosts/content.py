"""Text of the posts on a code host: comment of a pull request, title, text and comments of an
issue.

Every name is from a file or a user, so all names are code spans (see `markdown.code`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schema.code_hosts import ISSUE
from schema.plurals import plural
from schema.result_metrics import find_metric
from services.alerts.code_hosts.markdown import code, link, title
from services.alerts.code_hosts.marker import Marker, post_key
from services.alerts.messages import change_size, key_words

MAX_BODY_BYTES = 60_000
"""Maximum UTF-8 bytes of a post; GitHub accepts 65,536 characters."""
MAX_ROWS = 30
"""Maximum number of keys in the table of a comment."""
_HEADS = ("key", "metric", "base", "value", "change", "verdict", "")
_STEPS = {
    "regressed": "regressed",
    "lasting": "still regressed",
    "recovered": "recovered",
}
"""Words for the steps of an issue."""


def marker_of(payload: Mapping[str, Any], purpose: str = "") -> Marker:
    """Return the marker of a message's post; `purpose` is that of a comment below an issue, such as
    `recovered`.

    A pull request has a comment per rule, an issue belongs to a rule and a key.
    """
    post = str(payload["post"])
    parts = [str(payload["rule"])]
    parts += [str(payload["series"])] if post == ISSUE else []
    # Messages that an older release put into the outbox have no `site`.
    return Marker(
        purpose or post,
        post_key(post, *parts),
        str(payload["seen_at"]),
        str(payload["at"]),
        str(payload.get("site", "")),
    )


def pull_request_body(payload: Mapping[str, Any]) -> str:
    """Format the comment of a pull request: verdict, commit and rule, a table of the keys that were
    measured at this commit, the worst first.

    The table ends at MAX_ROWS (30) rows, or earlier if the comment would be too long.
    """
    rows: Sequence[Mapping[str, Any]] = payload["rows"]
    head = [
        str(marker_of(payload)),
        f"### Tilescope: {payload['verdict']}",
        "",
        f"Commit {code(payload['commit'])}, baseline rule {code(payload['rule'])}.",
        "",
        *_table_head(),
    ]
    shown = [_table_line(row, payload["rule"]) for row in rows[:MAX_ROWS]]
    while True:
        left = int(payload["keys"]) - len(shown)
        more = ["", f"Not listed: {plural(left, 'more key')} of this commit."] if left > 0 else []
        body = "\n".join([*head, *shown, *more, *_footer(payload)])
        if len(body.encode()) <= MAX_BODY_BYTES or not shown:
            return body
        shown.pop()


def issue_title(payload: Mapping[str, Any]) -> str:
    """Format the title of an issue: the key of the regression and its rule."""
    return title(f"Regression: {key_words(payload['key'])}, rule {payload['rule']}")


def issue_body(payload: Mapping[str, Any]) -> str:
    """Format the text of an issue: state, commits, a table with the number that decides, links."""
    step = _STEPS[str(payload["step"])]
    lines = [
        str(marker_of(payload)),
        f"### Tilescope: {step}",
        "",
        *_table_head(),
        _table_line(payload, payload["rule"]),
        "",
        f"- baseline rule: {code(payload['rule'])}",
        f"- commit of this run: {code(payload['run']['commit'])}",
        f"- branch of this run: {code(payload['run']['branch'])}",
        *_since_lines(payload["since"]),
    ]
    if payload["acknowledged"]:
        lines.append(f"- acknowledged by {code(payload['acknowledged'])}")
    return "\n".join([*lines, *_footer(payload)])


def step_comment(payload: Mapping[str, Any]) -> str:
    """Format the comment that tells the readers of an issue about its step: recovered, or regressed
    again.
    """
    step = "recovered" if payload["step"] == "recovered" else "regressed again"
    lines = [
        str(marker_of(payload, str(payload["step"]))),
        f"**{step}** at commit {code(payload['run']['commit'])}.",
        "",
        *_table_head(),
        _table_line(payload, payload["rule"]),
        *_footer(payload),
    ]
    return "\n".join(lines)


def _table_head() -> list[str]:
    return [f"| {' | '.join(_HEADS)} |", f"|{'---|' * len(_HEADS)}"]


def _table_line(row: Mapping[str, Any], rule: object) -> str:
    metric = find_metric(str(row["metric"]))
    size = change_size(row["relative"])
    # A reason can contain names of files.
    reason = f": {code(row['reason'])}" if row["reason"] else ""
    links = (("run", row["url"]), ("compare", row["compare"]), ("find the commit", row["bisect"]))
    cells = (
        code(key_words(row["key"])),
        code(metric.label) if metric else "-",
        _format_number(row["base"], metric.unit if metric else ""),
        _format_number(row["value"], metric.unit if metric else ""),
        f"{size} vs {code(rule)}" if size else "-",
        f"{row['verdict']}{reason}",
        ", ".join(filter(None, (link(words, url) for words, url in links))),
    )
    return f"| {' | '.join(cells)} |"


def _format_number(value: float | None, unit: str) -> str:
    # The unit of a named number is from the file.
    return "-" if value is None else code(f"{value:.6g} {unit}")


def _since_lines(since: Mapping[str, Any] | None) -> list[str]:
    """List the ends of the range of commits in which the regression began; empty if it is unknown."""
    if not since:
        return []
    good = since["last_good"]
    lines = [f"- first bad commit measured: {code(since['first_bad']['commit'])}"]
    return [*lines, *([f"- last good commit measured: {code(good['commit'])}"] if good else [])]


def _footer(payload: Mapping[str, Any]) -> list[str]:
    where = link("status in Tilescope", payload["status_url"])
    return ["", f"Alert {code(payload['alert'])}{f', {where}' if where else ''}."]
