"""A run's row as the catalogue gives it, checked: a damaged row is marked and does not affect the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schema.runs import RUN
from schema.spec import Column
from storage.text import plain_text

if TYPE_CHECKING:
    from types import SimpleNamespace

    from sqlalchemy import Row

Json = dict[str, Any]
Checks = tuple[tuple[str, bool, Callable[[object], bool]], ...]
"""Column, whether its value may be missing, and what holds of it."""
_TEXTS = MappingProxyType({"run_id": 64, "source": 64, "hwid": 255, "created_at": 40})
"""Text of `run` that has a column of its own, to filter by -> how long that is."""
_NOT_STORED = ("damaged", "observations")
"""What is known of a run without being a column of its row."""


@dataclass(frozen=True)
class StoredRun:
    """A run's row.

    `run` is frame `run`, `settings` what the user set, `headline` the metrics; `frames` and `derived` map the names
    of the stored and of the derived frames to their rows; `findings` are the loader's and the analysis' diagnostics.
    `checksums` has bytes and CRC-32 of the stored frames' files, of those of an older release nothing. A row that is
    `damaged` has only what could be read of it.
    """

    prefix: str
    run: Json
    settings: dict[str, str]
    headline: dict[str, float | None]
    frames: dict[str, int]
    derived: dict[str, int]
    findings: list[Json]
    errors: int
    warnings: int
    checksums: dict[str, list[int]] = field(default_factory=dict)
    damaged: bool = False
    observations: int = 1
    """How often its content was captured, of a run of the list."""

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])

    @property
    def capture_facts(self) -> tuple[str, ...]:
        """Return what another capture of the same content changes: date, commit, branch and file."""
        return tuple(str(self.run[name] or "") for name in ("taken_at", "commit", "branch", "file"))

    @property
    def stored_bytes(self) -> int | None:
        """Return the bytes of its frames' files, None where an older release did not count them."""
        return sum(known[0] for known in self.checksums.values()) if self.checksums else None

    def checksum(self, frame: str) -> tuple[int, int] | None:
        """Return bytes and CRC-32 of a stored frame's file, None where they are not known."""
        known = self.checksums.get(frame)
        return (known[0], known[1]) if known else None

    def record(self) -> Json:
        """Return the columns of frame `run`, the headline metrics and the counts as one flat record."""
        counts = {"errors": self.errors, "warnings": self.warnings, "observations": self.observations}
        return self.run | self.headline | counts

    def values(self) -> Json:
        """Return the row's columns, the ones to filter by copied out of the metadata."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _NOT_STORED}
        return own | {key: column_value(key, self.run[key]) for key in (*_TEXTS, *"MKN")}


def column_value(name: str, value: object) -> object:
    """Return a value of `run` as its column has it, to filter by."""
    return plain_text(value)[: _TEXTS[name]] if name in _TEXTS else value


def stored_run(row: Row[Any] | SimpleNamespace) -> StoredRun:
    """Return a row of table `runs`; one that cannot be right is marked as damaged, and its content left out."""
    given = {name: getattr(row, name) for name in _FITS}
    given["checksums"] = given["checksums"] or {}
    if all(fits(given[name]) for name, fits in _FITS.items()) and given["run"]["run_id"] == row.run_id:
        given["run"] = _fill_run(given["run"])
        return StoredRun(prefix=row.prefix, **given, observations=getattr(row, "observations", 0) or 1)
    settings = given["settings"] if _FITS["settings"](given["settings"]) else {}
    return StoredRun(str(row.prefix), _placeholder(row), settings, {}, {}, {}, [], 1, 0, damaged=True)


def _placeholder(row: Row[Any] | SimpleNamespace) -> Json:
    """Return frame `run` of a damaged row: what the columns beside it hold, and a name that marks it as damaged."""
    texts = {
        name: str(getattr(row, name)).encode("utf-8", "replace").decode()
        for name in ("run_id", "source", "hwid", "created_at")
    }
    sizes = {name: value if isinstance(value := getattr(row, name), int) else None for name in "MKN"}
    return _fill_run(texts | sizes | {"name": f"{texts['run_id']}: damaged in the catalogue"})


def _fill_run(run: Json) -> Json:
    """Return frame `run` with every column; one that an older release did not have is null (text: empty)."""
    missing = {c.name: "" if c.dtype == "str" else None for c in RUN.columns if run.get(c.name) is None}
    return run | missing


def _is_run(value: object) -> bool:
    return isinstance(value, dict) and fits_columns(value, _RUN_CHECKS)


def column_checks(columns: Iterable[Column]) -> Checks:
    """Return how values of columns of frame `run` are checked."""
    return tuple((column.name, column.nullable, _OF_DTYPE[column.dtype]) for column in columns)


def fits_columns(run: Json, checks: Checks) -> bool:
    """Return whether all values can be right that are checked."""
    for name, nullable, fits in checks:
        value = run.get(name)
        if not (nullable if value is None else fits(value)):
            return False
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_number(value: object) -> bool:
    return isinstance(value, float) or _is_integer(value)


def _is_checksum(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_integer, value))


def _maps_to(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def _is_finding(value: object) -> bool:
    fits = {"severity": _is_text, "code": _is_text, "message": _is_text, "location": _is_text, "count": _is_integer}
    return isinstance(value, dict) and value.keys() == fits.keys() and all(fits[name](value[name]) for name in fits)


_OF_DTYPE: dict[str, Callable[[object], bool]] = {"str": _is_text, "Int64": _is_integer, "float64": _is_number}
_RUN_CHECKS = column_checks(RUN.columns)
_FITS: dict[str, Callable[[object], bool]] = {
    "run": _is_run,
    "settings": _maps_to(_is_text),
    "headline": _maps_to(lambda value: value is None or _is_number(value)),
    "frames": _maps_to(_is_integer),
    "derived": _maps_to(_is_integer),
    "findings": lambda value: isinstance(value, list) and all(map(_is_finding, value)),
    "errors": _is_integer,
    "warnings": _is_integer,
    "checksums": _maps_to(_is_checksum),
}
