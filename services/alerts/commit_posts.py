"""Messages for the pull requests of the commits whose runs or verdicts changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from analysis.comparison.status_row import RunStanding
from schema.code_hosts import PULL_REQUEST
from services.alerts.code_hosts.payloads import is_commit, pull_request_payload
from services.alerts.issue_steps import NO_ISSUE
from services.alerts.posts import PostRound
from services.status.regressions import series_id
from services.status.rules import choose_rule
from services.status.run_standing import run_standings
from services.status.status import StatusCache
from services.status.status_rows import PENDING, VERDICT_ORDER
from storage.alerts import KeyState
from storage.clock import timestamp
from storage.run_list import RunList
from storage.series import SeriesPosition, recent_captures

_MAX_AGE = timedelta(days=3)
"""Time since ingest after which a run changes no comment any more."""
MAX_RUNS = 200
"""Maximum number of runs, the last ingested, that are looked up per round."""
_PREFIX = "pull "
_LOOKED_UP = "pulls"
"""`series` of the state that holds the version of the runs that were last looked up."""


def add_commit_messages(
    post_round: PostRound, status_cache: StatusCache, as_of: datetime | None, within_s: float
) -> int:
    """Store messages about commits whose runs or verdicts changed, and return their number.

    Runs ingested before the alert was set, or more than _MAX_AGE (3 days) ago, are left out, and
    with `as_of` runs that were captured later. A
    commit waits until all its runs are compared; no comparison begins after `within_s` seconds.
    """
    if not post_round.wants(PULL_REQUEST):
        return 0
    alert = post_round.alert
    catalogue = status_cache.repository.catalogue
    rule = choose_rule(catalogue, alert.rule)
    version = _digest([RunList(catalogue).version(), rule.record(), alert.changed_at])
    looked_up = post_round.before(_LOOKED_UP)
    if looked_up.run_id == version and as_of is None:
        return 0
    since = max(alert.changed_at, timestamp(-_MAX_AGE))
    until = time.monotonic() + within_s
    by_commit: dict[str, list[SeriesPosition]] = defaultdict(list)
    for position in recent_captures(catalogue, rule.filters, since, MAX_RUNS):
        is_later = as_of is not None and position.date > as_of.astimezone(UTC).isoformat()
        if is_commit(position.commit) and not is_later:
            by_commit[position.commit].append(position)
    message_count = 0
    is_complete = True
    for commit, positions in by_commit.items():
        standings = _standings(status_cache, alert.rule, positions, until)
        if standings is None:
            is_complete = False
        elif standings:
            seen_at = max(position.created_at for position in positions)
            message_count += _change_commit(post_round, commit, standings, seen_at)
    if is_complete and as_of is None:
        kept = [_series(commit) for commit in by_commit]
        post_round.store.forget_states(alert.name, _PREFIX, kept)
        post_round.change(looked_up, KeyState(_LOOKED_UP, NO_ISSUE, version), "", None)
    return message_count


def _standings(
    status_cache: StatusCache, rule: str, positions: Sequence[SeriesPosition], until: float
) -> list[RunStanding] | None:
    """Return the newest run of each key that was measured at a commit, the worst verdict first;
    `None` if there is no time to compare all of them.
    """
    by_key: dict[str, RunStanding] = {}
    # The last ingested come first.
    for position in positions:
        standing = _standing(status_cache, rule, position)
        if standing is not None and standing.row.reason == PENDING:
            left_s = until - time.monotonic()
            status_cache.verdicts_by_key(rule, [standing.row.key], within_s=left_s)
            standing = _standing(status_cache, rule, position)
            if standing is None or standing.row.reason == PENDING:
                return None
        if standing is not None:
            by_key.setdefault(series_id(standing.row.key), standing)
    return sorted(
        by_key.values(),
        key=lambda standing: (VERDICT_ORDER.index(standing.row.verdict), str(standing.row.key)),
    )


def _standing(status_cache: StatusCache, rule: str, position: SeriesPosition) -> RunStanding | None:
    # A run that was captured again at another commit counts there.
    return next(
        (
            standing
            for standing in run_standings(status_cache.repository, position.run_id)
            if standing.rule == rule and standing.row.run.commit == position.commit
        ),
        None,
    )


def _change_commit(
    post_round: PostRound, commit: str, standings: Sequence[RunStanding], seen_at: str
) -> int:
    """Store the content of a commit's comment with the messages about it, if it changed; return
    their number.
    """
    before = post_round.before(_series(commit))
    rows = [standing.row for standing in standings]
    content = [
        [series_id(row.key), row.run.run_id, row.verdict, row.metric, row.value, row.base]
        for row in rows
    ]
    now = KeyState(before.series, NO_ISSUE, _digest(content))
    if now.run_id == before.run_id:
        return 0
    payload = pull_request_payload(
        post_round.alert, standings, seen_at, post_round.at, post_round.origin
    )
    return post_round.change(before, now, "commit", payload)


def _series(commit: str) -> str:
    return f"{_PREFIX}{_digest(commit)[:32]}"


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode("utf-8", "replace")).hexdigest()
