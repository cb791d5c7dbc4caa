"""Reader of hyperfine's JSON (`--export-json`): seconds of each run of a command.

Source: src/benchmark/benchmark_result.rs of hyperfine 1.12 to 1.19.
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
from schema.plurals import plural
from schema.results import LESS

_START = re.compile(
    rb'\A(?:\xef\xbb\xbf)?\s{0,100}\{\s{0,100}"results"\s{0,100}:\s{0,100}\[\s{0,100}\{\s{0,100}"command"\s{0,100}:'
)


def is_hyperfine(head: bytes) -> bool:
    """Whether a file begins like hyperfine's JSON."""
    return _START.match(head) is not None


def read_hyperfine(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the commands of a file; raises LoadError if it has no list of results."""
    results = as_object(read_json(path)).get("results")
    if not isinstance(results, list):
        raise LoadError(f"{path}: has no list `results`")
    facts = FileFacts("hyperfine")
    failed = 0
    for rank, value in enumerate(results):
        result = as_object(value)
        failed += any(code != 0 for code in as_list(result.get("exit_codes")))
        given = Statistics(
            minimum=as_number(result.get("min")),
            median=as_number(result.get("median")),
            maximum=as_number(result.get("max")),
            mean=as_number(result.get("mean")),
            deviation=as_number(result.get("stddev")),
        )
        name = as_text(result.get("command"))
        times = as_list(result.get("times"))
        numbers.add(name, times, "s", LESS, place=f"result {rank + 1}", given=given)
    if failed:
        text = f"{plural(failed, 'command')} did not end with exit code 0: their times may be of failures"
        facts.findings.append(Diagnostic("warning", "command_failed", text, path.name, failed))
    return facts
