"""Views of other packages (entry point group `tilescope.views`): their record, loading, checks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from app.views.plugin_view import wrap_view
from app.views.state import RunState
from app.views.view import ContentView, Plot, View
from data_loaders.plugin_boundary import PluginBoundary
from data_loaders.plugins import PluginError, check_api, import_point, one_line
from schema.plugin_api import VIEWS
from services.run.capabilities import Capability

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PARTS = frozenset(
    [
        "alive-grid",
        "attempts-grid",
        "changes",
        "choice",
        "compare",
        "counters-grid",
        "export",
        "grid",
        "groups-clock",
        "groups-grid",
        "groups-told",
        "health",
        "id",
        "interval",
        "kernels-grid",
        "key",
        "notes",
        "pin",
        "progress",
        "selection",
        "sentence",
        "setting",
        "settings",
        "shown",
        "snapshot",
        "step",
        "strip",
        "sweep",
        "table",
        "tag-new",
        "tag-remove",
        "tiling-grid",
        "view",
        "zoom",
    ]
)
"""Parts of the page that are not views; their component ids have the same prefix as ids of views.
"""
_OWN = ("selection", "links")
"""Attributes that only views of this project may set: fields of the address, and callbacks."""


@dataclass(frozen=True)
class ViewPlugin:
    """Views of runs, written for a version of the plugin API.

    `sources` limits the views to runs of these sources; empty for all runs.
    """

    api_version: int
    views: tuple[View, ...]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundPlugin:
    """An entry point of views: its views, or the reason why it was rejected, as the end of a
    sentence.
    """

    point: EntryPoint
    views: tuple[View, ...] = ()
    sources: tuple[str, ...] = ()
    error: str = ""


def find_plugins(built_in: Sequence[View]) -> tuple[FoundPlugin, ...]:
    """Import every entry point of views; a rejected entry point has no views and an error.

    The entry points are sorted by name. Views must not use an id or option of a view in `built_in`
    or of an earlier plugin.
    """
    plugins: list[FoundPlugin] = []
    # Sorted, so that the same plugin gets an id in every process when two plugins claim it.
    for point in sorted(entry_points(group=VIEWS), key=lambda point: (point.name, point.value)):
        taken = [*built_in, *(view for other in plugins for view in other.views)]
        try:
            plugin = check_plugin(import_point(point), taken)
            plugins.append(FoundPlugin(point, _views(plugin), plugin.sources))
        except PluginError as error:
            _LOG.warning("views of plugin %s are left out: it %s", point.name, error)
            plugins.append(FoundPlugin(point, error=str(error)))
    return tuple(plugins)


def check_plugin(plugin: object, taken: Iterable[View]) -> ViewPlugin:
    """Return the plugin if its views are valid and no id or option is already used by the views in
    `taken`; raises PluginError.
    """
    try:
        with PluginBoundary():
            return _checked_plugin(plugin, taken)
    except PluginError:
        raise
    except Exception as error:  # records that hold what their types forbid
        raise PluginError(f"has invalid records: {one_line(error)}") from error


def _checked_plugin(plugin: object, taken: Iterable[View]) -> ViewPlugin:
    if not isinstance(plugin, ViewPlugin):
        raise PluginError(f"is not a ViewPlugin but a {type(plugin).__name__}")
    # First, because the records of another version may have another form.
    check_api(plugin.api_version)
    _check_shape(plugin)
    ids = {view.id for view in taken} | _PARTS
    choices = {choice.name for view in taken for choice in view.choices} | set(
        RunState.__dataclass_fields__
    )
    for view in plugin.views:
        _check_view(view, ids, choices)
        ids.add(view.id)
    return plugin


def _views(plugin: ViewPlugin) -> tuple[View, ...]:
    try:
        with PluginBoundary():
            return tuple(wrap_view(view, plugin.sources) for view in plugin.views)
    except Exception as error:
        raise PluginError(f"has views that cannot be used: {one_line(error)}") from error


def _check_shape(plugin: ViewPlugin) -> None:
    if not plugin.views:
        raise PluginError("has no view")
    for view in plugin.views:
        if not isinstance(view, Plot | ContentView):
            raise PluginError(
                f"has a view that is neither Plot nor ContentView, but {type(view).__name__}"
            )
    if isinstance(plugin.sources, str) or not all(
        isinstance(source, str) for source in plugin.sources
    ):
        raise PluginError("has invalid source names")


def _check_view(view: View, ids: set[str], choices: set[str]) -> None:
    if not isinstance(view.id, str) or not _ID.fullmatch(view.id):
        raise PluginError(
            f"has a view {view.id!r:.60}: ids are lowercase words with dashes between them"
        )
    if view.id in ids:
        raise PluginError(f"has a view {view.id!r}, an id that is already used")
    for text in (view.title, view.help):
        if not isinstance(text, str) or not text.strip():
            raise PluginError(f"has a view {view.id!r} without title or help")
    if not all(isinstance(need, Capability) for need in view.needs):
        raise PluginError(f"has a view {view.id!r} whose needs are not capabilities")
    if any(getattr(view, name) for name in _OWN) or (
        isinstance(view, ContentView) and view.grid is not None
    ):
        raise PluginError(
            f"has a view {view.id!r} with {' or '.join(_OWN)} or a grid, which plugins must not have"
        )
    if isinstance(view, Plot) and view.strip is not None:
        raise PluginError(f"has a plot {view.id!r} with a strip, which plugins must not have")
    for choice in view.choices:
        if choice.name in choices:
            raise PluginError(
                f"has a view {view.id!r} with a choice {choice.name!r}, a name that is already used"
            )
