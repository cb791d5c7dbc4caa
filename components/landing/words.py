"""The first sentence of the landing page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.comparison.status_row import Status, StatusRow
from analysis.comparison.status_sections import Section
from components.comparison.status_words import undecided_words
from components.landing.when import is_of_last_day
from components.numbers import count_text, integer


def began_lately(row: StatusRow, as_of: str) -> bool:
    """Whether the regression of a row began in the last 24 h."""
    return row.since is not None and is_of_last_day(row.since.first_bad.taken_at, as_of)


def landing_sentence(status: Status, sections: Mapping[Section, Sequence[StatusRow]]) -> str:
    """Write how many keys regressed in the last 24 h and how many of them are acknowledged, how
    many are open from the 6 days before and from earlier, and how many keys have no verdict.

    If comparisons are still missing, the sentence begins with "So far" and counts them.
    """
    if not status.rows and not status.missing:
        return f"Rule {status.rule} covers no run yet."
    lately, known = (
        sum(began_lately(row, status.as_of) for row in sections[section])
        for section in ("new", "acknowledged")
    )
    count = count_text(lately + known, "key") if lately + known else "No key"
    acknowledged = f", {integer(known)} of them acknowledged" if known else ""
    earlier = len(sections["new"]) - lately
    before = _open_words(earlier, "more", " from the 6 days before")
    older = _open_words(len(sections["open"]) - len(sections["new"]), "older", "")
    undecided = undecided_words(status.rows)
    left = f"; {undecided} of {count_text(len(status.rows), 'key')}" if undecided else ""
    counts = f"{count} regressed in the last 24 h by rule {status.rule}"
    sentence = f"{counts}{acknowledged}{before}{older}{left}"
    if not status.missing:
        return f"{sentence}."
    missing = count_text(status.missing, "comparison")
    return f"So far {sentence[0].lower()}{sentence[1:]}; {missing} still to be made."


def _open_words(count: int, which: str, since: str) -> str:
    """Write ", 1 older is open" or ", 2 more are open from ...", or "" if there is none."""
    verb = "is" if count == 1 else "are"
    return f", {integer(count)} {which} {verb} open{since}" if count else ""
