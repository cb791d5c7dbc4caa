"""The checked row of a run; a damaged row is marked and does not affect other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schema.headlines import headline_of
from schema.impossible import impossible_metrics
from schema.result_metrics import PREFIX
from schema.runs import RUN
from schema.spec import Column
from storage.frame_file import FrameFile
from storage.text import plain_text

if TYPE_CHECKING:
    from types import SimpleNamespace

    from sqlalchemy import Row

Json = dict[str, Any]
Checks = tuple[tuple[str, bool, Callable[[object], bool]], ...]
"""A check per column: name, whether the value may be missing, and the test of the value."""
_TEXTS = MappingProxyType({"run_id": 64, "source": 64, "hwid": 255, "created_at": 40})
"""Text columns of `run` that are copied to columns for filters -> their maximum length."""
_NOT_STORED = ("damaged", "observations")
"""Fields of StoredRun that are no columns of the row."""


@dataclass(frozen=True)
class StoredRun:
    """The row of a run in the catalogue.

    `run` is frame `run`, `settings` are the user's settings, `headline` the metrics. `frames` and
    `derived` map the names of stored and derived frames to their numbers of rows. `findings` are
    the diagnostics of loader and analysis. `checksums` maps stored frames to bytes and CRC-32 of
    their content; it is empty if an older release stored the run. `offsets` maps stored frames to
    their first bytes in the pack of the run; it is empty if each frame has a file of its own. A
    `damaged` row has only the values that could be read.
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
    offsets: dict[str, int] = field(default_factory=dict)
    damaged: bool = False
    observations: int = 1
    """Number of captures of the run's content, for a run of the list."""

    @property
    def run_id(self) -> str:
        """Id of the run, from its frame `run`."""
        return str(self.run["run_id"])

    @property
    def capture_facts(self) -> tuple[str, ...]:
        """Date, commit, branch and file of the run as texts, "" if missing: the values that another
        capture of the same content changes.
        """
        return tuple(str(self.run[name] or "") for name in ("taken_at", "commit", "branch", "file"))

    @property
    def stored_bytes(self) -> int | None:
        """Sum of the bytes of all frame files; None if an older release stored the run."""
        return sum(checksum[0] for checksum in self.checksums.values()) if self.checksums else None

    @property
    def is_packed(self) -> bool:
        """Whether the frames of the run are in one file, its pack; True if there are no frames."""
        return self.offsets.keys() >= self.frames.keys()

    def frame_file(self, frame: str) -> FrameFile:
        """Return the place of a stored frame; it has no checksum if there is no such frame, or if an
        older release stored the run.
        """
        checksum = self.checksums.get(frame)
        known = (checksum[0], checksum[1]) if checksum else None
        return FrameFile(self.prefix, frame, known, self.offsets.get(frame))

    def head_bytes(self, most: int) -> int:
        """Return the bytes from the beginning of the pack to the end of its last frame that ends
        within the first `most` bytes.
        """
        ends = (file.start + file.size for file in map(self.frame_file, self.offsets))
        return max((end for end in ends if end <= most), default=0)

    def at_files(self, files: Iterable[FrameFile]) -> StoredRun:
        """Return a copy of the row for frames at new places, all below one prefix."""
        known = {file.name: file for file in files if file.checksum and file.offset is not None}
        prefix = next(iter(known.values())).prefix if known else self.prefix
        return replace(
            self,
            prefix=prefix,
            checksums={name: [*(file.checksum or ())] for name, file in known.items()},
            offsets={name: file.start for name, file in known.items()},
        )

    def record(self) -> Json:
        """Merge the columns of frame `run`, the headline metrics of the registry, and the counts `errors`,
        `warnings` and `observations` into one flat dict; `headline` is an object (kind, value,
        unit, detail), None if the run has none of these numbers. `impossible` has the names of the
        metrics that no hardware reaches.
        """
        headline = headline_of(str(self.run["source"]), self.headline)
        counts = {
            "errors": self.errors,
            "warnings": self.warnings,
            "observations": self.observations,
        }
        own = {
            "headline": None if headline is None else headline.record(),
            "impossible": [*impossible_metrics(self.headline)],
        }
        # Named numbers may be thousands: frame `results` has them.
        metrics = {
            name: value for name, value in self.headline.items() if not name.startswith(PREFIX)
        }
        return self.run | metrics | counts | own

    def values(self) -> Json:
        """Map the columns of table `runs` to their values, including the columns that are copied
        from `run` for filters: run_id, source, hwid, created_at, M, K and N.
        """
        own = {
            attribute.name: getattr(self, attribute.name)
            for attribute in fields(self)
            if attribute.name not in _NOT_STORED
        }
        return own | {key: column_value(key, self.run[key]) for key in (*_TEXTS, *"MKN")}


