"""Texts of the status: caption, a line of text per key, and the begin of a regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.comparison.status_row import CommitMoment, Status, StatusRow
from components.comparison.trend_names import key_names
from components.comparison.trend_words import commit_text, date_text, value_text
from components.comparison.words import relative_words
from components.numbers import DASH, count_text, integer
from components.verdicts import verdict_words
from schema.result_metrics import find_compared


def status_lines(status: Status) -> Iterator[str]:
    """Yield the status as lines of text: the caption, then a line per key."""
    yield status_sentence(status)
    for row, name in zip(status.rows, key_names([row.key for row in status.rows]), strict=True):
        parts = (
            verdict_words(row.verdict),
            name,
            value_words(row),
            change_words(row),
            latest_words(row),
        )
        more = (since_words(row), acknowledged_words(row), incomparable_reason(row))
        yield "  ".join(filter(None, (*parts, *more)))


def incomparable_reason(row: StatusRow) -> str:
    """Return the reason of a verdict `incomparable`, "" for another verdict."""
    return row.reason if row.verdict == "incomparable" else ""


def status_sentence(status: Status) -> str:
    """Write how many keys regressed, how many of them are acknowledged, which regressed most, and
    how many keys are undecided or incomparable: "not regressed" is only said of other keys.

    If comparisons are still missing, the sentence begins with "So far" and counts them. If the rule
    covers no run up to the time of the status, it states that.
    """
    if not status.missing:
        return f"{_known_words(status)}."
    sentence = _known_words(status) if status.rows else "No key is compared"
    return f"So far {sentence[0].lower()}{sentence[1:]}; {count_text(status.missing, 'comparison')} still to be made."


def _known_words(status: Status) -> str:
    rows = status.rows
    if not rows:
        return f"Rule {status.rule} covers no run up to {date_text(status.as_of)}"
    regressed = [row for row in rows if row.verdict == "regressed"]
    undecided = undecided_words(rows)
    if len(rows) == 1:
        (row,) = rows
        return f"The only key {_ONE_KEY.get(row.verdict, 'did not regress')}{_regressed_words(regressed, status.rule)}"
    if not regressed and all(row.verdict in _OPEN for row in rows):
        return f"No verdict about any of {count_text(len(rows), 'key')}: {undecided}"
    counted = integer(len(regressed)) if regressed else "None"
    counts = f"{counted} of {count_text(len(rows), 'key')} regressed"
    left = f"; {undecided}" if undecided else ""
    return f"{counts}{_regressed_words(regressed, status.rule)}{left}"


def undecided_words(rows: Sequence[StatusRow]) -> str:
    """Count the keys whose verdict does not tell whether they regressed: `2 undecided, 1
    incomparable`; "" if there are none.
    """
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in _OPEN}
    return ", ".join(f"{integer(count)} {verdict}" for verdict, count in counts.items() if count)


_OPEN = ("undecided", "incomparable")
"""Verdicts that do not tell whether a key regressed."""
_ONE_KEY = {
    "regressed": "regressed",
    "undecided": "is undecided",
    "incomparable": "is incomparable",
}
"""Verdict -> predicate of the sentence about the only key; other keys did not regress."""


def _regressed_words(regressed: Sequence[StatusRow], rule: str) -> str:
    """Count the acknowledged keys among the regressed keys, and name the worst other key; the text
    continues a sentence.
    """
    acknowledged = sum(row.acknowledged is not None for row in regressed)
    if not acknowledged:
        return _worst_words(regressed, rule)
    if acknowledged == len(regressed):
        return ", acknowledged" if acknowledged == 1 else ", all acknowledged"
    return f", {integer(acknowledged)} of them acknowledged{_worst_words(regressed, rule)}"


def _worst_words(regressed: Sequence[StatusRow], rule: str) -> str:
    """Name the key with the largest change among regressed keys that are not acknowledged.

    The text continues a sentence; "" if all are acknowledged or have no relative change.
    """
    news = [row for row in regressed if row.acknowledged is None and row.relative is not None]
    worst = max(news, key=lambda row: abs(row.relative or 0.0), default=None)
    if worst is None:
        return ""
    (name,) = key_names([worst.key])
    lead = "; most: " if len(news) > 1 else ": "
    return f"{lead}{name}, {change_words(worst)} vs {rule} to {value_words(worst)}"


def value_words(row: StatusRow) -> str:
    """Format the number of a row with its unit; a dash if it is missing or its metric is unknown."""
    metric = find_compared(row.metric)
    if row.value is None or metric is None:
        return DASH
    return value_text(row.value, metric.metric)


def change_words(row: StatusRow) -> str:
    """Format the relative change of a row from its base, such as −6.1 %; "" if there is no base."""
    return relative_words(row.relative)


def latest_words(row: StatusRow) -> str:
    """Write date and commit of a row's latest run: `2026-01-31 09:30 commit 1a2b3c4d`; without a
    commit only the date.
    """
    commit = f" commit {commit_text(row.run.commit)}" if row.run.commit else ""
    return f"{date_text(row.run.taken_at)}{commit}"


def since_words(row: StatusRow) -> str:
    """Write the date since when a number is regressed, how many runs there are since, and between
    which commits it began.

    Without commits if no good run precedes it or they are unknown. "" if the number is not
    regressed.
    """
    if row.since is None:
        return ""
    first = row.since.first_bad
    good = row.since.last_good
    runs = f"since {date_text(first.taken_at)} ({count_text(row.since.runs, 'run')})"
    commits = _range(good, first) if good else ""
    return f"{runs}, {commits}" if commits else runs


def acknowledged_words(row: StatusRow) -> str:
    """Write by whom a regression is acknowledged, with the note; "" if it is not acknowledged."""
    if row.acknowledged is None:
        return ""
    note = f": {row.acknowledged.note}" if row.acknowledged.note else ""
    return f"acknowledged by {row.acknowledged.by}{note}"


def _range(good: CommitMoment, first: CommitMoment) -> str:
    """Write the commits around the begin of a regression, as far as they are known."""
    after = f"after commit {commit_text(good.commit)}" if good.commit else ""
    began = f"with commit {commit_text(first.commit)}" if first.commit else ""
    return ", ".join(filter(None, (after, began)))
