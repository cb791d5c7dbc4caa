"""Baseline rules in the catalogue: which older runs a run of any key is compared with."""

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
"""What runs have in common that a rule is about."""


@dataclass(frozen=True)
class Rule:
    """A rule: the `last` so many older runs of the key of a run, on `branch`; see table `rules`."""

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
        """Return the columns of frame `run` whose value the rule asks for."""
        wanted = ((name, getattr(self, name)) for name in SCOPE)
        return {name: value for name, value in wanted if value not in ("", None)}

    def has_member(self, branch: str) -> bool:
        """Return whether a run that the rule covers, captured of a branch, is on its branch."""
        return self.branch in ("", branch)

    def record(self) -> dict[str, object]:
        """Return the rule as plain values by name."""
        return asdict(self)


class Rules:
    """The baseline rules of a catalogue; one that does not exist yet has none."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(self, rule: Rule) -> None:
        """Write a rule in place of the stored one of its name.

        Verdicts that retention settled are forgotten if the rule compares with other runs now.
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
        """Return the rules by name."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(*_COLUMNS).order_by(RULES.c.name)).all()
        return [Rule(*row) for row in rows]

    def find(self, name: str) -> Rule | None:
        """Return a rule, None where there is none of the name."""
        return next((rule for rule in self.all() if rule.name == name), None)

    def delete(self, name: str) -> None:
        """Take a rule out, with its verdicts and what was acknowledged of it. Raises RuleNotFound."""
        if self.find(name) is None:
            raise RuleNotFound(f"there is no baseline rule {name!r}")
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(RULES).where(RULES.c.name == name))
            listing.mark_changed(connection)
            for table in (RULE_VERDICTS, KEY_STATUS, ACKNOWLEDGEMENTS):
                connection.execute(delete(table).where(table.c.rule == name))


_COLUMNS = [RULES.c[field.name] for field in fields(Rule)]
