"""Read the observations of runs from the catalogue, see `storage.observation`."""

from __future__ import annotations

from collections.abc import Sequence

from storage.catalogue import Catalogue
from storage.observation import Observation, by_run
from storage.text import is_plain

_AT_ONCE = 500


def observations_of(catalogue: Catalogue, ids: Sequence[str] | None = None) -> dict[str, list[Observation]]:
    """Read observations by run id, oldest first; of all runs if `ids` is None."""
    if not catalogue.is_created():
        return {}
    with catalogue.connect() as connection:
        if ids is None:
            return by_run(connection, None)
        plain = [run_id for run_id in ids if is_plain(run_id)]
        batches = [plain[begin : begin + _AT_ONCE] for begin in range(0, len(plain), _AT_ONCE)]
        return {run_id: found for batch in batches for run_id, found in by_run(connection, batch).items()}
