"""Listings of runs as the repository gives them, made by hand."""

from schema.metrics import METRICS
from schema.runs import RUN
from storage.repository import runs_frame


def runs_listing(*rows):
    """Return a listing with a row per dict; what is not given is missing, M, K and N are 64."""
    return runs_frame([_record(rank, row) for rank, row in enumerate(rows)])


def _record(rank, row):
    blank = dict.fromkeys([*RUN.names, *METRICS])
    given = {"run_id": f"{rank:064x}", "source": "aie", "name": f"run {rank}", "M": 64, "K": 64, "N": 64, "tags": ""}
    return blank | given | {"errors": 0, "warnings": 0, "created_at": f"2026-11-{rank + 1:02d}T10:00:00+00:00"} | row
