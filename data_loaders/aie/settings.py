"""Read the settings of a GEMM trace from its path and from the reference script's `index.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from data_loaders.protocol import LoadError, Settings
from data_loaders.reading.json_damage import text_damage
from data_loaders.reading.run_names import name_run
from schema.diagnostics import Diagnostic
from schema.run_settings import (
    DEFAULT_BOUNDARY_FACTOR,
    DEFAULT_CLOCK_HZ,
    DEFAULT_MAC_DTYPE,
    ORIGIN,
    PEAK_MACS_PER_CYCLE,
    WHOLE,
    SettingError,
    parse_setting,
    with_overrides,
)

_SIZE = r"([0-9]{1,20})"
_SEPARATOR = re.compile(r"[/\\]")
_FOLDER = re.compile(rf"-gemm_{_SIZE}_{_SIZE}_{_SIZE}-{_SIZE}_row_{_SIZE}_col\Z")
_SUFFIX = re.compile(r"\.(?:json|txt|bin|npy)\Z")
_FILE = re.compile(rf"trace_mm_{_SIZE}_{_SIZE}_{_SIZE}\.json")
_MAX_PATH_CHARS = 4096
"""Characters at the end of a path that are searched: a client may send any text as a name."""
_INDEX_BYTES = 1 << 20
"""Largest `index.json` in bytes."""
_MEMBERS = (*WHOLE, "hwid", "clock_GHz", *ORIGIN, "tags")
"""Members of `index.json` that are settings.

The script writes most, a build system may add others.
"""
_DESIGN = "design"
"""Member that names the design of the trace among several files of its folder."""
_OTHER_MEMBERS = ("input_path", "output_dir", "notes", "details_md", _DESIGN)
"""Known members that are not settings; the script writes all but the design."""
_EXPECTED = {"taken_at": "a date and time", "tags": "text or a list of texts"} | dict.fromkeys(
    ("hwid", "commit", "branch"), "text"
)
_MAX_NAMED_MEMBERS = 10
"""Unknown members that a finding names."""
_MAX_QUOTED_CHARS = 60
"""Characters of a value that a finding quotes."""


def settings_from_path(path: str) -> dict[str, object]:
    """Parse the settings in a path as columns of frame `run`: hwid, M, K, N, rows, cols.

    The convention is
    `{hwid}-gemm_{M}_{K}_{N}-{rows}_row_{cols}_col/traces/trace_mm_{M}_{K}_{N}.json`. Parts that do
    not follow it give no settings, so the result may be empty; the folder's sizes override the
    file's.
    """
    metadata: dict[str, object] = {}
    path_end = path[-_MAX_PATH_CHARS:]
    file = _FILE.search(path_end)
    if file:
        metadata |= _valid(zip(("M", "K", "N"), file.groups(), strict=True))
    for part in _SEPARATOR.split(path_end):
        folder = _FOLDER.search(part)
        if folder and folder.start():
            texts = (part[: folder.start()], *folder.groups())
            return metadata | _valid(
                zip(("hwid", "M", "K", "N", "rows", "cols"), texts, strict=True)
            )
    return metadata


def settings_from_index(path: Path) -> tuple[dict[str, object], list[Diagnostic]]:
    """Read the settings in the script's `index.json` as columns of frame `run`, with findings about
    invalid and unknown members.

    Raises LoadError if the file cannot be read or is not a JSON object. Members that are null or
    invalid are left out.
    """
    content = _read_index(path)
    metadata: dict[str, object] = {}
    bad: dict[str, str] = {}
    for key, value in content.items():
        if key in _MEMBERS and value is not None:
            try:
                setting, text = _member_setting(key, value)
                metadata[setting] = parse_setting(setting, text)
            except SettingError as error:
                bad[key] = str(error)
    unknown = [key for key in content if key not in _MEMBERS and key not in _OTHER_MEMBERS]
    return metadata, _member_findings(path.name, bad, unknown)


def _read_index(path: Path) -> dict[str, object]:
    """Read `index.json`; raises LoadError if it cannot be read or is not a JSON object."""
    try:
        if path.stat().st_size > _INDEX_BYTES:
            raise LoadError(f"it is larger than {_INDEX_BYTES} bytes")
        text = path.read_bytes()
        content = json.loads(text)
    except OSError as error:
        raise LoadError(error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise LoadError(text_damage(text) or "it is not valid JSON") from error
    if not isinstance(content, dict):
        raise LoadError("it is not a JSON object")
    return content


def named_design(companions: Sequence[Path]) -> str:
    """Return the name of the design that the first companion, an `index.json`, gives; "" if it
    names none or cannot be read.
    """
    for path in companions[:1]:
        try:
            name = _read_index(path).get(_DESIGN)
        except LoadError:
            return ""  # `index_settings` reports it
        return name if isinstance(name, str) else ""
    return ""


def _member_setting(key: str, value: object) -> tuple[str, str]:
    """Convert a member of `index.json` to the key and text of a setting, as a user would type it.

    Raises SettingError if the value has the wrong type. `clock_GHz` becomes `clock_hz`; a list of
    tags becomes a text with spaces.
    """
    if key == "clock_GHz" and isinstance(value, int | float) and not isinstance(value, bool):
        return "clock_hz", f"{value}GHz"
    if key == "tags" and isinstance(value, list) and all(isinstance(tag, str) for tag in value):
        return key, " ".join(word for tag in value for word in tag.split())
    if isinstance(value, str) or (
        isinstance(value, int) and not isinstance(value, bool) and key != "tags"
    ):
        return key, str(value)
    raise SettingError(
        f"{json.dumps(value)[:_MAX_QUOTED_CHARS]} is not {_EXPECTED.get(key, 'a number')}"
    )


def _member_findings(file: str, bad: Mapping[str, str], unknown: Sequence[str]) -> list[Diagnostic]:
    findings = []
    if bad:
        reasons = "; ".join(f"{key}: {why}" for key, why in bad.items())
        text = f"{file} has invalid values that are ignored: {reasons}"
        findings.append(Diagnostic("warning", "index_value", text, file, len(bad)))
    if unknown:
        names = ", ".join(key[:_MAX_QUOTED_CHARS] for key in unknown[:_MAX_NAMED_MEMBERS])
        more = (
            f" and {len(unknown) - _MAX_NAMED_MEMBERS} more"
            if len(unknown) > _MAX_NAMED_MEMBERS
            else ""
        )
        text = f"{file} has unknown members that are ignored: {names}{more}"
        findings.append(Diagnostic("info", "index_member", text, file, len(unknown)))
    return findings


def index_settings(companions: Sequence[Path]) -> tuple[dict[str, object], list[Diagnostic]]:
    """Read the settings of the first companion, an `index.json`, as columns of frame `run`, and
    findings about it.

    An unreadable file gives a finding and no settings; without companions both are empty.
    """
    for path in companions[:1]:
        try:
            return settings_from_index(path)
        except LoadError as error:
            text = f"{path.name} cannot be read and is ignored: {error}"
            return {}, [Diagnostic("warning", "companion_unreadable", text, path.name)]
    return {}, []


def _valid(pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Parse pairs of key and text as settings.

    Malformed values are left out, since they come from paths that no user typed.
    """
    parsed: dict[str, object] = {}
    for key, text in pairs:
        try:
            parsed[key] = parse_setting(key, text)
        except SettingError:
            continue
    return parsed


