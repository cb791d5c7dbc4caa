"""Loader of plain results: finds the format of a file by its content, and builds its frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from data_loaders.protocol import LoadedRun, LoadError, Settings, SingleFileLoader
from data_loaders.reading.files import read_head
from data_loaders.reading.run_names import is_generic, known_place, name_columns, with_name
from data_loaders.results.bencher import is_bencher, read_bencher
from data_loaders.results.csv_table import is_csv_table, read_csv_table
from data_loaders.results.facts import FileFacts, series_stem
from data_loaders.results.google_benchmark import is_google_benchmark, read_google_benchmark
from data_loaders.results.hud import is_hud, read_hud
from data_loaders.results.hyperfine import is_hyperfine, read_hyperfine
from data_loaders.results.iron import is_iron, read_iron
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.pytest_benchmark import is_pytest_benchmark, read_pytest_benchmark
from data_loaders.results.units import parse_direction
from data_loaders.results.wall_clock import is_wall_clock, read_wall_clock
from schema.run_settings import SettingError, parse_setting
from schema.sources import source_of

Read = Callable[[Path, NumberCollector], FileFacts]

_FORMATS: tuple[tuple[Callable[[bytes], bool], Read], ...] = (
    (is_csv_table, read_csv_table),
    (is_pytest_benchmark, read_pytest_benchmark),
    (is_google_benchmark, read_google_benchmark),
    (is_hyperfine, read_hyperfine),
    (is_hud, read_hud),
    (is_iron, read_iron),
    (is_bencher, read_bencher),
)
"""Whether a file begins like a format, and the reader of the format; the first that fits counts."""
_SUFFIXES = (".json", ".jsonl", ".csv", ".log", ".txt", ".gz")
_DIRECTION = "direction"


class ResultsLoader(SingleFileLoader):
    """Loader of named numbers from the files of benchmark tools."""

    name = "results"
    reads = "named numbers as CSV or as JSON of benchmark tools"
    setting_names = source_of("results").settings
    version = "1"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is of a known format, else the reason for rejection."""
        # A trace of another source may have any of the words of these formats in its names.
        if b'"traceEvents"' in head:
            return "a trace, not a file of results"
        if any(fits(head) for fits, _ in _FORMATS) or is_wall_clock(path, head):
            return None
        return "neither a CSV with the columns name and value nor the results of a known benchmark tool"

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load the named numbers of a file.

        Raises LoadError if it has none, has too many, or a setting is invalid.
        """
        options = _parse_settings(settings)
        place = known_place(path, origin)
        file = re.split(r"[/\\]", place)[-1]
        numbers = NumberCollector(path, str(options.pop(_DIRECTION, "")))
        facts = _read(path, numbers, place)
        if not len(numbers):
            reasons = "; ".join(finding.message for finding in numbers.findings())
            raise LoadError(f"{path}: has no named number{f': {reasons}' if reasons else ''}")
        metadata: dict[str, object] = {"time_unit": "", **facts.metadata, **options}
        names = _names(place, _without_suffixes(file), facts.tool)
        frames = numbers.frames()
        return LoadedRun(with_name(names, metadata), frames, [*facts.findings, *numbers.findings()])


def _without_suffixes(file: str) -> str:
    while file.endswith(_SUFFIXES):
        file = file.rpartition(".")[0]
    return file


def _read(path: Path, numbers: NumberCollector, place: str) -> FileFacts:
    head = read_head(path)
    for fits, read in _FORMATS:
        if fits(head):
            return read(path, numbers)
    if is_wall_clock(path, head):
        return read_wall_clock(path, numbers, place)
    raise LoadError(f"{path}: is not a file of results of a known format")


def _names(place: str, stem: str, tool: str) -> dict[str, str]:
    """Return the columns `name` and `stem` of frame `run`: tools put counters, commits and dates
    into names of files, which must not divide a series.
    """
    shared = series_stem(stem, tool)
    if shared == stem or is_generic(stem):
        return name_columns(place, stem)
    return {"name": stem, "stem": shared}


def _parse_settings(settings: Settings) -> dict[str, object]:
    """Parse the user's settings as columns of frame `run`, and `direction`.

    Raises LoadError if a value is invalid.
    """
    parsed: dict[str, object] = {}
    for key, text in settings.items():
        if key == _DIRECTION:
            direction = parse_direction(text[:100])
            if direction is None:
                raise LoadError(f"direction={text[:40]}: expected less or more")
            parsed[key] = direction
            continue
        try:
            parsed[key] = parse_setting(key, text)
        except SettingError as error:
            raise LoadError(str(error)) from error
    return {key: value for key, value in parsed.items() if value != ""}
