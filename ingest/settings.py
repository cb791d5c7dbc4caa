"""Settings that every source has, and checks of a user's settings before files are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from data_loaders.memory_banks import bank_count
from data_loaders.memory_settings import capacity_bytes
from data_loaders.protocol import Loader, LoadError, Settings
from data_loaders.registry import get_loader, loader_names
from schema.run_settings import DEVICE, ORIGIN, RATES, SettingError, parse_setting
from schema.run_settings import SETTING_NAMES as RUN_SETTINGS
from schema.runs import GIVEN_DATE_ORIGINS
from storage.stored_run import StoredRun


def check_request(settings: Settings, loader: str | None) -> None:
    """Raise LoadError with one sentence if the loader, a setting or a value is invalid for every
    file.

    A key may begin with a loader's name and a dot. The loader of a file checks the settings again.
    """
    if loader is None and not settings:
        return  # skips importing every loader for its list of settings
    loaders = [get_loader(loader)] if loader is not None else _importable()
    for key, text in settings.items():
        scope, _, name = key.partition(".")
        if scope in loader_names():
            check_keys(get_loader(scope), {name})
        elif not any(key in accepted_settings(other) for other in loaders):
            names = _in_order(set().union(*map(accepted_settings, loaders)))
            raise LoadError(f"there is no setting {key!r}; there are {', '.join(names)}")
        _check_value(name if scope in loader_names() else key, text)


def _importable() -> list[Loader]:
    """List all loaders, built-in loaders first, without third-party loaders that cannot be
    imported.
    """
    loaders = []
    for name in loader_names():
        with suppress(LoadError):
            loaders.append(get_loader(name))
    return loaders


def _check_value(key: str, text: str) -> None:
    if key == "capacity":
        capacity_bytes(text)
    elif key == "banks":
        bank_count(text)
    elif key in {*RUN_SETTINGS, *RATES, *ORIGIN, DEVICE}:
        try:
            parse_setting(key, text)
        except SettingError as error:
            raise LoadError(str(error)) from error


def _in_order(names: Iterable[str]) -> list[str]:
    """Sort names of settings by letter; k comes behind K, whatever order a set has."""
    return sorted(names, key=lambda name: (name.lower(), name))


def accepted_settings(loader: Loader) -> frozenset[str]:
    """Return the keys of the settings of a loader's runs: the loader's own settings, and date,
    commit and branch.
    """
    return loader.setting_names | frozenset(ORIGIN)


def check_keys(loader: Loader, keys: set[str]) -> None:
    """Raise LoadError, for the first in sorted order, if a key is not a setting of the loader's
    runs.
    """
    unknown = sorted(keys - accepted_settings(loader))
    if unknown:
        names = ", ".join(_in_order(accepted_settings(loader)))
        raise LoadError(f"loader {loader.name} has no setting {unknown[0]!r}; it has {names}")


def origin_columns(
    settings: Settings,
    from_file: Mapping[str, object],
    modified_s: float | None,
    before: Mapping[str, object],
) -> dict[str, object]:
    """Compute columns `taken_at`, `taken_from` (setting, file or modified), commit and branch of
    frame `run`; commit and branch are only the user's, unknown columns are missing.

    The user's date has precedence over that in the file (`from_file`, columns from the loader), and
    that over the time of the file's last change, `modified_s` in seconds since 1970; `None` for a
    copy, whose time is meaningless. `before` is frame `run` as stored: of two times of the file the
    earlier is used, unless commit or branch differ, because copies are later. Raises LoadError if a
    setting is invalid.
    """
    origin: dict[str, object] = {**given_origin(settings)}
    if "taken_at" in origin:
        return origin | {"taken_from": "setting"}
    if from_file.get("taken_at"):
        return origin | {"taken_at": from_file["taken_at"], "taken_from": "file"}
    is_same_code = _code_version(before) == _code_version({**from_file, **origin})
    return origin | _date_of_change(modified_s, before if is_same_code else {})


def _code_version(run: Mapping[str, object]) -> tuple[object, object]:
    """Return (commit, branch) of a run, "" for an unknown value."""
    return run.get("commit") or "", run.get("branch") or ""


def _date_of_change(modified_s: float | None, before: Mapping[str, object]) -> dict[str, object]:
    times = (
        []
        if modified_s is None
        else [datetime.fromtimestamp(modified_s, UTC).isoformat(timespec="seconds")]
    )
    times += [str(before["taken_at"])] if before.get("taken_from") == "modified" else []
    return {"taken_at": min(times), "taken_from": "modified"} if times else {}


def given_origin(settings: Settings) -> dict[str, str]:
    """Convert the user's date, commit and branch to the columns of frame `run`.

    Settings that are missing or "" are left out. Raises LoadError if a value is invalid.
    """
    try:
        return {key: str(parse_setting(key, settings[key])) for key in ORIGIN if settings.get(key)}
    except SettingError as error:
        raise LoadError(str(error)) from error


def merged_settings(settings: Settings, old: StoredRun | None) -> dict[str, str]:
    """Merge a user's settings over the settings of the run's previous ingest.

    If the user gives another date, the previous commit and branch are dropped, unless the previous
    date was a guess. Without a previous ingest the result is the user's settings.
    """
    if old is None:
        return dict(settings)
    taken_at = given_origin(settings).get("taken_at")
    is_other = (
        taken_at is not None
        and old.run.get("taken_from") in GIVEN_DATE_ORIGINS
        and taken_at != old.run.get("taken_at")
    )
    return (without_origin(old.settings) if is_other else old.settings) | dict(settings)


def without_origin(settings: Settings) -> dict[str, str]:
    """Return the settings for the loader: all except date, commit and branch."""
    return {key: text for key, text in settings.items() if key not in ORIGIN}


def modification_time(path: Path, origin: str | None) -> float | None:
    """Return the time of a file's last change in seconds since 1970.

    `None` for the copy of an upload (`origin` is its own path).
    """
    return path.stat().st_mtime if origin is None else None
