"""Settings from a GEMM trace's location: the folder convention and the script's index.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from data_loaders.protocol import LoadError, Settings
from schema.diagnostics import Diagnostic
from schema.run_settings import (
    DEFAULT_BOUNDARY_FACTOR,
    DEFAULT_CLOCK_HZ,
    DEFAULT_MAC_DTYPE,
    PEAK_MACS_PER_CYCLE,
    WHOLE,
    SettingError,
    parse_setting,
    with_overrides,
)

_SIZE = r"([0-9]{1,20})"
_SEPARATOR = re.compile(r"[/\\]")
_FOLDER = re.compile(rf"-gemm_{_SIZE}_{_SIZE}_{_SIZE}-{_SIZE}_row_{_SIZE}_col\Z")
_FILE = re.compile(rf"trace_mm_{_SIZE}_{_SIZE}_{_SIZE}\.json")
_MOST_PATH = 4096
"""Characters of a path that are looked at, its last ones: it may be what a client calls a file."""
_INDEX_BYTES = 1 << 20


def settings_from_path(path: str) -> dict[str, object]:
    """Return what `{hwid}-gemm_{M}_{K}_{N}-{rows}_row_{cols}_col/traces/trace_mm_{M}_{K}_{N}.json` names."""
    found: dict[str, object] = {}
    looked_at = path[-_MOST_PATH:]
    file = _FILE.search(looked_at)
    if file:
        found |= _valid(zip(("M", "K", "N"), file.groups(), strict=True))
    for part in _SEPARATOR.split(looked_at):
        folder = _FOLDER.search(part)
        if folder and folder.start():
            said = (part[: folder.start()], *folder.groups())
            return found | _valid(zip(("hwid", "M", "K", "N", "rows", "cols"), said, strict=True))
    return found


def settings_from_index(path: Path) -> dict[str, object]:
    """Return the settings in the script's `index.json`; raises LoadError where it cannot be read or is another's."""
    try:
        if path.stat().st_size > _INDEX_BYTES:
            raise LoadError(f"it has more than {_INDEX_BYTES} bytes")
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise LoadError(error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise LoadError("it is no JSON") from error
    if not isinstance(content, dict):
        raise LoadError("it is no JSON object")
    texts = {key: str(content[key]) for key in (*WHOLE, "hwid") if isinstance(content.get(key), int | str)}
    if isinstance(content.get("clock_GHz"), int | float):
        texts["clock_hz"] = f"{content['clock_GHz']}GHz"
    return _valid(texts.items())


def index_settings(companions: Sequence[Path]) -> tuple[dict[str, object], list[Diagnostic]]:
    """Return the settings of the `index.json` among the companions, and the finding where it cannot be read."""
    for path in companions[:1]:
        try:
            return settings_from_index(path), []
        except LoadError as error:
            text = f"{path.name} cannot be read and is left out: {error}"
            return {}, [Diagnostic("warning", "companion_unreadable", text, path.name)]
    return {}, []


def _valid(pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Parse settings that nobody typed: what is malformed is not there."""
    found: dict[str, object] = {}
    for key, text in pairs:
        try:
            found[key] = parse_setting(key, text)
        except SettingError:
            continue
    return found


def gemm_metadata(origin: str, index: Mapping[str, object], settings: Settings) -> dict[str, object]:
    """Return the GEMM columns of frame `run`: defaults, path, index.json, the user's settings; later ones win.

    Raises LoadError where a user's setting is unknown or malformed.
    """
    known: dict[str, object] = {
        "clock_hz": DEFAULT_CLOCK_HZ,
        "boundary_factor": DEFAULT_BOUNDARY_FACTOR,
        "mac_dtype": DEFAULT_MAC_DTYPE,
        "peak_macs_per_cycle": PEAK_MACS_PER_CYCLE[DEFAULT_MAC_DTYPE],
    }
    known |= settings_from_path(origin)
    known |= index
    try:
        return with_overrides(known, settings)
    except SettingError as error:
        raise LoadError(str(error)) from error