def gemm_metadata(
    origin: str, index: Mapping[str, object], settings: Settings
) -> dict[str, object]:
    """Compute the GEMM columns of frame `run`, such as `M`, `clock_hz` and `mac_dtype`, as far as
    they are known.

    They come from defaults, the path `origin`, `index` and the user's settings; later sources
    override earlier sources. Raises LoadError if a setting of the user is unknown or malformed.
    """
    metadata: dict[str, object] = {
        "clock_hz": DEFAULT_CLOCK_HZ,
        "boundary_factor": DEFAULT_BOUNDARY_FACTOR,
        "mac_dtype": DEFAULT_MAC_DTYPE,
        "peak_macs_per_cycle": PEAK_MACS_PER_CYCLE[DEFAULT_MAC_DTYPE],
    }
    metadata |= settings_from_path(origin)
    metadata |= index
    try:
        return with_overrides(metadata, settings)
    except SettingError as error:
        raise LoadError(str(error)) from error


def run_name(origin: str, metadata: Mapping[str, object]) -> str:
    """Build a name such as `npu · gemm 64x64x64 · 4x2` from hwid, sizes, rows and columns of the
    metadata.

    If a value is missing, it is the file's name without the suffixes .gz, .json, .txt, .bin and
    .npy, or that of its folder if the name is generic, such as `trace`.
    """
    if {"hwid", "M", "K", "N", "rows", "cols"} <= metadata.keys():
        size = "x".join(str(metadata[d]) for d in "MKN")
        return f"{metadata['hwid']} · gemm {size} · {metadata['rows']}x{metadata['cols']}"
    file = _SEPARATOR.split(origin)[-1].removesuffix(".gz")
    return name_run(origin, _SUFFIX.sub("", file))
