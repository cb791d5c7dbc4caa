"""View of the call stacks that allocated the blocks alive at the step cursor."""

from __future__ import annotations

import pandas as pd

from analysis.memory.alive import alive
from analysis.memory.alive_stacks import bytes_by_stack, call_paths, stack_tree
from analysis.memory.cursor import cursor
from app.views.memory import actions
from app.views.memory.shown import shown_map
from app.views.state import RunState
from app.views.text_tables import Table, rows_tables
from app.views.view import Click, Panel, Plot, Width, custom, whole
from components.graph import nothing
from components.memory.stack_flame import stack_flame, stacks_caption
from components.memory.step_captions import step_words
from components.numbers import missing
from services.run.capabilities import Capability
from services.run.data import RunData


def stacks_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the call stacks that allocated the blocks alive at the step cursor, as a flame graph by
    bytes; an empty figure and a sentence without attempt.
    """
    shown = shown_map(data, state)
    if shown is None:
        return Panel(nothing(theme), "This run has no allocation attempt.")
    step = cursor(shown, state.memory)
    calls = data.frame("calls")
    by_stack = bytes_by_stack(alive(shown, step))
    # The caption only needs the stack with most bytes, which comes first.
    paths = call_paths(calls, by_stack["stack"].dropna().astype("int64").tolist()[:1])
    at = step_words(shown, step, chosen=state.memory.step == step)
    return Panel(
        stack_flame(stack_tree(by_stack, calls), theme), stacks_caption(by_stack, paths, at)
    )


def stacks_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the call stacks that allocated the live blocks, with bytes and blocks,
    most bytes first; empty without live blocks.
    """
    shown = shown_map(data, state)
    if shown is None:
        return []
    step = cursor(shown, state.memory)
    by_stack = bytes_by_stack(alive(shown, step))
    paths = call_paths(data.frame("calls"), by_stack["stack"].dropna().astype("int64").tolist())
    lines = [
        " > ".join(paths.get(-1 if pd.isna(stack) else int(stack), []))
        for stack in by_stack["stack"]
    ]
    rows = by_stack[["total", "blocks"]].rename(columns={"total": "bytes"}).assign(stack=lines)
    title = f"call stacks of what is alive in {shown.label} at step {step}"
    return rows_tables(title, rows)


def block_calls(data: RunData, block: pd.Series) -> list[str]:
    """Return the calls of the stack that allocated a block, outermost first; empty if unknown."""
    stack = block.get("stack")
    if missing(stack):
        return []
    return call_paths(data.frame("calls"), [int(stack)]).get(int(stack), [])


def _parse_click(click: Click) -> dict[str, int]:
    block = whole(next(iter(custom(click)), None))
    return {} if block is None or block < 0 else {"block": block}


STACKS = Plot(
    id="stacks",
    title="Alive by call stack",
    help=(
        "The call stacks that allocated the blocks alive at the step cursor, or at the peak: the outermost "
        "call is above, its width is the allocated bytes. Click selects the largest block."
    ),
    needs=frozenset({Capability.ADDRESSES, Capability.CALL_STACKS}),
    group="memory",
    width=Width.FULL,
    draw=stacks_panel,
    tables=stacks_tables,
    on_click=actions.on_plot(_parse_click),
)
