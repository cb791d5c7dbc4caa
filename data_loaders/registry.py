"""Registry of loaders, which also chooses the loader for a file.

Built-in loaders and those of installed packages (entry point group `tilescope.loaders`) share one registry;
a loader's module is imported on first use.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import cast

from data_loaders.plugins import PluginError, PluginLoader, check_loader, make_loader
from data_loaders.protocol import Isolating, Loader, LoadError
from data_loaders.reading.files import read_head
from data_loaders.reading.limits import Limits
from schema.plugin_api import LOADERS
from schema.sources import SOURCES, Source

_OF_THIS_PROCESS: dict[str, Loader] = {}
"""Loaders registered in this process without an entry point; keys are loader names."""
_BROKEN = ("failed while looking at it", "loader ")
"""Prefixes of the rejection reasons of loaders that fail."""

_LOG = logging.getLogger(__name__)


class NoLoaderError(LoadError):
    """No loader, or more than one, claims the file."""


def loader_names() -> list[str]:
    """Return the names of all loaders, built-in ones first."""
    return list(_factories())


def get_loader(name: str) -> Loader:
    """Return the loader called `name`; raise LoadError if it does not exist or cannot be imported."""
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
    """Return the loader within the limits of its reading process; unchanged if it has no such process."""
    return loader.with_limits(limits) if isinstance(loader, Isolating) else loader


def choose(path: Path, name: str | None = None) -> Loader:
    """Return the loader that claims the file's content, or the one called `name` without asking it.

    Raises NoLoaderError, with the refusal that says most, where none or several claim it, LoadError where the file
    cannot be read.
    """
    if name is not None:
        return get_loader(name)
    answers = sniff(path)
    claims = [name for name, refusal in answers.items() if refusal is None]
    if len(claims) == 1:
        return get_loader(claims[0])
    if claims:
        raise NoLoaderError(f"more than one loader claims it ({', '.join(claims)}); name one with --loader")
    if len(answers) > 1 and len(set(answers.values())) == 1:
        raise NoLoaderError(f"no loader reads it: {next(iter(answers.values()))}")
    raise NoLoaderError(f"no loader reads it: {_telling(path, answers)}")


def _telling(path: Path, answers: Mapping[str, str | None]) -> str:
    """Return the refusals that help most, those of loaders whose files end so, and which loaders did not work."""
    likely = [f"{name}: {answers[name]}" for name in _by_suffix(path) if name in answers]
    broken = [f"{name}: {answer}" for name, answer in answers.items() if answer and answer.startswith(_BROKEN)]
    return "; ".join(dict.fromkeys([*(likely or [f"its content is none of {', '.join(answers)}"]), *broken]))


def sniff(path: Path) -> dict[str, str | None]:
    """Map each loader's name to None if it can read the file, otherwise to its reason for rejection."""
    head = read_head(path)
    if not head:
        return dict.fromkeys(loader_names(), "the file is empty")
    return {name: _answer(name, path, head) for name in loader_names()}


def _by_suffix(path: Path) -> list[str]:
    """List the sources whose file suffixes match the last matching suffix of the path."""
    ends = [[source.name for source in SOURCES if suffix in source.suffixes] for suffix in reversed(path.suffixes)]
    return next(filter(None, ends), [])


def _answer(name: str, path: Path, head: bytes) -> str | None:
    try:
        return get_loader(name).sniff(path, head)
    except LoadError as error:
        return str(error)
    except Exception as error:  # a broken third-party loader must not stop the others
        _LOG.debug("loader %s sniffing %s", name, path, exc_info=True)
        return f"{_BROKEN[0]} ({type(error).__name__})"


@cache
def _factories() -> Mapping[str, Callable[[], Loader]]:
    """Map loader names to factories; a plugin cannot replace a built-in loader."""
    found: dict[str, Callable[[], Loader]] = {
        source.name: cache(partial(_from_module, source.loader)) for source in SOURCES
    }
    for point in loader_points():
        if point.name in found:
            _LOG.warning("loader %s of %s is ignored: the name is taken", point.name, point.value)
            continue
        found[point.name] = partial(_from_entry_point, point)
    return MappingProxyType(found | {name: partial(_same_loader, loader) for name, loader in _OF_THIS_PROCESS.items()})


def _same_loader(loader: Loader) -> Loader:
    return loader


@contextmanager
def known_here(loader: object, name: str) -> Iterator[Loader]:
    """Register a loader without an entry point until the context ends; raises PluginError if invalid."""
    check_loader(loader, name)
    _OF_THIS_PROCESS[name] = made = PluginLoader(loader)
    _factories.cache_clear()
    try:
        yield made
    finally:
        del _OF_THIS_PROCESS[name]
        _factories.cache_clear()


def loader_points() -> list[EntryPoint]:
    """List the entry points of plugin loaders, sorted by name and value."""
    return sorted(entry_points(group=LOADERS), key=lambda point: (point.name, point.value))


def loader_error(point: EntryPoint) -> str:
    """Return why the loader of an entry point is left out, as the end of a sentence; "" where it is not."""
    firsts = {one.name: one for one in reversed(loader_points())}
    if any(point.name == source.name for source in SOURCES) or firsts[point.name].value != point.value:
        return "has a name that is taken"
    loaded = _from_point(point)
    return str(loaded) if isinstance(loaded, PluginError) else ""


def plugin_loaders() -> list[PluginLoader]:
    """List the plugin loaders that can be imported."""
    found = []
    for point in loader_points():
        try:
            loader = get_loader(point.name)
        except LoadError:
            continue
        if isinstance(loader, PluginLoader) and loader not in found:
            found.append(loader)
    return found


def plugin_sources() -> list[Source]:
    """Build a Source record for each plugin loader."""
    return [Source(one.name, one.title, reads=one.reads, how_to=one.how_to) for one in plugin_loaders()]


def missing_loader(source: str) -> str:
    """Return why runs of a source have no loader, as the end of a sentence; "" where they have one."""
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
