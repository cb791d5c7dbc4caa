"""Reader of the benchmark JSON of PyTorch's HUD (schema v3 of its benchmark database).

A file is an array of records, one record, or a record or array per line. The schema has no unit (a
metric's name may end with it in parentheses) and no direction. Sources:
.github/scripts/upload_benchmark_results.py and its samples in pytorch/test-infra.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.json_damage import text_damage, text_of
from data_loaders.results.content import as_list, as_object, as_text, read_text
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.values import as_number

_START = re.compile(rb"\A(?:\xef\xbb\xbf)?\s{0,100}[\[{]")
_KEYS = (b'"benchmark"', b'"metric"', b'"benchmark_values"')
_UNIT = re.compile(r"\A(.{1,200}?)\s{0,9}\(([^()]{1,40})\)\s{0,9}\Z", re.DOTALL)
_FIXED = (("benchmark", "mode"), ("benchmark", "dtype"), ("model", "backend"))
"""Members of a record that belong to what was measured, besides its names."""
_MAX_VALUE = 60
"""Characters of a member's value in a name."""
_MAX_TIME = 4_000_000_000
Record = Mapping[str, object]


def is_hud(head: bytes) -> bool:
    """Whether a file begins like records of HUD's benchmark schema."""
    return _START.match(head) is not None and all(key in head for key in _KEYS)


def read_hud(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the records of a file.

    Raises LoadError with the line if a line is not valid JSON.
    """
    records = [as_object(record) for record in _records(path)]
    facts = FileFacts("hud-benchmark")
    facts.set_texts(
        {
            "hwid": _shared_value([_runner(record) for record in records]),
            "commit": _shared_value([as_text(record.get("head_sha")) for record in records]),
            "branch": _shared_value([as_text(record.get("head_branch")) for record in records]),
        }
    )
    times = {as_number(record.get("timestamp")) for record in records}
    seconds = times.pop() if len(times) == 1 else None
    if seconds is not None and 0 < seconds < _MAX_TIME:
        facts.set_moment(datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds"))
    for rank, (record, name) in enumerate(zip(records, _names(records), strict=True)):
        metric = as_object(record.get("metric"))
        _, unit = _split_unit(as_text(metric.get("name")))
        values = as_list(metric.get("benchmark_values"))
        numbers.add(name, values, unit, place=f"record {rank + 1}")
    return facts


def _records(path: Path) -> Iterator[object]:
    text = read_text(path)
    try:
        content = json.loads(text)
        yield from content if isinstance(content, list) else [content]
        return
    except (ValueError, RecursionError) as error:
        damage = text_damage(text.encode("utf-8", "replace"), text_of(path))
        if damage:
            raise LoadError(f"{path}: {damage}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                content = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise LoadError(f"{path}: line {number} is not valid JSON") from error
            yield from content if isinstance(content, list) else [content]


def _shared_value(values: Sequence[str]) -> str:
    """Return the value that all records have; "" if they differ."""
    return values[0] if values and len(set(values)) == 1 else ""


def _runner(record: Record) -> str:
    runners = as_list(record.get("runners"))
    return as_text(as_object(runners[0]).get("name")) if runners else ""


def _split_unit(name: str) -> tuple[str, str]:
    """Split `latency(ms)` into name and unit; the unit is "" if the name does not end with it."""
    match = _UNIT.match(name)
    return (match[1], match[2]) if match else (name, "")


def _names(records: Sequence[Record]) -> list[str]:
    """Name the number of each record: model, metric, and the members that tell it from other numbers of
    the same name.
    """
    bases = [_base_name(record) for record in records]
    members = [_members(record) for record in records]
    alike: dict[str, list[int]] = defaultdict(list)
    for rank, base in enumerate(bases):
        alike[base].append(rank)
    for base, ranks in alike.items():
        keys = dict.fromkeys(key for rank in ranks for key in members[rank])
        # Members that all records share tell nothing apart, and descriptions are long.
        differing = [key for key in keys if len({members[rank].get(key, "") for rank in ranks}) > 1]
        for rank in ranks if differing else ():
            told = [f"{key}={members[rank][key]}" for key in differing if key in members[rank]]
            bases[rank] = f"{base} {' '.join(told)}"
    return bases


def _base_name(record: Record) -> str:
    benchmark, model, metric = (
        as_object(record.get(name)) for name in ("benchmark", "model", "metric")
    )
    subject = as_text(model.get("name")) or as_text(benchmark.get("name"))
    measured, _ = _split_unit(as_text(metric.get("name")))
    fixed = [as_text(as_object(record.get(part)).get(name)) for part, name in _FIXED]
    # Without a measured quantity the record has no name, and is left out.
    return " ".join(filter(None, [subject, measured, *fixed])) if measured else ""


def _members(record: Record) -> dict[str, str]:
    """Return the single values among the further members of benchmark, model, metric and inputs."""
    found: dict[str, str] = {}
    for part in ("benchmark", "model", "metric"):
        extra = as_object(record.get(part)).get("extra_info")
        found |= {key: _text(value) for key, value in as_object(extra).items() if _is_single(value)}
    benchmark = as_text(as_object(record.get("benchmark")).get("name"))
    runner = _runner(record)
    return found | {"benchmark": benchmark[:_MAX_VALUE], "runner": runner[:_MAX_VALUE]}


def _is_single(value: object) -> bool:
    return isinstance(value, str | int | float)


def _text(value: object) -> str:
    return " ".join(str(value).split())[:_MAX_VALUE]
