"""Observations: the captures of a run's content, and how they are recorded within a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from schema.runs import GIVEN_DATE_ORIGINS
from storage.tables import OBSERVATIONS
from storage.text import plain_text

_ORIGIN = ("taken_at", "taken_from", "commit", "branch", "file")
"""Columns of frame `run` that have the values of the newest observation."""


@dataclass(frozen=True)
class Observation:
    """A capture of a run's content.

    `taken_at` is its time (ISO 8601, "" if unknown), `taken_from` the origin of that time.
    `observed_at` and `observed_by` are time and user of its ingest.
    """

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
        """Time of the capture, else of the ingest (ISO 8601)."""
        return self.taken_at or self.observed_at

    @property
    def moment(self) -> tuple[str, str, int]:
        """Sort key of the observations of a run, oldest first: date, time of the ingest, number."""
        return self.date, self.observed_at, self.number

    @property
    def is_dated(self) -> bool:
        """Whether `taken_from` shows that the user or the file gave the time of the capture, which
        is otherwise derived, for example from the ingest (see GIVEN_DATE_ORIGINS).
        """
        return self.taken_from in GIVEN_DATE_ORIGINS

    @property
    def origin(self) -> dict[str, str]:
        """Map columns taken_at, taken_from, commit, branch and file of frame `run` to this
        observation's values.
        """
        return {name: getattr(self, name) for name in _ORIGIN}

    def repeats(self, other: Observation) -> bool:
        """Whether this observation adds no fact to `other`, another observation of the run.

        That is the case if date, commit and branch of this observation each equal those of `other`
        or are unknown here. A date that neither the user nor the file gave counts as unknown.
        """
        same_date = not self.is_dated or (other.is_dated and self.taken_at == other.taken_at)
        return same_date and all(
            getattr(self, name) in ("", getattr(other, name)) for name in ("commit", "branch")
        )


def make_observation(run: Mapping[str, object], by: str = "") -> Observation:
    """Derive the observation from `run`, a row of frame `run`; `by` is the name of the user of the
    ingest.

    Missing texts are "", and the number is 0.
    """
    taken_at, taken_from, commit, branch, file = (plain_text(run.get(name)) for name in _ORIGIN)
    return Observation(
        taken_at, taken_from, commit, branch, file, plain_text(run["created_at"]), plain_text(by)
    )


def add(connection: Connection, run_id: str, new: Observation) -> Observation:
    """Record an observation of a run and return the run's newest observation; the caller holds the
    row's lock.

    An observation without new facts is not stored. An observation with more facts replaces the
    first observation that it extends. If the run has observations and the new observation has no
    date, its date is that of its ingest.
    """
    observations = select_observations(connection, [run_id]).get(run_id, [])
    if observations and not new.taken_at:
        new = replace(new, taken_at=new.observed_at, taken_from="ingest")
    if any(new.repeats(other) for other in observations):
        return max(observations, key=lambda observation: observation.moment)
    lesser = next((other for other in observations if other.repeats(new)), None)
    number = (
        lesser.number if lesser else 1 + max((other.number for other in observations), default=0)
    )
    new = replace(new, number=number)
    if lesser is None:
        connection.execute(insert(OBSERVATIONS), _row(run_id, new))
    else:
        here = (OBSERVATIONS.c.run_id == run_id) & (OBSERVATIONS.c.number == number)
        connection.execute(update(OBSERVATIONS).where(here).values(_row(run_id, new)))
    return max(
        [new, *(other for other in observations if other is not lesser)],
        key=lambda observation: observation.moment,
    )


def add_first(connection: Connection, runs: Iterable[Mapping[str, object]], by: str = "") -> None:
    """Record the observations of up to 500 new runs, derived from their rows of frame `run`.

    A run that has observations already gets another, as by `add`. `by` is the name of the user.
    """
    rows = [(str(run["run_id"]), replace(make_observation(run, by), number=1)) for run in runs]
    observed = select_observations(connection, [run_id for run_id, _ in rows])
    first = [_row(run_id, observation) for run_id, observation in rows if run_id not in observed]
    if first:
        connection.execute(insert(OBSERVATIONS), first)
    for run_id, observation in rows:
        if run_id in observed:
            add(connection, run_id, observation)


def count_each(connection: Connection, runs: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """Map run ids to numbers of observations, at least 1, for up to 500 runs (rows of frame `run`).

    A run without an observation gets an observation from its row of frame `run`, which is stored.
    """
    by_id = {str(run["run_id"]): run for run in runs}
    counts = {
        row.run_id: row.observations for row in connection.execute(_COUNTS, {"ids": [*by_id]})
    }
    missing = sorted(by_id.keys() - counts.keys())
    if missing:
        rows = [
            _row(run_id, replace(make_observation(by_id[run_id]), number=1)) for run_id in missing
        ]
        connection.execute(insert(OBSERVATIONS), rows)
    return counts | dict.fromkeys(missing, 1)


def select_observations(connection: Connection, ids: Sequence[str]) -> dict[str, list[Observation]]:
    """Map run ids to observations, oldest first, of up to 500 runs.

    Runs without observations are left out.
    """
    by_id: dict[str, list[Observation]] = {}
    for row in connection.execute(_SELECT, {"ids": ids}):
        by_id.setdefault(row.run_id, []).append(_observation(row))
    return {
        run_id: sorted(observations, key=lambda observation: observation.moment)
        for run_id, observations in by_id.items()
    }


def _observation(row: Row[tuple[object, ...]]) -> Observation:
    texts = (
        row.taken_at,
        row.taken_from,
        row.commit,
        row.branch,
        row.file,
        row.observed_at,
        row.observed_by,
    )
    return Observation(*texts, number=row.number)


# Built once: building a statement takes longer than executing it.
_HAS_ID = OBSERVATIONS.c.run_id.in_(bindparam("ids", expanding=True))
_SELECT = select(OBSERVATIONS).where(_HAS_ID)
_COUNTS = (
    select(OBSERVATIONS.c.run_id, func.count().label("observations"))
    .where(_HAS_ID)
    .group_by(OBSERVATIONS.c.run_id)
)


def _row(run_id: str, observation: Observation) -> dict[str, object]:
    return {"run_id": run_id, "date": observation.date, **asdict(observation)}
