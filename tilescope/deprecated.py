"""Earlier names of the plugin API, which release 0.3.0 renamed; the next release removes them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dash.development.base_component import Component

from app.views import view
from components.figure import Figure

_DEPTH = 3
"""Frames between a warning and the line of the plugin."""


@dataclass(frozen=True, init=False)
class Panel(view.Panel):
    """A drawn plot: figure, caption, and a note about data that the figure leaves out.

    `answer` is the earlier name of `caption`.
    """

    def __init__(
        self, figure: Figure, caption: str = "", line: str = "", *, answer: str | None = None
    ) -> None:
        super().__init__(figure, _choose_caption(caption, answer), line)


@dataclass(frozen=True, init=False)
class Part(view.Part):
    """The body of a content view and its caption; `body` is None if the view is empty.

    `answer` is the earlier name of `caption`.
    """

    def __init__(
        self, body: Component | None, caption: str = "", *, answer: str | None = None
    ) -> None:
        super().__init__(body, _choose_caption(caption, answer))


def find_alias(name: str, aliases: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the object with an earlier name and warn; raises AttributeError if there is none."""
    if name not in aliases:
        raise AttributeError(f"tilescope.plugin has no name {name!r}")
    _warn(f"tilescope.plugin.{name} is now {aliases[name].__name__}")
    return aliases[name]


def _choose_caption(caption: str, answer: str | None) -> str:
    if answer is None:
        return caption
    _warn("answer is now caption")
    return answer


def _warn(text: str) -> None:
    warnings.warn(text, DeprecationWarning, stacklevel=_DEPTH + 1)
