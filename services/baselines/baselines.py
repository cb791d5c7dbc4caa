"""Setting, listing and deletion of baselines, and the choice of a run's baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schema.comparison import MAX_RUNS
from schema.likeness import KEY, likeness, run_key
from services.baselines.members import BaselineError, Members, check_baseline_name
from storage.audit import Audit
from storage.baselines import Baseline, Baselines
from storage.repository import Repository
from storage.rules import Rules
from storage.series import SeriesPosition, places, series
from storage.stored_run import StoredRun


def set_baseline(
    repository: Repository, name: str, runs: Sequence[str], last: int | None = None, *, user: str
) -> None:
    """Store a baseline, replacing that of the same name: the given runs, or with `last` that many
    newest runs with the key of the single given run.

    Raises RunNotFound, and BaselineError if the baseline is invalid. The audit log has `user`.
    """
    name = name.strip()
    check_baseline_name(name)
    # `check --baseline NAME` accepts both, so that a name must be unique among them.
    if Rules(repository.catalogue).find(name) is not None:
        raise BaselineError(f"{name!r} is the name of a baseline rule")
    ids = list(dict.fromkeys(runs))
    if not 1 <= len(ids) <= MAX_RUNS:
        raise BaselineError(f"a baseline must have 1 to {MAX_RUNS} runs")
    if last is not None and (len(ids) > 1 or not 1 <= last <= MAX_RUNS):
        raise BaselineError(f"a rolling baseline must have a number of runs from 1 to {MAX_RUNS}")
    keys = [run_key(repository.find_run(run_id).run) for run_id in ids]
    # Runs with different keys do different work, so that their numbers are not comparable.
    differing = [name for name in KEY if len({key[name] for key in keys}) > 1]
    if differing:
        raise BaselineError(
            f"all runs of a baseline must have the same key: these differ in {', '.join(differing)}"
        )
    Baselines(repository.catalogue).set(name, ids, last=last, key=keys[0])
    kind = f"rolling, the last {last} like" if last is not None else "fixed:"
    Audit(repository.catalogue).add(user, "baseline.set", name, f"{kind} {' '.join(ids)}")


def delete_baseline(repository: Repository, name: str, user: str) -> None:
    """Delete a baseline; its runs are unchanged. Raises BaselineNotFound."""
    Baselines(repository.catalogue).delete(name)
    Audit(repository.catalogue).add(user, "baseline.delete", name)


def baseline_runs(
    repository: Repository, name: str, new: Sequence[str] = ()
) -> tuple[list[StoredRun], list[str]]:
    """Return (the runs of a baseline that new runs are compared with, the ids of its deleted runs).

    The members of a rolling baseline are older than the new runs; if `new` is empty, they are its
    newest runs. Raises BaselineNotFound, and BaselineError if no run is left.
    """
    members = Members(repository.catalogue, Baselines(repository.catalogue).get(name))
    positions = members.before(known_places(repository, new))
    return [repository.find_run(member.run_id) for member in positions], members.deleted


def known_places(repository: Repository, runs: Sequence[str]) -> list[SeriesPosition]:
    """Return the newest position of each run in the series of its key: one for each entry of
    `runs`, in the same order.

    Raises RunNotFound, and RunDamaged.
    """
    position_by_run = places(repository.catalogue, runs)
    return [position_by_run[repository.find_run(run_id).run_id] for run_id in runs]


def previous_run(repository: Repository, run_id: str) -> str | None:
    """Return the id of the newest other run of the same key that is older and has no impossible
    rates; `None` if there is none.

    Raises RunNotFound.
    """
    (place,) = known_places(repository, [run_id])
    older = [
        other
        for other in series(repository.catalogue, place.likeness)
        # A run that was captured several times has a position for each capture.
        if other < place and other.run_id != place.run_id and not other.impossible
    ]
    return older[-1].run_id if older else None


def find_baseline_name(repository: Repository, run_id: str) -> str | None:
    """Return the name of the baseline of a run, see `chosen_baselines`; `None` if it has none.

    Raises RunNotFound.
    """
    chosen = chosen_baselines(repository).get(likeness(run_key(repository.find_run(run_id).run)))
    return chosen.name if chosen else None


def chosen_baselines(repository: Repository) -> dict[str, Baseline]:
    """Map each likeness (hash of a key) to the baseline of its runs: of several baselines the most
    recently set. Likenesses without baseline, and baselines of unknown key, are left out.
    """
    by_time = sorted(
        Baselines(repository.catalogue).all(),
        key=lambda baseline: (baseline.changed_at, baseline.name),
    )
    keys = [(known_key(repository, baseline), baseline) for baseline in by_time]
    # A later entry replaces an earlier one: the baseline that was set last applies.
    return {likeness(key): baseline for key, baseline in keys if key is not None}


@dataclass(frozen=True)
class Described:
    """A baseline for display: `runs` are the runs that a new run would be compared with."""

    name: str
    changed_at: str
    last: int | None
    key: Mapping[str, str]
    runs: list[str]
    deleted: list[str]

    @property
    def kind(self) -> str:
        """Kind of the baseline: `fixed` or `rolling`."""
        return "fixed" if self.last is None else "rolling"

    @property
    def key_text(self) -> str:
        """The common key of the baseline's runs as `name=value` parts in a line, without empty
        values; "" if the key is unknown.
        """
        return " ".join(
            f"{name}={value}" for name, value in self.key.items() if value not in ("", "None")
        )

    def record(self) -> dict[str, object]:
        """Convert the baseline to JSON types: `kind` and all fields of the class by name."""
        return {"kind": self.kind, **vars(self)}


def describe_baselines(repository: Repository) -> list[Described]:
    """Return all baselines with their runs, by name; empty if there are no baselines."""
    return [_describe(repository, baseline) for baseline in Baselines(repository.catalogue).all()]


def _describe(repository: Repository, baseline: Baseline) -> Described:
    members = Members(repository.catalogue, baseline)
    key = known_key(repository, baseline) or {}
    return Described(
        baseline.name, baseline.changed_at, baseline.last, key, members.now(), members.deleted
    )


def known_key(repository: Repository, baseline: Baseline) -> Mapping[str, str] | None:
    """Return the key of a baseline, column -> value as text.

    If an older release stored none, it is the key of its first run that still exists; `None` if
    there is no such run or it is damaged.
    """
    if baseline.key is not None:
        return baseline.key
    positions = places(repository.catalogue, baseline.runs)
    first = next((run_id for run_id in baseline.runs if run_id in positions), None)
    stored = repository.catalogue.get(first) if first else None
    return run_key(stored.run) if stored and not stored.damaged else None