def column_value(name: str, value: object) -> object:
    """Convert a value of column `name` of `run` for its filter column of table `runs`.

    Texts lose characters that databases reject and are cut at the column's length; numbers stay.
    """
    return plain_text(value)[: _TEXTS[name]] if name in _TEXTS else value


def stored_run(row: Row[Any] | SimpleNamespace) -> StoredRun:
    """Convert a row of table `runs`.

    A row with invalid values gives a run with `damaged` set: its `run` has only the filter columns
    and a name that marks it as damaged, and it has one error, no frames and no metrics.
    """
    values = {name: getattr(row, name) for name in _FITS}
    values["checksums"] = values["checksums"] or {}
    values["offsets"] = values["offsets"] or {}
    # The id in the JSON must be that of the row: a swapped value would show another run's numbers.
    if (
        all(fits(values[name]) for name, fits in _FITS.items())
        and values["run"]["run_id"] == row.run_id
    ):
        values["run"] = _fill_run(values["run"])
        return StoredRun(
            prefix=row.prefix, **values, observations=getattr(row, "observations", 0) or 1
        )
    settings = values["settings"] if _FITS["settings"](values["settings"]) else {}
    return StoredRun(
        str(row.prefix), _placeholder(row), settings, {}, {}, {}, [], 1, 0, damaged=True
    )


def _placeholder(row: Row[Any] | SimpleNamespace) -> Json:
    """Build row `run` of a damaged run from its filter columns; its name is `<run id>: damaged in
    the catalogue`.
    """
    texts = {
        name: str(getattr(row, name)).encode("utf-8", "replace").decode()
        for name in ("run_id", "source", "hwid", "created_at")
    }
    sizes = {
        name: value if isinstance(value := getattr(row, name), int) else None for name in "MKN"
    }
    return _fill_run(texts | sizes | {"name": f"{texts['run_id']}: damaged in the catalogue"})


def _fill_run(run: Json) -> Json:
    """Return a copy with the columns of frame `run` that an older release did not have, as None
    (text columns: "").
    """
    missing = {
        c.name: "" if c.dtype == "str" else None for c in RUN.columns if run.get(c.name) is None
    }
    return run | missing


def _is_run(value: object) -> bool:
    return isinstance(value, dict) and fits_columns(value, _RUN_CHECKS)


def column_checks(columns: Iterable[Column]) -> Checks:
    """Build a check for each of these columns of frame `run`, in their order, for `fits_columns`."""
    return tuple((column.name, column.nullable, _FITS_DTYPE[column.dtype]) for column in columns)


def fits_columns(run: Json, checks: Checks) -> bool:
    """Whether the values of all checked columns in a row of frame `run` are valid; a missing value
    is valid if the column may be null.
    """
    for name, nullable, fits in checks:
        value = run.get(name)
        if not (nullable if value is None else fits(value)):
            return False
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


# JSON has no limit for integers, but a column of frame `run` is Int64.
def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_number(value: object) -> bool:
    return isinstance(value, float) or _is_integer(value)


def _is_checksum(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_integer, value))


def _is_offset(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _values_fit(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def _is_finding(value: object) -> bool:
    fits = {
        "severity": _is_text,
        "code": _is_text,
        "message": _is_text,
        "location": _is_text,
        "count": _is_integer,
    }
    return (
        isinstance(value, dict)
        and value.keys() == fits.keys()
        and all(fits[name](value[name]) for name in fits)
    )


_FITS_DTYPE: dict[str, Callable[[object], bool]] = {
    "str": _is_text,
    "Int64": _is_integer,
    "float64": _is_number,
}
_RUN_CHECKS = column_checks(RUN.columns)
_FITS: dict[str, Callable[[object], bool]] = {
    "run": _is_run,
    "settings": _values_fit(_is_text),
    "headline": _values_fit(lambda value: value is None or _is_number(value)),
    "frames": _values_fit(_is_integer),
    "derived": _values_fit(_is_integer),
    "findings": lambda value: isinstance(value, list) and all(map(_is_finding, value)),
    "errors": _is_integer,
    "warnings": _is_integer,
    "checksums": _values_fit(_is_checksum),
    "offsets": _values_fit(_is_offset),
}
