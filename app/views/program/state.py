"""The view state of the page of a run's programs as a query string, both ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from app.views.state import Choices, covering, range_of, range_text

_LONGEST = 200
_MOST_FOLDED = 50
_FARTHEST = 10**7
_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
_WHOLE = ("context", "step", "match", "node", "program", "trace", "wave")


@dataclass(frozen=True)
class ProgramState:
    """What the page shows; every field is canonical, so that equal states have equal queries.

    `context` and `step` are None for the first that has matches, `node` is a name of a node (see
    `analysis.program.state.State.names`), `folded` are those whose operands are left out. `program` is the one whose
    code is shown, None for the context's. `find` are the words that nodes are lit up by. `layers` and `rows` are
    what of the picture is in view, in `components.program.graph_picture.UNIT`s. `trace` is the thread trace on display
    and `wave` the one of it whose instructions are listed, None for those that tell most.
    """

    context: int | None = None
    step: int | None = None
    match: int = 0
    node: int | None = None
    program: int | None = None
    find: str = ""
    folded: tuple[int, ...] = ()
    layers: tuple[int, int] | None = None
    rows: tuple[int, int] | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    trace: int | None = None
    wave: int | None = None

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        pairs: list[tuple[str, object]] = [
            ("context", self.context),
            ("step", self.step),
            ("match", self.match or None),
            ("node", self.node),
            ("program", self.program),
            ("find", self.find or None),
            ("folded", ",".join(map(str, self.folded)) or None),
            ("layers", range_text(self.layers)),
            ("rows", range_text(self.rows)),
            ("trace", self.trace),
            ("wave", self.wave),
            *sorted(self.chosen.items()),
        ]
        return urlencode([(key, value) for key, value in pairs if value is not None], safe=",")

    @property
    def selects_nothing(self) -> bool:
        """Return whether no node is selected or looked for."""
        return self.node is None and not self.find


def parse(query: str, choices: Choices = MappingProxyType({})) -> ProgramState:
    """Return the state that a query string names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    values = dict(parse_qsl(text))
    whole = {key: int(values[key]) for key in _WHOLE if _NUMBER.fullmatch(values.get(key, ""))}
    folded = [int(part) for part in values.get("folded", "").split(",") if _NUMBER.fullmatch(part)]
    return ProgramState(
        context=whole.get("context"),
        step=whole.get("step"),
        match=whole.get("match", 0),
        node=whole.get("node"),
        program=whole.get("program"),
        find=" ".join(values.get("find", "").split())[:_LONGEST].strip(),
        folded=tuple(sorted(set(folded)))[:_MOST_FOLDED],
        layers=range_of(values.get("layers", "")),
        rows=range_of(values.get("rows", "")),
        chosen={name: values[name] for name, known in sorted(choices.items()) if values.get(name) in known[1:]},
        trace=whole.get("trace"),
        wave=whole.get("wave"),
    )


def at_context(state: ProgramState, context: int) -> ProgramState:
    """Return the state of another context, from its beginning."""
    return ProgramState(context=context, chosen=state.chosen)


def at_step(state: ProgramState, context: int, step: int) -> ProgramState:
    """Return the state of another step, from how it began."""
    return ProgramState(context=context, step=step, find=state.find, chosen=state.chosen)


def at_match(state: ProgramState, match: int) -> ProgramState:
    """Return the state after another match of the step; node and folding stay."""
    return replace(state, match=match)


def at_node(state: ProgramState, node: int | None) -> ProgramState:
    """Return the state with a node selected; the same one again clears it."""
    return replace(state, node=None if node == state.node else node)


def at_trace(state: ProgramState, trace: int, program: int | None) -> ProgramState:
    """Return the state of another thread trace, with the program that it is of."""
    return replace(state, trace=trace, wave=None, program=program)


def at_wave(state: ProgramState, wave: int) -> ProgramState:
    """Return the state with the instructions of another wave."""
    return replace(state, wave=wave)


def fold_toggled(state: ProgramState, node: int) -> ProgramState:
    """Return the state with what is below a node folded away, or there again; the same where too many are."""
    folded = set(state.folded) ^ {node}
    return replace(state, folded=tuple(sorted(folded))) if len(folded) <= _MOST_FOLDED else state


def zoomed(state: ProgramState, zoom: Mapping[str, Any]) -> ProgramState:
    """Take the ranges that the picture was zoomed to; None shows everything, what is not named stays."""
    layers, rows = (
        covering(zoom[name], -_FARTHEST, _FARTHEST) if name in zoom else getattr(state, name)
        for name in ("layers", "rows")
    )
    return replace(state, layers=layers, rows=rows)


def cleared(state: ProgramState) -> ProgramState:
    """Return the state without node, words, folding and zoom."""
    return replace(state, node=None, find="", folded=(), layers=None, rows=None)
