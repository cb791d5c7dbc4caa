"""The view state of the program page; the declarations of its fields define its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.views.address.fields import choices_param, param, selections_param
from app.views.address.kinds import Numbers, Whole, Words
from app.views.address.selections import ViewSelections
from app.views.address.view_state import ViewState

_MAX_LENGTH = 200
_MAX_FOLDED = 50
_DIGITS = 15
_NUMBER = Whole(_DIGITS)


@dataclass(frozen=True)
class ProgramState(ViewState):
    """The view state of the program page.

    Every field is canonical, so that equal states have equal queries. `context` and `step` are None
    for the first that has matches. `node` is the name of a node (see
    `analysis.program.state.State.names`), `folded` are nodes with hidden operands, and `opened` the
    groups of equal parts that are drawn as separate boxes. `program` is the program for the views
    of code, None for the context's, and `block` the selected block of its machine code. `find` are
    the words of highlighted nodes. `trace` is the displayed thread trace and `wave` the wave with
    the listed instructions; None for the trace or wave with most instructions.
    """

    context: int | None = param(_NUMBER)
    step: int | None = param(_NUMBER)
    match: int = param(_NUMBER, 0)
    node: int | None = param(_NUMBER)
    program: int | None = param(_NUMBER)
    block: int | None = param(_NUMBER)
    find: str = param(Words(_MAX_LENGTH), "")
    folded: tuple[int, ...] = param(Numbers(_MAX_FOLDED, _DIGITS), ())
    opened: tuple[int, ...] = param(Numbers(_MAX_FOLDED, _DIGITS), ())
    trace: int | None = param(_NUMBER)
    wave: int | None = param(_NUMBER)
    view_selections: ViewSelections = selections_param()
    chosen: Mapping[str, str] = choices_param()

    @property
    def selects_nothing(self) -> bool:
        """Whether no node or block is selected and the search is empty."""
        return self.node is None and self.block is None and not self.find


def at_context(state: ProgramState, context: int) -> ProgramState:
    """Return the state for the beginning of another context; only the options are kept."""
    # Node, match and folding belong to the previous context, so that only options stay.
    return ProgramState(context=context, chosen=state.chosen)


def at_step(state: ProgramState, context: int, step: int) -> ProgramState:
    """Return the state for the beginning (match 0) of step `step` of a context; only search words
    and options are kept.
    """
    return ProgramState(context=context, step=step, find=state.find, chosen=state.chosen)


def at_match(state: ProgramState, match: int) -> ProgramState:
    """Return the state after another match of the step; selected node and folding stay."""
    return replace(state, match=match)


def at_node(state: ProgramState, node: int | None) -> ProgramState:
    """Return the state with a node selected, or cleared if it is already selected."""
    return replace(state, node=None if node == state.node else node)


def at_trace(state: ProgramState, trace: int, program: int | None) -> ProgramState:
    """Return the state for another thread trace and its program; the wave is reset to the default."""
    return replace(state, trace=trace, wave=None, program=program)


def at_wave(state: ProgramState, wave: int) -> ProgramState:
    """Return the state that lists the instructions of another wave."""
    return replace(state, wave=wave)


def fold_toggled(state: ProgramState, node: int) -> ProgramState:
    """Return the state with the operands of a node hidden, or shown again if they were hidden.

    The result is unchanged if more than 50 nodes (_MAX_FOLDED) would be folded.
    """
    folded = set(state.folded) ^ {node}
    return replace(state, folded=tuple(sorted(folded))) if len(folded) <= _MAX_FOLDED else state


def clear_part(state: ProgramState) -> ProgramState:
    """Return the state without selected node, block, search words, folding and selections of views;
    the displayed step and match are kept.
    """
    shown = replace(state, node=None, block=None, find="", folded=(), opened=())
    return replace(shown, view_selections=ViewSelections())
