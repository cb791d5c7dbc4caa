"""Baseline rules in the catalogue: which older runs the runs of any key are compared with."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select

from storage import listing
from storage.catalogue import Catalogue
from storage.errors import RuleNotFound
from storage.quotas import NAMED_RULES
from storage.rule_tables import ACKNOWLEDGEMENTS, KEY_STATUS, RULE_VERDICTS, RULES, SETTLED
from storage.upsert import put, transact

SCOPE = ("source", "hwid", "M", "K", "N")
"""Columns that select the runs that a rule covers."""


@dataclass(frozen=True)
class Rule:
    """A rule: compare with the `last` older runs of the same key on `branch`; a row of table
    `rules`.
    """

    name: str
    last: int
    branch: str = ""
    source: str = ""
    hwid: str = ""
    M: int | None = None
    K: int | None = None
    N: int | None = None
    changed_at: str = ""

    @property
    def filters(self) -> dict[str, object]:
        """Map columns of frame `run` to required values, for the columns of SCOPE (source, hwid, M,
        K, N) that the rule sets; empty if it covers all runs.
        """
        wanted = ((name, getattr(self, name)) for name in SCOPE)
        return {name: value for name, value in wanted if value not in ("", None)}

    def has_member(self, branch: str) -> bool:
        """Whether the rule applies to a run captured on `branch`: True if the rule has no branch or
        this branch.
        """
        return self.branch in ("", branch)

    def record(self) -> dict[str, object]:
        """Convert the rule to a dict of its fields by name, for JSON."""
        return asdict(self)


class Rules:
    """Reads and writes the baseline rules of a catalogue; empty if the catalogue does not exist."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(self, rule: Rule) -> None:
        """Insert or replace a rule, with `changed_at` the current time; cached results are deleted.

        If `last` or `branch` differs from before, verdicts that retention made final are deleted
        too. Raises QuotaError if there are too many rules.
        """
        before = self.find(rule.name)
        is_other = before is not None and (before.last, before.branch) != (rule.last, rule.branch)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")

        def write(connection: Connection) -> None:
            NAMED_RULES.check_name(connection, rule.name)
            put(connection, RULES, asdict(rule) | {"changed_at": now})
            listing.mark_changed(connection)
            connection.execute(delete(KEY_STATUS).where(KEY_STATUS.c.rule == rule.name))
            if is_other:
                settled = (RULE_VERDICTS.c.rule == rule.name) & (RULE_VERDICTS.c.against == SETTLED)
                connection.execute(delete(RULE_VERDICTS).where(settled))

        transact(self._catalogue, write)

    def all(self) -> list[Rule]:
        """List the rules, sorted by name; empty if there is no catalogue."""
        rows = self._catalogue.rows(select(*_COLUMNS).order_by(RULES.c.name))
        return [Rule(*row) for row in rows]

    def find(self, name: str) -> Rule | None:
        """Look up a rule by name; None if there is no such rule."""
        return next((rule for rule in self.all() if rule.name == name), None)

    def delete(self, name: str) -> None:
        """Delete a rule with its verdicts and acknowledgements.

        Raises RuleNotFound if there is no such rule.
        """
        if self.find(name) is None:
            raise RuleNotFound(f"there is no baseline rule {name!r}")
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(RULES).where(RULES.c.name == name))
            listing.mark_changed(connection)
            for table in (RULE_VERDICTS, KEY_STATUS, ACKNOWLEDGEMENTS):
                connection.execute(delete(table).where(table.c.rule == name))


_COLUMNS = [RULES.c[field.name] for field in fields(Rule)]
