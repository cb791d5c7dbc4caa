"""Results of large memory maps that the ingest of a run stored, as the data of its page read them."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pandas as pd

from analysis.memory.large_maps import (
    MEMORY_RESULT,
    MEMORY_VERSION,
    STORED_OCCUPANCY,
    read_memory,
    read_occupancy,
)
from schema.frames import Frames
from storage.catalogue import Catalogue
from storage.run_results import RunResults

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class LargeMaps:
    """Stored results of a run: the derived frames of its memory maps, and rows of `occupancy`.

    Either is `None` if the ingest did not store it, or if an older analysis computed it.
    """

    derived: Frames | None = None
    occupancy: pd.DataFrame | None = None


NO_LARGE_MAPS = LargeMaps()
"""Results of a run whose memory maps are computed when they are shown."""


def find_large_maps(catalogue: Catalogue, run_id: str, prefix: str, stored: Frames) -> LargeMaps:
    """Read the results of the ingest for the content with this prefix; `stored` has its frames.

    NO_LARGE_MAPS for a run without large maps, for which the catalogue is not read.
    """
    if STORED_OCCUPANCY not in stored:
        return NO_LARGE_MAPS
    record = RunResults(catalogue, MEMORY_RESULT, MEMORY_VERSION).find(run_id, prefix)
    occupancy = read_occupancy(stored[STORED_OCCUPANCY])
    try:
        derived = None if record is None else read_memory(record, stored)
    except (KeyError, TypeError, ValueError) as error:
        _LOG.warning("the stored memory numbers of run %s are not valid: %s", run_id, error)
        derived = None
    return LargeMaps(derived, occupancy)
