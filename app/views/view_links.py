"""Links from the top of a page to the cards of its views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.aria import aria


@dataclass(frozen=True)
class CardLink:
    """A link to the card with an id on the same page; hidden while the card is."""

    id: str
    title: str
    hidden: bool = False


def card_links(groups: Sequence[Component], titles: Mapping[str, str]) -> list[CardLink]:
    """List the cards in laid out groups of views in the order of the page; `titles` maps view id to
    title.
    """
    # Components have their properties as attributes, which their types do not name.
    cards: list[Any] = [card for group in groups for card in _cards(group)]
    return [
        CardLink(card.id, titles[card.id], bool(getattr(card, "hidden", False))) for card in cards
    ]


def view_links(links: Sequence[CardLink]) -> html.Nav:
    """Lay out links to the cards of a page; `assets/anchors.js` scrolls to them."""
    anchors = [html.A(link.title, href=f"#{link.id}", hidden=link.hidden) for link in links]
    return html.Nav(anchors, className="ts-view-links", **aria(label="Views of this page"))


def _cards(part: Component) -> Iterator[html.Section]:
    if isinstance(part, html.Section):
        yield part
        return
    for child in getattr(part, "children", None) or ():
        yield from _cards(child)
