"""Card of a node: its text, its operands and users as links, and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from analysis.program.labels import called_context
from analysis.program.nodes import NONE
from analysis.program.state import State
from components.numbers import DASH, count_text, integer, shorten, tame

_MAX_LINKS = 60
"""Operands or users that are listed at most."""
_MAX_NAME_CHARACTERS, _MAX_TEXT_CHARACTERS = 60, 2000
"""Characters of a name, and of the node's text, at most."""


@dataclass(frozen=True)
class Origin:
    """Match of the step that made a node, and match that removed it.

    0 if the node existed before the step or is not removed in it; None if there were too many
    states to search.
    """

    made: int | None
    removed: int | None


@dataclass(frozen=True)
class LinkTypes:
    """Types of the ids of the card's buttons.

    `node` selects another node (keys `node`, `rank`, `side`), `fold` hides or shows the operands
    below (key `node`), `match` shows another match (keys `place`, `match`), `context` opens the
    context of a call (key `context`).
    """

    node: str
    fold: str
    match: str
    context: str


def node_card(
    state: State, node: int, origin: Origin, links: LinkTypes, *, folded: bool
) -> html.Div:
    """Build the card of the node with this number in a state of a graph; `folded` means that the
    nodes below it are hidden.

    Operands and users are buttons, at most 60 each.
    """
    nodes = state.nodes
    facts = [
        part
        for label, value in _facts(state, node, origin, links.match)
        for part in (html.Dt(label), html.Dd(value))
    ]
    below = html.Button(
        "Show what is below" if folded else "Fold what is below",
        id={"type": links.fold, "node": state.names[node]},
        className="ts-button",
    )
    return html.Div(
        [
            html.H3(
                [
                    html.Span(nodes.operations[node]),
                    html.Span(f" %{state.names[node]}", className="ts-muted"),
                ]
            ),
            html.Pre(_text(state, node), className="ts-node-text", tabIndex=0),
            html.Dl(facts, className="ts-facts"),
            *_link_to_context(state, node, links.context),
            _links(state, "operands", nodes.sources[node], links.node, ports=True),
            _links(state, "used by", state.users[node], links.node, ports=False),
            *([below] if nodes.sources[node] else []),
        ],
        className="ts-block-card ts-node-card",
    )


def _link_to_context(state: State, node: int, link: str) -> list[Component]:
    """Build the link to the context that compiled the code of a kernel or call, in a list.

    Empty for other nodes, and if the context is unknown.
    """
    context = called_context(state.nodes, node)
    if context == NONE:
        return []
    words = f"context {integer(context)}: {shorten(state.named(context), _MAX_NAME_CHARACTERS)} ›"
    return [html.Button(words, id={"type": link, "context": context}, className="ts-link")]


def _text(state: State, node: int) -> str:
    """Return the node's label without its first line, the operation, which is the heading of the
    card; "no argument" if no other line is left.
    """
    lines = state.labels.label(node).split("\n")[1:]
    return "\n".join(map(tame, lines))[:_MAX_TEXT_CHARACTERS] or "no argument"


def _facts(state: State, node: int, origin: Origin, go: str) -> list[tuple[str, Component | str]]:
    nodes = state.nodes
    change = state.change
    facts: list[tuple[str, Component | str]] = [("kind", state.kind(node))]
    if nodes.tag_text(node):
        facts.append(("tag", shorten(nodes.tag_text(node), _MAX_NAME_CHARACTERS)))
    if nodes.origin(node) != node:
        facts.append(("rebuilt", "its operands were replaced; operation and argument are the same"))
    if node in change.added:
        facts.append(("this match", "made it" if node in change.changed else "rebuilt it"))
    facts.append(("created", _match(origin.made, "before the step", "made", go)))
    facts.append(("removed", _match(origin.removed, "not in this step", "gone", go)))
    return facts


def _match(match: int | None, absent: str, place: str, go: str) -> Component | str:
    if match is None:
        return f"{DASH} too many states to look through"
    if match == 0:
        return absent
    return html.Button(
        f"match {integer(match)}",
        id={"type": go, "place": place, "match": match},
        className="ts-link",
    )


def _links(state: State, title: str, nodes: Sequence[int], link: str, *, ports: bool) -> html.Div:
    """Build the links to at most 60 other nodes below `title`, with ranks as port numbers if
    `ports`; "none" without nodes.
    """
    shown = [node for node in nodes if node != NONE][:_MAX_LINKS]
    buttons = [
        html.Button(
            f"{f'{rank} ' if ports else ''}{_name(state, node)}",
            # A node can be operand twice and user as well; rank and side keep the ids unique.
            id={"type": link, "node": state.names[node], "rank": rank, "side": title},
            className="ts-link ts-mono" + (" ts-muted" if node in state.hidden_nodes else ""),
        )
        for rank, node in enumerate(shown)
    ]
    left = len(nodes) - len(shown)
    more = (
        [html.Span(f"and {count_text(left, 'more node')}", className="ts-muted")]
        if left > 0
        else []
    )
    none = [html.Span("none", className="ts-muted")] if not shown else []
    return html.Div(
        [html.Span(title, className="ts-muted"), *buttons, *more, *none], className="ts-node-links"
    )


def _name(state: State, node: int) -> str:
    argument = " ".join(state.nodes.argument_text(node).split())
    return shorten(f"{state.nodes.operations[node]} {argument}".strip(), _MAX_NAME_CHARACTERS)
