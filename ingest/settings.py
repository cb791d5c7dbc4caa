"""Settings of every source, and checks of a user's settings before any file is read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from data_loaders.memory_banks import bank_count
from data_loaders.memory_settings import capacity_bytes
from data_loaders.protocol import Loader, LoadError, Settings
from data_loaders.registry import get_loader, loader_names
from schema.run_settings import DEVICE, ORIGIN, RATES, SettingError, parse_setting
from schema.run_settings import SETTING_NAMES as RUN_SETTINGS
from schema.runs import DATED_BY
from storage.stored_run import StoredRun


def check_request(settings: Settings, loader: str | None) -> None:
    """Raise LoadError (one sentence) where no file could be read so: an unknown loader or setting, or a bad value.

    A key may begin with a loader's name and a dot. The loader of a file checks the settings again.
    """
    if loader is None and not settings:
        return  # every loader is imported to ask it for its settings
    loaders = [get_loader(loader)] if loader is not None else _importable()
    for key, text in settings.items():
        scope, _, name = key.partition(".")
        if scope in loader_names():
            check_keys(get_loader(scope), {name})
        elif not any(key in known_to(other) for other in loaders):
            names = sorted(set().union(*map(known_to, loaders)), key=str.lower)
            raise LoadError(f"there is no setting {key!r}; there are {', '.join(names)}")
        _check_value(name if scope in loader_names() else key, text)


def _importable() -> list[Loader]:
    """Return the loaders, without third-party ones that cannot be imported: files are offered to the others."""
    found = []
    for name in loader_names():
        with suppress(LoadError):
            found.append(get_loader(name))
    return found


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


def known_to(loader: Loader) -> frozenset[str]:
    """Return the settings of a loader's runs: its own and those of every source."""
    return loader.setting_names | frozenset(ORIGIN)


def check_keys(loader: Loader, keys: set[str]) -> None:
    """Raise LoadError where a key is no setting of the loader's runs."""
    unknown = sorted(keys - known_to(loader))
    if unknown:
        names = ", ".join(sorted(known_to(loader), key=str.lower))
        raise LoadError(f"loader {loader.name} has no setting {unknown[0]!r}; it has {names}")


def origin_columns(
    settings: Settings, said: Mapping[str, object], modified_s: float | None, before: Mapping[str, object]
) -> dict[str, object]:
    """Return the columns of frame `run` that say when and from which code a run was made.

    The user's settings win, then what the file says (`said`, columns that the loader has), then the time of its last
    change, `modified_s` in seconds of the epoch: None for a copy, whose time says nothing. `before` is the run as it
    was stored: of two times of the file the earlier one counts where nobody named another commit or branch, as copies
    are later. Raises LoadError.
    """
    asked: dict[str, object] = {**given_origin(settings)}
    if "taken_at" in asked:
        return asked | {"taken_from": "setting"}
    if said.get("taken_at"):
        return asked | {"taken_at": said["taken_at"], "taken_from": "file"}
    code = [{name: one.get(name) or "" for name in ("commit", "branch")} for one in (before, {**said, **asked})]
    return asked | _of_file(modified_s, before if code[0] == code[1] else {})


def _of_file(modified_s: float | None, before: Mapping[str, object]) -> dict[str, object]:
    times = [] if modified_s is None else [datetime.fromtimestamp(modified_s, UTC).isoformat(timespec="seconds")]
    times += [str(before["taken_at"])] if before.get("taken_from") == "modified" else []
    return {"taken_at": min(times), "taken_from": "modified"} if times else {}


def given_origin(settings: Settings) -> dict[str, str]:
    """Return the date, commit and branch that a user gives, as frame `run` has them; raises LoadError."""
    try:
        return {key: str(parse_setting(key, settings[key])) for key in ORIGIN if settings.get(key)}
    except SettingError as error:
        raise LoadError(str(error)) from error


def merged_settings(settings: Settings, old: StoredRun | None) -> dict[str, str]:
    """Return a user's settings over those that the run was ingested with before.

    Commit and branch of another date are not those of this one; a date that was guessed is corrected.
    """
    if old is None:
        return dict(settings)
    taken_at = given_origin(settings).get("taken_at")
    is_other = taken_at is not None and old.run.get("taken_from") in DATED_BY and taken_at != old.run.get("taken_at")
    return (without_origin(old.settings) if is_other else old.settings) | dict(settings)


def without_origin(settings: Settings) -> dict[str, str]:
    """Return the settings that are the loader's own."""
    return {key: text for key, text in settings.items() if key not in ORIGIN}


def modification_time(path: Path, origin: str | None) -> float | None:
    """Return when a file was last changed; None for the temporary copy of an upload (`origin` is its own path)."""
    return path.stat().st_mtime if origin is None else None
