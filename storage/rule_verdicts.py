"""Verdicts of baseline rules about runs, stored so that each comparison is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select

from storage.catalogue import Catalogue
from storage.rule_tables import RULE_VERDICTS, RULES
from storage.rules import Rule
from storage.text import plain_text
from storage.upsert import transact

_BATCH_SIZE = 500
"""Maximum number of run ids per query."""


class RunMoment(NamedTuple):
    """A run and the date of its capture."""

    run_id: str
    date: str


class RuleVerdict(NamedTuple):
    """The verdict of a rule about a run and date: a row of table `rule_verdicts`.

    It holds for the content of the run under `prefix`, and for a base whose content has the hash
    `against`. `value` and `base` are the numbers of the deciding `metric`, `relative` is their
    ratio minus 1; `main` is the run's main metric.
    """

    run_id: str
    date: str
    prefix: str
    against: str
    verdict: str
    reason: str = ""
    metric: str = ""
    value: float | None = None
    base: float | None = None
    relative: float | None = None
    main: float | None = None
    cause: Mapping[str, object] | None = None


class RuleVerdicts:
    """Reads and writes the verdicts of a catalogue's rules about runs."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def of(self, rule: str, runs: Sequence[str] | None = None) -> dict[RunMoment, RuleVerdict]:
        """Map (run id, date) to the stored verdict of a rule, including verdicts that are out of
        date.

        The result contains the verdicts about `runs`, or all verdicts if `runs` is None.
        """
        c = RULE_VERDICTS.c
        query = select(*_COLUMNS).where(c.rule == rule)
        if runs is None:
            queries = [query]
        else:
            batches = [runs[at : at + _BATCH_SIZE] for at in range(0, len(runs), _BATCH_SIZE)]
            queries = [query.where(c.run_id.in_(batch)) for batch in batches]
        verdicts: dict[RunMoment, RuleVerdict] = {}
        with self._catalogue.connect() as connection:
            for part in queries:
                for row in connection.execute(part):
                    verdict = RuleVerdict._make(row)
                    verdicts[RunMoment(verdict.run_id, verdict.date)] = verdict
        return verdicts

    def put(self, rule: Rule, verdicts: Sequence[RuleVerdict]) -> None:
        """Store verdicts, which replace verdicts of the same runs and dates; of several verdicts
        about a run and date the last.

        Without effect if `verdicts` is empty or if the rule was deleted meanwhile.
        """
        # A run can be captured twice at a time: with the commit that was given first, and another.
        verdicts = [*{(one.run_id, one.date): one for one in verdicts}.values()]
        # Reasons contain names from files, which may have characters that a database rejects.
        texts = [
            {"reason": plain_text(verdict.reason), "cause": _plain_texts(verdict.cause)}
            for verdict in verdicts
        ]
        rows = [
            verdict._asdict() | text | {"rule": rule.name}
            for verdict, text in zip(verdicts, texts, strict=True)
        ]
        if not rows:
            return
        c = RULE_VERDICTS.c
        own = (
            (c.rule == bindparam("rule_"))
            & (c.run_id == bindparam("run_id_"))
            & (c.date == bindparam("date_"))
        )

        def write(connection: Connection) -> None:
            if connection.scalar(select(RULES.c.name).where(RULES.c.name == rule.name)) is None:
                return
            places = [
                {f"{name}_": row[name] for name in ("rule", "run_id", "date")} for row in rows
            ]
            connection.execute(delete(RULE_VERDICTS).where(own), places)
            connection.execute(insert(RULE_VERDICTS), rows)

        transact(self._catalogue, write)


def _plain_texts(cause: Mapping[str, object] | None) -> dict[str, object] | None:
    """Convert the texts of a cause like the reason; its amount is a number."""
    if cause is None:
        return None
    return {
        name: plain_text(value) if isinstance(value, str) else value
        for name, value in cause.items()
    }


_COLUMNS = [RULE_VERDICTS.c[name] for name in RuleVerdict._fields]
