"""Compute the status that the page shows for its view state."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.comparison.status_row import Status
from app.context import AppContext
from app.pages.status.state import StatusState
from schema.moments import parse_since, parse_time
from storage.rules import Rule, Rules

WITHIN_S = 8.0
"""Seconds after which a request starts no further comparison; the next request continues."""
SHOWN_WITHIN_S = 2.0
"""The same limit for the layout of a page, which polls until all verdicts are known."""


def load_status(context: AppContext, state: StatusState, within_s: float) -> Status:
    """Return the status with all its rows, whatever the filters; raises RuleError if there is no
    such rule, or MomentError if a time is invalid (a sentence each).

    No comparison begins after `within_s` seconds.
    """
    as_of = parse_time("as of", state.as_of)
    since = parse_since("since", state.since, as_of)
    return context.status.status(shown_rule(context, state), since, as_of, within_s=within_s)


def shown_rule(context: AppContext, state: StatusState) -> str:
    """Return the name of the displayed rule: that of the state, or by default the rule of
    `widest_rule`; "" if there are no rules.
    """
    return state.rule or widest_rule(Rules(context.repository.catalogue).all())


def widest_rule(rules: Sequence[Rule]) -> str:
    """Return the name of the rule with the fewest filters, of equal rules the first by name; "" if
    there are no rules.
    """
    return min(((len(rule.filters), rule.name) for rule in rules), default=(0, ""))[1]
