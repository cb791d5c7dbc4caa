"""Read the runs that measured a commit, from the list of runs and its observations."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from storage.catalogue import Catalogue
from storage.tables import LISTING, OBSERVATIONS


class CommitRun(NamedTuple):
    """A run of a commit as the list of runs has it; `has_results`: it has named numbers."""

    run_id: str
    name: str
    source: str
    hwid: str
    M: int | None
    K: int | None
    N: int | None
    has_results: bool


def runs_of_commit(catalogue: Catalogue, commit: str, most: int) -> list[CommitRun]:
    """List the newest `most` runs that were captured at a commit, newest first, each once; damaged
    runs are left out. Empty for an unknown commit ("") and without a catalogue.
    """
    if not commit or not catalogue.is_created():
        return []
    c = LISTING.c
    names = [name for name in CommitRun._fields if name != "has_results"]
    # The index of the observations finds the few runs of a commit among all runs.
    query = (
        select(*(c[name] for name in names), c.named_numbers)
        .where(
            c.likeness != "",
            c.run_id.in_(select(OBSERVATIONS.c.run_id).where(OBSERVATIONS.c.commit == commit)),
        )
        .order_by(c.date.desc(), c.run_id)
        .limit(most)
    )
    with catalogue.connect() as connection:
        return [
            CommitRun._make((*row[:-1], row[-1] is not None)) for row in connection.execute(query)
        ]
