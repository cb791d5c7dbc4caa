"""Registry of loaders; it also chooses the loader for a file.

Built-in loaders and loaders of installed packages (entry point group `tilescope.loaders`) share one
registry; a loader's module is imported on first use.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import cast

from data_loaders.plugins import PluginError, PluginLoader, check_loader, make_loader
from data_loaders.protocol import Isolating, KnownFile, Loader, LoadError
from data_loaders.reading.files import read_head
from data_loaders.reading.json_damage import file_damage
from data_loaders.reading.limits import Limits
from schema.plugin_api import LOADERS
from schema.sources import SOURCES, Source

_PROCESS_LOADERS: dict[str, Loader] = {}
"""Loaders that this process registered without an entry point, by name."""
_FAILURE_STARTS = ("failed while it examined the file", "loader ")
"""First words of the rejection reasons that mean that the loader itself failed."""

_LOG = logging.getLogger(__name__)


class NoLoaderError(LoadError):
    """No loader accepts the file, or several do."""


def loader_names() -> list[str]:
    """List the names of all loaders: built-in loaders, then those of plugins sorted by name, then
    those registered by this process.
    """
    return list(_factories())


def get_loader(name: str) -> Loader:
    """Create or reuse the loader called `name`.

    Raises LoadError if there is no such loader, or it cannot be imported or created.
    """
    factories = _factories()
    if name not in factories:
        raise LoadError(f"there is no loader {name!r}; there are: {', '.join(factories)}")
    try:
        return factories[name]()
    except PluginError as error:
        raise LoadError(f"loader {name!r} {error}") from error
    except Exception as error:
        _LOG.debug("loader %s", name, exc_info=True)
        raise LoadError(f"loader {name!r} cannot be imported: {error}") from error


def limit_loader(loader: Loader, limits: Limits) -> Loader:
    """Apply resource limits to the loader's reading process.

    A loader without such a process is returned unchanged.
    """
    return loader.with_limits(limits) if isinstance(loader, Isolating) else loader


def choose(path: Path, name: str | None = None) -> Loader:
    """Return the loader called `name`; without a name, the only loader that accepts the content.

    Loaders with the file's suffix and those of plugins are examined first, other loaders if none or
    several of these accept the file.

    Raises NoLoaderError, with the rejection reasons of the loaders whose file suffix matches, if no
    loader or more than one accepts the file. Raises LoadError if the file cannot be read or there
    is no loader of that name.
    """
    if name is not None:
        return get_loader(name)
    head = read_head(path)
    # Most files have a suffix of their source, so that the modules of other loaders need no import.
    claims = _claims(_rejections(_likely_loaders(path), path, head))
    if len(claims) == 1:
        return get_loader(claims[0])
    reasons = _rejections(loader_names(), path, head)
    claims = _claims(reasons)
    if len(claims) == 1:
        return get_loader(claims[0])
    if claims:
        raise NoLoaderError(
            f"more than one loader accepts it ({', '.join(claims)}); name one with --loader"
        )
    if len(reasons) > 1 and len(set(reasons.values())) == 1:
        raise NoLoaderError(f"no loader reads it: {next(iter(reasons.values()))}")
    raise NoLoaderError(f"no loader reads it: {_rejection_text(path, reasons)}")


def _rejection_text(path: Path, reasons: Mapping[str, str | None]) -> str:
    """Join the rejection reasons of loaders whose file suffix matches and of loaders that failed,
    with `; ` between.

    If a loader knows what the file is, its reason is the only one. Broken JSON is named first, with
    the byte. If no suffix matches, a list of
    the loaders that rejected the content takes the place of their reasons.
    """
    known = [
        f"{name}: {reason}" for name, reason in reasons.items() if isinstance(reason, KnownFile)
    ]
    if known:
        return "; ".join(known)
    likely = [f"{name}: {reasons[name]}" for name in _suffix_sources(path) if name in reasons]
    broken = [
        f"{name}: {reason}"
        for name, reason in reasons.items()
        if reason and reason.startswith(_FAILURE_STARTS)
    ]
    damage = file_damage(path)
    return "; ".join(
        dict.fromkeys(
            [
                *([damage] if damage else []),
                *(likely or [f"its content does not match any of {', '.join(reasons)}"]),
                *broken,
            ]
        )
    )


def sniff(path: Path) -> dict[str, str | None]:
    """Map each loader's name to its reason for rejection, `None` if it can read the file.

    If the file is empty, all reasons are "the file is empty"; an error of a loader becomes its
    reason. Raises LoadError if the file cannot be opened.
    """
    return _rejections(loader_names(), path, read_head(path))


def _rejections(names: Iterable[str], path: Path, head: bytes) -> dict[str, str | None]:
    """Map these loaders to their reasons as `sniff` does."""
    if not head:
        return dict.fromkeys(names, "the file is empty")
    return {name: _rejection(name, path, head) for name in names}


def _claims(reasons: Mapping[str, str | None]) -> list[str]:
    """List the loaders that accept a file."""
    return [name for name, reason in reasons.items() if reason is None]


def _likely_loaders(path: Path) -> list[str]:
    """List the built-in loaders with the file's suffix, then all loaders that are not built in."""
    own = {source.name for source in SOURCES}
    return [*_suffix_sources(path), *(name for name in loader_names() if name not in own)]


