"""The gate's latest verdict of each run against each baseline, stored so that it is computed once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from storage.baselines import Baseline
from storage.catalogue import Catalogue
from storage.tables import BASELINES, CHECKS, RUNS
from storage.text import plain_text
from storage.upsert import put, transact

_BATCH_SIZE = 500
"""Maximum number of run ids per query."""


@dataclass(frozen=True)
class Check:
    """A verdict about a run: a row of table `checks`. `relative` and `delta` belong to the metric
    that decided.
    """

    baseline: str
    run_id: str
    prefix: str
    against: str
    verdict: str
    reason: str = ""
    metric: str = ""
    about: str = ""
    relative: float | None = None
    delta: float | None = None


class Checks:
    """Reads and writes the verdicts of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def of(self, baselines: Collection[str], runs: Sequence[str]) -> dict[tuple[str, str], Check]:
        """Map (baseline name, run id) to the stored verdict, for these baselines and runs.

        Pairs without a verdict are left out. Verdicts that are out of date are included: their
        `prefix` differs from that of the run. Raises StorageError if the catalogue does not exist.
        """
        checks: dict[tuple[str, str], Check] = {}
        with self._catalogue.connect() as connection:
            for begin in range(0, len(runs), _BATCH_SIZE):
                is_in_batch = CHECKS.c.run_id.in_(runs[begin : begin + _BATCH_SIZE])
                query = select(*_COLUMNS).where(CHECKS.c.baseline.in_(baselines), is_in_batch)
                for row in connection.execute(query):
                    check = Check(**row._mapping)
                    checks[check.baseline, check.run_id] = check
        return checks

    def regressed_runs(self, baseline: str) -> frozenset[str]:
        """Return the ids of runs whose latest verdict against a baseline is "regressed".

        Verdicts about an older content of a run, under another prefix, do not count.
        """
        same = (CHECKS.c.run_id == RUNS.c.run_id) & (CHECKS.c.prefix == RUNS.c.prefix)
        is_regressed = (CHECKS.c.baseline == baseline) & (CHECKS.c.verdict == "regressed")
        with self._catalogue.connect() as connection:
            return frozenset(
                connection.scalars(select(CHECKS.c.run_id).join(RUNS, same).where(is_regressed))
            )

    def put(self, check: Check, baseline: Baseline) -> None:
        """Store a verdict in place of the earlier verdict of its baseline and run.

        It is dropped if the stored baseline was deleted or changed since `baseline` was read.
        """
        # These texts contain names from files, which may have characters that a database rejects.
        texts = {name: plain_text(getattr(check, name)) for name in ("reason", "about")}
        row = (
            asdict(check) | texts | {"checked_at": datetime.now(UTC).isoformat(timespec="seconds")}
        )

        def write(connection: Connection) -> None:
            now = select(BASELINES.c.changed_at).where(BASELINES.c.name == baseline.name)
            if connection.scalar(now) == baseline.changed_at:
                put(connection, CHECKS, row)

        transact(self._catalogue, write)


_COLUMNS = tuple(column for column in CHECKS.c if column.name != "checked_at")
