"""Reader of Google Benchmark's JSON and CSV (`--benchmark_out`).

Rows with `run_type` iteration are repetitions of a benchmark and so its samples. Rows with
`run_type` aggregate are statistics of them (mean, median, stddev, cv), which are only read if a
benchmark has no repetitions in the file (`--benchmark_report_aggregates_only`). Sources:
src/json_reporter.cc and src/csv_reporter.cc of Google Benchmark 1.5 to 1.9.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.results.content import as_object, as_text, read_json, read_text
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.values import Statistics, as_number
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.results import LESS, MORE

_OBJECT = re.compile(rb"\A(?:\xef\xbb\xbf)?\s{0,100}\{\s{0,100}\"context\"\s{0,100}:")
_KEYS = (b'"executable"', b'"num_cpus"', b'"library_build_type"', b'"mhz_per_cpu"')
_HEADER = re.compile(rb"^name,iterations,real_time,cpu_time,time_unit,", re.MULTILINE)
_TIMES = ("real_time", "cpu_time")
_RATES = {"bytes_per_second": "bytes/s", "items_per_second": "items/s"}
# All other members with a number are counters of the benchmark's author.
_NO_COUNTERS = frozenset(
    (
        *("family_index", "per_family_instance_index", "repetitions", "repetition_index"),
        *("threads", "iterations", "error_occurred", "skipped", "big_o", "cpu_coefficient"),
        *("real_coefficient", "rms", "allocs_per_iter", "max_bytes_used"),
    )
)
_AGGREGATES = ("mean", "median", "stddev", "cv", "min", "max", "BigO", "RMS")
_FIELDS = {"mean": "mean", "median": "median", "stddev": "deviation", "min": "minimum"}


@dataclass
class _Benchmark:
    """Values of a benchmark: quantity -> repetitions, and quantity -> statistic -> value."""

    unit: str = ""
    repetitions: dict[str, list[object]] = field(default_factory=dict)
    aggregates: dict[str, dict[str, float | None]] = field(default_factory=dict)
    count: int | None = None


def is_google_benchmark(head: bytes) -> bool:
    """Whether a file begins like Google Benchmark's JSON, or has the header of its CSV."""
    if _OBJECT.match(head) is not None:
        return b'"benchmarks"' in head and any(key in head for key in _KEYS)
    return _HEADER.search(head) is not None


def read_google_benchmark(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the benchmarks of a file; raises LoadError if it has no list of benchmarks."""
    facts = FileFacts("google-benchmark")
    text = read_text(path)
    if text.lstrip()[:1] == "{":
        content = as_object(read_json(path))
        rows = content.get("benchmarks")
        if not isinstance(rows, list):
            raise LoadError(f"{path}: has no list `benchmarks`")
        context = as_object(content.get("context"))
        facts.set_moment(as_text(context.get("date")))
        if context.get("library_build_type") == "debug":
            words = "Google Benchmark was built as debug: its times may be affected"
            facts.findings.append(Diagnostic("warning", "debug_build", words, path.name))
        records: list[Mapping[str, object]] = [as_object(row) for row in rows]
    else:
        records = [*_csv_rows(text, facts, path.name)]
    benchmarks, failed = _by_name(records)
    if failed:
        words = f"{plural(failed, 'benchmark run')} left out: the benchmark ended with an error"
        facts.findings.append(Diagnostic("warning", "benchmark_failed", words, path.name, failed))
    for name, benchmark in benchmarks.items():
        _add(name, benchmark, numbers)
    return facts


def _csv_rows(text: str, facts: FileFacts, file: str) -> Iterable[Mapping[str, object]]:
    """Parse the rows behind the header, in the form of the JSON; the lines before it are the
    program's words about the machine.
    """
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if _HEADER.match(line.encode())), len(lines))
    if start and start < len(lines):
        facts.set_moment(lines[0])
    if text and not text.endswith("\n"):
        words = "the last line has no line break: the file may be cut there"
        facts.findings.append(Diagnostic("info", "file_cut", words, file))
    rows = [*csv.DictReader(lines[start:])]
    names = {row.get("name") or "" for row in rows}
    for row in rows:
        name = row.get("name") or ""
        base, _, last = name.rpartition("_")
        is_aggregate = last in _AGGREGATES and _is_repeated(base, names)
        record: dict[str, object] = {
            key: value for key, value in row.items() if isinstance(key, str) and value
        }
        yield record | {
            "run_name": base if is_aggregate else name,
            "run_type": "aggregate" if is_aggregate else "iteration",
            "aggregate_name": last if is_aggregate else "",
            "error_occurred": row.get("error_occurred") == "true",
        }


def _is_repeated(base: str, names: Collection[str]) -> bool:
    """Whether rows of these names have statistics of a benchmark: a benchmark may itself be called
    `BM_mean`.
    """
    return base in names or all(f"{base}_{last}" in names for last in ("mean", "median", "stddev"))


def _by_name(records: Iterable[Mapping[str, object]]) -> tuple[dict[str, _Benchmark], int]:
    """Group the rows by benchmark; the second value counts rows of benchmarks that failed."""
    benchmarks: dict[str, _Benchmark] = {}
    failed = 0
    for record in records:
        if record.get("error_occurred") is True or record.get("skipped") not in (None, ""):
            failed += 1
            continue
        name = as_text(record.get("run_name")) or as_text(record.get("name"))
        aggregate = as_text(record.get("aggregate_name"))
        # The fit of a complexity (BigO, RMS) has coefficients and no times.
        if aggregate in ("BigO", "RMS") or "rms" in record or "big_o" in record:
            continue
        benchmark = benchmarks.setdefault(name, _Benchmark())
        benchmark.unit = as_text(record.get("time_unit")) or benchmark.unit or "ns"
        repetitions = as_number(record.get("iterations"))
        if aggregate and repetitions is not None and 0 < repetitions < 2**62:
            benchmark.count = int(repetitions)
        for quantity, value in record.items():
            if quantity in _NO_COUNTERS or as_number(value) is None or quantity in _WORDS:
                continue
            if aggregate:
                benchmark.aggregates.setdefault(quantity, {})[aggregate] = as_number(value)
            else:
                benchmark.repetitions.setdefault(quantity, []).append(value)
    return benchmarks, failed


_WORDS = frozenset(
    ("name", "run_name", "run_type", "aggregate_name", "aggregate_unit", "time_unit", "label")
)


def _add(name: str, benchmark: _Benchmark, numbers: NumberCollector) -> None:
    quantities = benchmark.repetitions or benchmark.aggregates
    for quantity in quantities:
        unit, direction = _meaning(quantity, benchmark.unit)
        given = Statistics()
        if not benchmark.repetitions:
            # cv is a ratio and not a value of the quantity; other statistics are the author's.
            known = benchmark.aggregates[quantity].items()
            fields = {_FIELDS[key]: value for key, value in known if key in _FIELDS}
            given = Statistics(
                **fields, maximum=benchmark.aggregates[quantity].get("max"), count=benchmark.count
            )
        values = benchmark.repetitions.get(quantity, [])
        numbers.add(f"{name} {quantity}", values, unit, direction, place=name[:60], given=given)


def _meaning(quantity: str, time_unit: str) -> tuple[str, str]:
    """Return unit and direction of a quantity; both are unknown of an author's counter."""
    if quantity in _TIMES:
        return time_unit, LESS
    return (_RATES[quantity], MORE) if quantity in _RATES else ("", "")
