"""Read the observations of runs from the catalogue, see `storage.observation`."""

from __future__ import annotations

from collections.abc import Sequence

from storage.catalogue import Catalogue
from storage.observation import Observation, select_observations
from storage.text import is_plain

_BATCH_SIZE = 500
"""Maximum number of run ids per query."""


def read_observations(catalogue: Catalogue, ids: Sequence[str]) -> dict[str, list[Observation]]:
    """Map run ids to observations, oldest first, of any number of runs.

    Runs without observations are left out; empty if there is no catalogue.
    """
    if not catalogue.is_created():
        return {}
    with catalogue.connect() as connection:
        plain = [run_id for run_id in ids if is_plain(run_id)]
        observations: dict[str, list[Observation]] = {}
        for begin in range(0, len(plain), _BATCH_SIZE):
            observations |= select_observations(connection, plain[begin : begin + _BATCH_SIZE])
        return observations
