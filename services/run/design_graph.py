"""Graph of a design with the lock stalls of its trace, as the text that the browser draws."""

from __future__ import annotations

import json

from analysis.aie.design.graph_columns import Waits, design_columns
from analysis.aie.design.lock_waits import STALL
from services.run.design_results import DesignResults


def waited_locks(design: DesignResults) -> Waits:
    """Map each lock that a traced core waits most for to the cycles of these cores.

    Empty if no trace tells the locks apart. The tile of an objectfifo is "".
    """
    waits: dict[tuple[str, str], dict[str, int]] = {}
    for core in design.cores:
        joined = design.locks(core)
        request = joined.blame.request
        most = [wait for wait in joined.by_lock if wait.request == request]
        for wait in most:
            lock = (wait.request.lock_tile, wait.request.lock)
            waits.setdefault(lock, {})[core] = wait.cycles
    return waits


def design_graph_text(design: DesignResults) -> str:
    """Return the columns of the design's graph as a JSON text.

    `attempts` maps a tile to its memory map in a run that is only a design; else it is empty.
    """
    stalls = {
        core: cycles
        for core in design.cores
        if (cycles := design.stall_cycles(core, STALL)) is not None
    }
    columns = design_columns(design.graph, waited_locks(design), stalls)
    columns["attempts"] = {} if design.has_trace else _map_numbers(design)
    return json.dumps(columns, ensure_ascii=False, separators=(",", ":"))


def _map_numbers(design: DesignResults) -> dict[str, int]:
    if "attempts" not in design.stored:
        return {}
    rows = design.stored["attempts"]
    return dict(zip(rows["level"].astype(str).tolist(), rows["attempt"].tolist(), strict=True))
