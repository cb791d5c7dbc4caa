"""Baselines: which runs a name stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from data_loaders.minimalloc.problem import TAG
from storage.baselines import Baselines
from storage.repository import Repository
from storage.stored_run import StoredRun

KEY = ("source", "hwid", "M", "K", "N", "rows", "cols", "tags")
"""What all runs of a baseline have in common."""
_MOST_RUNS = 100
_LONGEST = 100


class BaselineError(ValueError):
    """A baseline cannot be as asked; the message is one sentence for a person."""


def set_baseline(repository: Repository, name: str, runs: Sequence[str]) -> None:
    """Give a name to runs of one key; raises RunNotFound and BaselineError."""
    if not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise BaselineError(f"a baseline's name has 1 to {_LONGEST} printable characters")
    ids = list(dict.fromkeys(runs))
    if not 1 <= len(ids) <= _MOST_RUNS:
        raise BaselineError(f"a baseline has 1 to {_MOST_RUNS} runs")
    stored = [repository.stored(run_id) for run_id in ids]
    keys = [key_of(one.run) for one in stored]
    differing = [name for name in KEY if len({key[name] for key in keys}) > 1]
    if differing:
        raise BaselineError(f"the runs of a baseline are alike: these differ in {', '.join(differing)}")
    Baselines(repository.catalogue).set(name, ids)


def baseline_runs(repository: Repository, name: str) -> tuple[list[StoredRun], list[str]]:
    """Return the runs of a baseline that are there, and the ids of those that were deleted.

    Raises BaselineNotFound, and BaselineError where no run is left.
    """
    ids = Baselines(repository.catalogue).get(name).runs
    known = [run_id for run_id in ids if repository.exists(run_id)]
    if not known:
        raise BaselineError(f"all runs of baseline {name!r} were deleted")
    return [repository.stored(run_id) for run_id in known], [run_id for run_id in ids if run_id not in known]


def key_of(run: Mapping[str, object]) -> dict[str, str]:
    """Return what the runs of a baseline have in common; the loader's tag of a problem changes with it."""
    tags = [tag for tag in str(run.get("tags") or "").split() if not tag.startswith(TAG)]
    return {name: str(run.get(name)) for name in KEY} | {"tags": " ".join(sorted(tags))}
