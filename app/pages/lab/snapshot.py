"""Write a state of the lab as a single HTML file that works offline."""

from __future__ import annotations

from analysis.allocators.listed import strategy_label
from analysis.allocators.what_if import Changes
from app.pages.snapshot_file import write_run_page
from app.views.lab.registry import LAB
from app.views.lab.state import LabState, order_text
from app.views.lab.view import picked_placement
from app.views.lab.words import result_sentence
from components.numbers import count_text
from services.lab.data import LabData


def lab_html(data: LabData, state: LabState) -> str:
    """Return the text of an HTML file with problem, results and map for a view state; the file
    makes no network requests.
    """
    texts = {"selection": _question(data, state), "selected": _result(data, state)}
    return write_run_page(LAB, data, state, data.run, "Lab:", **texts)


def _question(data: LabData, state: LabState) -> list[str]:
    where = "" if data.stored_map is None else data.stored_map.label
    room = (
        "the least extent"
        if state.capacity is None
        else f"a capacity of {count_text(state.capacity, 'byte')}"
    )
    words = [
        where,
        strategy_label(state.strategy),
        count_text(state.effort, "placement"),
        f"seed {state.seed}",
        room,
    ]
    return [*words, *(f"{key} {value}" for key, value in _changes(state))]


def _changes(state: LabState) -> list[tuple[str, str]]:
    changes = state.changes
    texts = {
        "fixed": " ".join(f"{block}={place}" for block, place in state.fixed),
        "alignment": "" if changes.alignment is None else str(changes.alignment),
        "views": "" if changes.aliases == Changes().aliases else changes.aliases,
        "outputs in place": "" if changes.in_place == Changes().in_place else changes.in_place,
        "dropped": " ".join(map(str, changes.dropped)),
        "sizes": " ".join(f"{block}={size}" for block, size in changes.sizes),
        "spilled": " ".join(map(str, changes.spilled)),
        "order of steps": order_text(changes.order),
    }
    return [(key, value) for key, value in texts.items() if value]


def _result(data: LabData, state: LabState) -> str:
    """Return the displayed result as a sentence without its period, which the template adds; "" if
    there is no result.
    """
    placement = picked_placement(data, state)
    return "" if placement is None else result_sentence(data, placement).removesuffix(".")
