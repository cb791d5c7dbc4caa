"""What other packages bring: an entry point at a time is imported, and one that fails harms nothing but itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from data_loaders.protocol import Bundle, LoadedRun, Loader, Settings
from schema.plugin_api import API_VERSION

P = ParamSpec("P")
T = TypeVar("T")
_LONGEST = 300
_MEMBERS = ("name", "reads", "setting_names", "version", "sniff", "bundle", "load")


class PluginError(Exception):
    """A plugin cannot be used; the message is the end of a sentence that begins with its name."""


class PluginExitedError(Exception):
    """A plugin tried to end the process that it was called in."""


@contextmanager
def kept_from_exiting() -> Iterator[None]:
    """Raise PluginExitedError where what is called here ends the process, which it may not; signals may."""
    try:
        yield
    except SystemExit as error:
        if type(error) is not SystemExit:
            raise
        raise PluginExitedError(f"it called exit({error.code!r})") from error


def import_point(point: EntryPoint) -> object:
    """Return what an entry point names; raises PluginError."""
    try:
        with kept_from_exiting():
            return point.load()
    except Exception as error:
        raise PluginError(f"cannot be imported: {one_line(error)}") from error


def check_api(version: object) -> None:
    """Raise PluginError where a plugin is made for another version of the API."""
    if version != API_VERSION:
        raise PluginError(f"is made for version {version!r:.40} of the API; this release has {API_VERSION}")


def one_line(error: BaseException) -> str:
    """Return what an exception says, short and in one line."""
    said = " ".join(str(error).split())
    kind = "" if isinstance(error, ImportError) and said else type(error).__name__
    return ": ".join(filter(None, [kind, said]))[:_LONGEST]


def guarded(call: Callable[P, T]) -> Callable[P, T]:
    """Return a function of a plugin as one that cannot end the process."""

    @functools.wraps(call)
    def called(*args: P.args, **named: P.kwargs) -> T:
        with kept_from_exiting():
            return call(*args, **named)

    return called


def make_loader(point: EntryPoint) -> Loader:
    """Return the loader that an entry point names; raises PluginError."""
    made = import_point(point)
    if not callable(made):
        raise PluginError(f"is no loader: {point.value} is no class")
    try:
        with kept_from_exiting():
            loader = made()
    except Exception as error:
        raise PluginError(f"cannot be made: {one_line(error)}") from error
    check_loader(loader, point.name)
    return PluginLoader(loader)


def check_loader(loader: object, name: str) -> None:
    """Raise PluginError where an object is no loader of this name and of this version of the API."""
    check_api(getattr(loader, "api_version", 1))
    missing = [member for member in _MEMBERS if not hasattr(loader, member)]
    if missing:
        raise PluginError(f"is no loader: it has no {', '.join(missing)}")
    if loader.name != name:  # type: ignore[attr-defined]
        raise PluginError(f"calls itself {loader.name!r:.60}")  # type: ignore[attr-defined]


class PluginLoader:
    """A loader of another package, with the members that it may leave out; it cannot end the process."""

    def __init__(self, loader: Any) -> None:  # noqa: ANN401 - what another package makes
        self._loader = loader
        self.name = str(loader.name)
        self.title = str(getattr(loader, "title", "") or loader.name)
        self.reads = str(loader.reads)
        self.how_to = str(getattr(loader, "how_to", ""))
        self.setting_names = frozenset(map(str, loader.setting_names))
        self.version = str(loader.version)

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return None where it can read the file, else why not."""
        answer = guarded(self._loader.sniff)(path, head)
        return None if answer is None else str(answer)

    def bundle(self, path: Path) -> Bundle:
        """Return the run that a file belongs to."""
        found = guarded(self._loader.bundle)(path)
        if not isinstance(found, Bundle):
            raise TypeError(f"loader {self.name} gave {type(found).__name__} for a bundle")
        return found

    def load(
        self, path: Path, settings: Settings, origin: str | None = None, companions: Sequence[Path] = ()
    ) -> LoadedRun:
        """Read the file and its companions."""
        found = guarded(self._loader.load)(path, settings, origin, companions)
        if not isinstance(found, LoadedRun):
            raise TypeError(f"loader {self.name} gave {type(found).__name__} for a run")
        return found
