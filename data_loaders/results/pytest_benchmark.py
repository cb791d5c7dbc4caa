"""Reader of pytest-benchmark's JSON (`--benchmark-json`, `--benchmark-save`, `--benchmark-autosave`).

Times are seconds per round and iteration; `stats.data` has the rounds if `--benchmark-save-data` was
given. Sources: pytest_benchmark/session.py and stats.py of pytest-benchmark 3.2 to 5.3.
"""

from __future__ import annotations

import re
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.results.content import as_list, as_object, as_text, read_json
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.values import Statistics, as_number
from schema.diagnostics import Diagnostic
from schema.results import LESS

_OBJECT = re.compile(rb"\A(?:\xef\xbb\xbf)?\s{0,100}\{")
_KEYS = (b'"machine_info"', b'"commit_info"')
_UNKNOWN_BRANCHES = ("", "(unknown)", "(detached head)", "unknown")
_UNKNOWN_COMMITS = ("", "unversioned", "unknown")


def is_pytest_benchmark(head: bytes) -> bool:
    """Whether a file begins like pytest-benchmark's JSON."""
    return _OBJECT.match(head) is not None and all(key in head for key in _KEYS)


def read_pytest_benchmark(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the benchmarks of a file; raises LoadError if it has no list of benchmarks."""
    content = as_object(read_json(path))
    benchmarks = content.get("benchmarks")
    if not isinstance(benchmarks, list):
        raise LoadError(f"{path}: has no list `benchmarks`")
    facts = FileFacts("pytest-benchmark")
    facts.set_moment(as_text(content.get("datetime")))
    cpu = as_object(as_object(content.get("machine_info")).get("cpu"))
    commit = as_object(content.get("commit_info"))
    revision = as_text(commit.get("id"))
    branch = as_text(commit.get("branch"))
    facts.set_texts(
        {
            "hwid": as_text(cpu.get("brand_raw")) or as_text(cpu.get("brand")),
            "commit": "" if revision in _UNKNOWN_COMMITS else revision,
            "branch": "" if branch in _UNKNOWN_BRANCHES else branch,
        }
    )
    if commit.get("dirty") is True and revision:
        text = "the measured code had changes that are not in the commit"
        facts.findings.append(Diagnostic("warning", "commit_dirty", text, path.name))
    for rank, benchmark in enumerate(benchmarks):
        _add(as_object(benchmark), rank, numbers)
    return facts


def _add(benchmark: dict[str, object], rank: int, numbers: NumberCollector) -> None:
    stats = as_object(benchmark.get("stats"))
    name = as_text(benchmark.get("fullname")) or as_text(benchmark.get("name"))
    count = stats.get("rounds")
    given = Statistics(
        minimum=as_number(stats.get("min")),
        median=as_number(stats.get("median")),
        maximum=as_number(stats.get("max")),
        mean=as_number(stats.get("mean")),
        deviation=as_number(stats.get("stddev")),
        count=count if isinstance(count, int) and 0 < count < 2**62 else None,
    )
    place = f"benchmark {rank + 1}"
    numbers.add(name, as_list(stats.get("data")), "s", LESS, place=place, given=given)
