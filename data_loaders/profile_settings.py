"""Parse and validate the `--set` settings that all sources of profiles have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data_loaders.protocol import LoadError, Settings
from schema.run_settings import SettingError, parse_setting

_TRUE = ("true", "yes", "1")
_FALSE = ("false", "no", "0")


@dataclass(frozen=True)
class ProfileSettings:
    """Parsed settings.

    `strip` is true if call stacks are removed; `run` has columns of frame `run`.
    """

    strip: bool
    run: Mapping[str, object]


def read_settings(settings: Settings) -> ProfileSettings:
    """Parse the user's settings; raises LoadError if a key is unknown or a value is invalid.

    `strip` is False without `strip_tracebacks`; `run` lacks settings whose value is empty or 0.
    """
    columns = {key: text for key, text in settings.items() if key != "strip_tracebacks"}
    try:
        run = {key: parse_setting(key, text) for key, text in columns.items()}
    except SettingError as error:
        raise LoadError(str(error)) from error
    strip = _flag(settings.get("strip_tracebacks", "false"))
    return ProfileSettings(strip, {key: value for key, value in run.items() if value})


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word not in (*_TRUE, *_FALSE):
        raise LoadError(f"strip_tracebacks={text[:80]}: expected true or false")
    return word in _TRUE
