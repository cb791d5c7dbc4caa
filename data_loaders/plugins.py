"""Import loader plugins from entry points; a failing plugin does not affect other loaders."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from data_loaders.plugin_boundary import PluginBoundary
from data_loaders.protocol import Bundle, LoadedRun, Loader, Settings
from schema.plugin_api import API_VERSION

_MAX_ERROR_CHARS = 300
_MEMBERS = ("name", "reads", "setting_names", "version", "sniff", "bundle", "load")


class PluginError(Exception):
    """A plugin cannot be used.

    The message completes a sentence that begins with the plugin's name.
    """


def import_point(point: EntryPoint) -> object:
    """Import the object that an entry point names; raises PluginError if the import fails."""
    try:
        with PluginBoundary():
            return point.load()
    except Exception as error:
        raise PluginError(f"cannot be imported: {one_line(error)}") from error


def check_api(version: object) -> None:
    """Raise PluginError if `version` is not equal to `API_VERSION`, the only supported version of
    the plugin API.
    """
    if version != API_VERSION:
        raise PluginError(
            f"was written for version {version!r:.40} of the API; this release has {API_VERSION}"
        )


def one_line(error: BaseException) -> str:
    """Format an exception as `Type: text` on one line, cut to 300 characters.

    Without text it is the type only; an ImportError with a text is the text only.
    """
    text = " ".join(str(error).split())
    kind = "" if isinstance(error, ImportError) and text else type(error).__name__
    return ": ".join(filter(None, [kind, text]))[:_MAX_ERROR_CHARS]


def make_loader(point: EntryPoint) -> Loader:
    """Create the loader that an entry point names, wrapped in a PluginLoader.

    Raises PluginError if the import or the call fails, or `check_loader` rejects the result.
    """
    target = import_point(point)
    try:
        with PluginBoundary():
            if not callable(target):
                raise PluginError(f"is not a loader: {point.value} is not a class")
            loader = target()
            check_loader(loader, point.name)
            return PluginLoader(loader)
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(f"cannot be instantiated: {one_line(error)}") from error


def check_loader(loader: object, name: str) -> None:
    """Raise PluginError unless the object has all members of a loader, this `name`, and the version
    of the plugin API.
    """
    check_api(getattr(loader, "api_version", 1))
    missing = [member for member in _MEMBERS if not hasattr(loader, member)]
    if missing:
        raise PluginError(f"is not a loader: it lacks {', '.join(missing)}")
    if loader.name != name:  # type: ignore[attr-defined]
        raise PluginError(f"has the name {loader.name!r:.60}")  # type: ignore[attr-defined]


class PluginLoader:
    """Wrapper of a plugin's loader: adds optional members and keeps it from ending the process."""

    def __init__(self, loader: Any) -> None:  # noqa: ANN401 - what another package makes
        self._loader = loader
        self.name = str(loader.name)
        self.title = str(getattr(loader, "title", "") or loader.name)
        self.reads = str(loader.reads)
        self.how_to = str(getattr(loader, "how_to", ""))
        self.setting_names = frozenset(map(str, loader.setting_names))
        self.version = str(loader.version)

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the plugin's loader can read the file, otherwise its reason for
        rejection.
        """
        with PluginBoundary():
            refusal = self._loader.sniff(path, head)
            return None if refusal is None else str(refusal)

    def bundle(self, path: Path) -> Bundle:
        """Return the bundle that the plugin's loader finds for the file, with its paths converted
        to `Path`.

        Raises TypeError if the plugin returns another type.
        """
        with PluginBoundary():
            bundle = self._loader.bundle(path)
            if not isinstance(bundle, Bundle):
                raise TypeError(
                    f"loader {self.name} returned {type(bundle).__name__} instead of a bundle"
                )
            return Bundle(Path(bundle.primary), tuple(map(Path, bundle.companions)))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load the file and its companions; raises TypeError if the plugin returns another type."""
        with PluginBoundary():
            run = self._loader.load(path, settings, origin, companions)
            if not isinstance(run, LoadedRun):
                raise TypeError(
                    f"loader {self.name} returned {type(run).__name__} instead of a run"
                )
            return run
