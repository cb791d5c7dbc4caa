"""Captures of the content of a run: what is said of each, and how they are recorded in a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from schema.runs import DATED_BY
from storage.tables import OBSERVATIONS
from storage.text import plain_text

_ORIGIN = ("taken_at", "taken_from", "commit", "branch", "file")
"""Columns of frame `run` that are those of its newest observation."""


@dataclass(frozen=True)
class Observation:
    """A capture of a run's content: `taken_at` ISO 8601 or "", `observed_at` when it was ingested, and by whom."""

    taken_at: str
    taken_from: str
    commit: str
    branch: str
    file: str
    observed_at: str
    observed_by: str = ""
    number: int = field(default=0, compare=False)

    @property
    def date(self) -> str:
        """Return when it was captured, else when it was ingested."""
        return self.taken_at or self.observed_at

    @property
    def moment(self) -> tuple[str, str, int]:
        """Return what observations of a run are ordered by."""
        return self.date, self.observed_at, self.number

    @property
    def is_dated(self) -> bool:
        """Return whether somebody said when it was captured."""
        return self.taken_from in DATED_BY

    @property
    def origin(self) -> dict[str, str]:
        """Return the columns of frame `run` that it has."""
        return {name: getattr(self, name) for name in _ORIGIN}

    def says_no_more_than(self, other: Observation) -> bool:
        """Return whether all that is said of it is said of another one of the same run."""
        same_date = not self.is_dated or (other.is_dated and self.taken_at == other.taken_at)
        return same_date and all(getattr(self, name) in ("", getattr(other, name)) for name in ("commit", "branch"))


def observation_of(run: Mapping[str, object], by: str = "") -> Observation:
    """Return the observation that columns of frame `run` tell of."""
    taken_at, taken_from, commit, branch, file = (plain_text(run.get(name)) for name in _ORIGIN)
    return Observation(taken_at, taken_from, commit, branch, file, plain_text(run["created_at"]), plain_text(by))


def add(connection: Connection, run_id: str, new: Observation) -> Observation:
    """Record an observation of a run and return the newest one; the caller holds the run's row.

    One that says nothing new adds nothing, and takes the place of the first that says no more than it. A further one
    without any date has that of its ingest.
    """
    known = by_run(connection, [run_id]).get(run_id, [])
    if known and not new.taken_at:
        new = replace(new, taken_at=new.observed_at, taken_from="ingest")
    if any(new.says_no_more_than(other) for other in known):
        return max(known, key=lambda one: one.moment)
    lesser = next((other for other in known if other.says_no_more_than(new)), None)
    number = lesser.number if lesser else 1 + max((other.number for other in known), default=0)
    new = replace(new, number=number)
    if lesser is None:
        connection.execute(insert(OBSERVATIONS), _row(run_id, new))
    else:
        here = (OBSERVATIONS.c.run_id == run_id) & (OBSERVATIONS.c.number == number)
        connection.execute(update(OBSERVATIONS).where(here).values(_row(run_id, new)))
    return max([new, *(other for other in known if other is not lesser)], key=lambda one: one.moment)


def add_first(connection: Connection, runs: Iterable[Mapping[str, object]], by: str = "") -> None:
    """Record the observations that frame `run` of new runs tells of, at most 500."""
    rows = [(str(run["run_id"]), replace(observation_of(run, by), number=1)) for run in runs]
    known = by_run(connection, [run_id for run_id, _ in rows])
    first = [_row(run_id, one) for run_id, one in rows if run_id not in known]
    if first:
        connection.execute(insert(OBSERVATIONS), first)
    for run_id, one in rows:
        if run_id in known:
            add(connection, run_id, one)


def count_each(connection: Connection, runs: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """Return the number of observations by run id, of at most 500 runs; one that has none gets one of its frame."""
    by_id = {str(run["run_id"]): run for run in runs}
    counts = {row.run_id: row.observations for row in connection.execute(_COUNTS, {"ids": [*by_id]})}
    missing = sorted(by_id.keys() - counts.keys())
    if missing:
        rows = [_row(run_id, replace(observation_of(by_id[run_id]), number=1)) for run_id in missing]
        connection.execute(insert(OBSERVATIONS), rows)
    return counts | dict.fromkeys(missing, 1)


def by_run(connection: Connection, ids: Sequence[str] | None) -> dict[str, list[Observation]]:
    """Return the observations by run id, oldest first; of at most 500 runs, or of all."""
    found: dict[str, list[Observation]] = {}
    rows = connection.execute(_EVERY) if ids is None else connection.execute(_OF_RUNS, {"ids": ids})
    for row in rows:
        found.setdefault(row.run_id, []).append(_observation(row))
    return {run_id: sorted(some, key=lambda one: one.moment) for run_id, some in found.items()}


def _observation(row: Row[tuple[object, ...]]) -> Observation:
    texts = (row.taken_at, row.taken_from, row.commit, row.branch, row.file, row.observed_at, row.observed_by)
    return Observation(*texts, number=row.number)


# made once: SQLAlchemy takes longer to make a statement than a database to answer it
_EVERY = select(OBSERVATIONS)
_IS_ASKED = OBSERVATIONS.c.run_id.in_(bindparam("ids", expanding=True))
_OF_RUNS = _EVERY.where(_IS_ASKED)
_COUNTS = (
    select(OBSERVATIONS.c.run_id, func.count().label("observations")).where(_IS_ASKED).group_by(OBSERVATIONS.c.run_id)
)


def _row(run_id: str, one: Observation) -> dict[str, object]:
    return {"run_id": run_id, "date": one.date, **asdict(one)}
