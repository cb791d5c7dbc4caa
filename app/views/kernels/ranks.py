"""View of the ranks of a distributed job, with links to their runs."""

from __future__ import annotations

from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Part, Width
from components.kernels.rank_table import ranks_table
from components.kernels.rank_words import HEADS, rank_cells, ranks_sentence
from components.numbers import count_text
from services.run.capabilities import Capability
from services.run.data import RunData


def ranks_part(data: RunData, _state: RunState) -> Part:
    """Lay out a table with a row per rank of the job; a rank that is another run links to its page."""
    if data.find_ranks is None:
        return Part(None, "")
    ranks = data.find_ranks()
    return Part(ranks_table(ranks, data.run_id), ranks_sentence(ranks))


def ranks_tables(data: RunData, _state: RunState) -> list[Table]:
    """Format a row of texts per rank."""
    if data.find_ranks is None:
        return []
    rows = rank_cells(data.find_ranks())
    return [Table("ranks", count_text(len(rows), "rank"), [(head, "") for head in HEADS], rows)]


RANKS = ContentView(
    id="ranks",
    title="Ranks",
    help="Traces of one folder with different ranks are one job. Busy time and exposed communication are of the "
    "device's window, from its first execution to the last. A rank waits in collectives for the rank that comes last, "
    "whose duration is the shortest. `ranks` has every collective.",
    needs=frozenset({Capability.NAMED_KERNELS}),
    only=lambda data: data.find_ranks is not None,
    group="training steps",
    width=Width.FULL,
    other_runs=lambda data: data.other_runs,
    make=ranks_part,
    tables=ranks_tables,
)