def _suffix_sources(path: Path) -> list[str]:
    """List the names of the sources to which the file's last suffix belongs.

    If there are none, the suffix before it is looked up, and so on; empty if no suffix matches.
    """
    for suffix in reversed(path.suffixes):
        matches = [source.name for source in SOURCES if suffix in source.suffixes]
        if matches:
            return matches
    return []


def _rejection(name: str, path: Path, head: bytes) -> str | None:
    """Return the loader's reason for rejecting the file, `None` if it can read it.

    An exception of the loader becomes the reason.
    """
    try:
        return get_loader(name).sniff(path, head)
    except LoadError as error:
        return str(error)
    except Exception as error:  # a broken third-party loader must not stop other loaders
        _LOG.debug("loader %s sniffing %s", name, path, exc_info=True)
        return f"{_FAILURE_STARTS[0]} ({type(error).__name__})"


@cache
def _factories() -> Mapping[str, Callable[[], Loader]]:
    """Map loader names to functions that return the loader.

    A plugin cannot replace a built-in loader.
    """
    factories: dict[str, Callable[[], Loader]] = {
        source.name: cache(partial(_from_module, source.loader)) for source in SOURCES
    }
    for point in loader_points():
        if point.name in factories:
            _LOG.warning(
                "loader %s of %s is ignored: another loader has this name", point.name, point.value
            )
            continue
        factories[point.name] = partial(_from_entry_point, point)
    for name, loader in _PROCESS_LOADERS.items():
        factories[name] = partial(_same_loader, loader)
    return MappingProxyType(factories)


def _same_loader(loader: Loader) -> Loader:
    return loader


@contextmanager
def registered_loader(loader: object, name: str) -> Iterator[Loader]:
    """Register a loader without an entry point until the context ends.

    The context's value is its PluginLoader. Raises PluginError if `check_loader` rejects the
    loader.
    """
    check_loader(loader, name)
    wrapped = PluginLoader(loader)
    _PROCESS_LOADERS[name] = wrapped
    _factories.cache_clear()
    try:
        yield wrapped
    finally:
        del _PROCESS_LOADERS[name]
        _factories.cache_clear()


def loader_points() -> list[EntryPoint]:
    """List the entry points of plugin loaders, sorted by name and value."""
    return sorted(entry_points(group=LOADERS), key=lambda point: (point.name, point.value))


def loader_error(point: EntryPoint) -> str:
    """Return why the loader of an entry point is unusable, as the end of a sentence that begins
    with its name.

    Returns "" if it works.
    """
    # Of entry points with one name the first in sorted order counts, so it is inserted last.
    first_points = {entry.name: entry for entry in reversed(loader_points())}
    if (
        any(point.name == source.name for source in SOURCES)
        or first_points[point.name].value != point.value
    ):
        return "has a name that another loader uses"
    loaded = _from_point(point)
    return str(loaded) if isinstance(loaded, PluginError) else ""


def plugin_loaders() -> list[PluginLoader]:
    """List the plugin loaders that can be imported, sorted by name, without duplicates."""
    built_in = {source.name for source in SOURCES}
    loaders: list[PluginLoader] = []
    # Not `loader_points`, which reads files of all installed packages.
    for name in _factories():
        if name in built_in:
            continue
        try:
            loader = get_loader(name)
        except LoadError:
            continue
        if isinstance(loader, PluginLoader) and loader not in loaders:
            loaders.append(loader)
    return loaders


def plugin_sources() -> list[Source]:
    """Build a Source record (name, title, `reads`, `how_to`) for each plugin loader that can be
    imported.
    """
    return [
        Source(loader.name, loader.title, reads=loader.reads, how_to=loader.how_to)
        for loader in plugin_loaders()
    ]


def missing_loader(source: str) -> str:
    """Return why the loader of a source is unavailable, as the end of a sentence: "is not
    installed" or "does not work (...)".

    Returns "" if it is available.
    """
    if source not in loader_names():
        return "is not installed"
    try:
        get_loader(source)
    except LoadError as error:
        return f"does not work ({error})"
    return ""


def _from_module(target: str) -> Loader:
    module, _, attribute = target.partition(":")
    return cast("Loader", getattr(import_module(module), attribute)())


def _from_entry_point(point: EntryPoint) -> Loader:
    loaded = _from_point(point)
    if isinstance(loaded, PluginError):
        raise loaded
    return loaded


@cache
def _from_point(point: EntryPoint) -> Loader | PluginError:
    """Create the loader of an entry point, or return the error; the result is cached."""
    try:
        return make_loader(point)
    except PluginError as error:
        _LOG.debug("loader %s", point.name, exc_info=True)
        return error
