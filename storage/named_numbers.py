"""Read which named numbers the newest runs have, for lists of metrics."""

from __future__ import annotations

from sqlalchemy import select

from schema.result_metrics import PREFIX
from storage.catalogue import Catalogue
from storage.tables import LISTING, RUNS

_MAX_RUNS = 2_000
"""Number of newest runs whose keys are looked at."""
_MAX_SERIES = 50
"""Maximum number of runs whose numbers are read, each the newest of its key and name."""


def newest_named_keys(catalogue: Catalogue) -> list[str]:
    """List the keys of named numbers, without duplicates: the newest runs first, and within a run
    in the order of its file. Empty if there is no catalogue.

    Of the newest 2,000 runs with named numbers, the newest run of each series (key of the run and
    name) is read, for at most 50 series.
    """
    if not catalogue.is_created():
        return []
    c = LISTING.c
    listed = (
        select(c.run_id, c.likeness, c.name, c.stem)
        .where(c.named_numbers.is_not(None))
        .order_by(c.date.desc(), c.run_id.desc())
        .limit(_MAX_RUNS)
    )
    newest: dict[tuple[str, str], str] = {}
    keys: dict[str, None] = {}
    with catalogue.connect() as connection:
        for run_id, likeness, name, stem in connection.execute(listed):
            newest.setdefault((likeness or "", stem or name), run_id)
        ids = [*newest.values()][:_MAX_SERIES]
        chosen = select(RUNS.c.run_id, RUNS.c.headline).where(RUNS.c.run_id.in_(ids))
        headlines = {run_id: headline for run_id, headline in connection.execute(chosen)}  # noqa: C416 - rows are no pairs to mypy
    for run_id in ids:
        headline = headlines.get(run_id)
        if isinstance(headline, dict):
            keys |= dict.fromkeys(key for key in headline if key.startswith(PREFIX))
    return [*keys]
