"""Loaders and views of other packages, with their errors, and plugins that are not installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Literal

from app.views.registry import PLUGINS
from data_loaders.registry import loader_error, loader_names, loader_points, plugin_loaders
from storage.catalogue import Catalogue
from storage.run_list import RunList


@dataclass(frozen=True)
class ListedPlugin:
    """A loader, or the views of an entry point.

    `runs` is the number of stored runs that it reads, or for which it has views. `docs` has what a
    loader reads and how to make such files, or the help of each view. `error` is a sentence, "" if
    `state` is ok. The package of a missing plugin is unknown.
    """

    package: str
    version: str
    kind: Literal["loader", "view"]
    name: str
    state: Literal["ok", "failed", "missing"]
    error: str
    docs: list[str]
    runs: int


def list_plugins(catalogue: Catalogue) -> list[ListedPlugin]:
    """List the entry points of loaders, then of views, then the sources of stored runs whose loader
    is missing; empty if there are none.
    """
    runs = RunList(catalogue).sources()
    return [*_loaders(runs), *_views(runs), *_missing(runs)]


def _loaders(runs: Mapping[str, int]) -> list[ListedPlugin]:
    docs = {
        loader.name: [text for text in (loader.reads, loader.how_to) if text]
        for loader in plugin_loaders()
    }
    plugins = []
    for point in loader_points():
        error = loader_error(point)
        details = ([], 0) if error else (docs.get(point.name, []), runs.get(point.name, 0))
        plugins.append(_listing(point, "loader", error, *details))
    return plugins


def _views(runs: Mapping[str, int]) -> list[ListedPlugin]:
    plugins = []
    for plugin in PLUGINS:
        shown = sum(
            count
            for source, count in runs.items()
            if not plugin.sources or source in plugin.sources
        )
        docs = [f"{view.title}: {view.help}" for view in plugin.views]
        plugins.append(
            _listing(plugin.point, "view", plugin.error, docs, 0 if plugin.error else shown)
        )
    return plugins


def _missing(runs: Mapping[str, int]) -> list[ListedPlugin]:
    names = loader_names()
    gone = "Plugin {} is not installed; its runs stay."
    return [
        ListedPlugin("", "", "loader", source, "missing", gone.format(source), [], count)
        for source, count in runs.items()
        if source not in names
    ]


def _listing(
    point: EntryPoint, kind: Literal["loader", "view"], error: str, docs: list[str], runs: int
) -> ListedPlugin:
    package, version = ("", "") if point.dist is None else (point.dist.name, point.dist.version)
    sentence = f"Plugin {point.name} {error.rstrip('.')}." if error else ""
    return ListedPlugin(
        package, version, kind, point.name, "failed" if error else "ok", sentence, docs, runs
    )
