"""Check for optional packages that settings require, before the server forks its processes."""

from __future__ import annotations

from importlib.util import find_spec

from app.config.settings import ConfigurationError, Settings
from schema.command import HOSTING
from storage.files import open_files


def check_extras(settings: Settings) -> None:
    """Raise ConfigurationError if authlib or distributed is needed by the settings and missing;
    StorageError if the package of a storage address is.
    """
    requirements = {
        "authlib": ("auth=oidc", settings.auth == "oidc"),
        "distributed": ("dask_scheduler", bool(settings.dask_scheduler)),
    }
    for package, (setting, is_set) in requirements.items():
        if is_set and find_spec(package) is None:
            raise ConfigurationError(f"{setting} needs {package}: install {HOSTING}")
    open_files(settings.frames_url)
    if settings.backup_to:
        open_files(settings.backup_to)
