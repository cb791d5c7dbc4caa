"""Reader of the log of a GEMM's host program: `Avg|Min|Max NPU matmul time: <n>us`.

It is `run_trace.log` of the AIE script's repository without a trace. Source: the host programs of
mlir-aie's GEMMs (programming_examples/basic/matrix_multiplication).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from data_loaders.results.content import read_text
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.values import Statistics
from schema.diagnostics import Diagnostic
from schema.results import LESS, MORE

_LINE = re.compile(
    r"\b(Avg|Min|Max) NPU (matmul time|gflops):\s{0,9}([0-9]{1,12}(?:\.[0-9]{1,9})?)\s{0,9}(us\b)?"
)
_PRINTED = re.compile(rb"^(?:Avg|Min|Max) NPU (?:matmul time|gflops):[ \t]{0,9}[0-9]", re.MULTILINE)
_FIELDS = {"Avg": "mean", "Min": "minimum", "Max": "maximum"}
_TRACES = "traces"
_TRACE_FILES = ("*.json", "*.json.gz")
_MAX_EXAMINED = 20
"""Maximum number of files of a folder that are examined for a trace."""


def is_wall_clock(path: Path, head: bytes) -> bool:
    """Whether a file is the log of a host program without a trace beside it, of which it would be a
    companion.
    """
    # Compiled programs have such texts too.
    is_text = b"\0" not in head
    return is_text and _PRINTED.search(head) is not None and not _has_trace(path.parent)


def _has_trace(folder: Path) -> bool:
    """Whether the folder, or `traces/` in it, has a trace whose loader reads the log as a companion."""
    from data_loaders.aie.trace import AieTraceLoader  # noqa: PLC0415 - for few files of results

    loader = AieTraceLoader()
    for place in (folder, folder / _TRACES):
        files = (file for pattern in _TRACE_FILES for file in place.glob(pattern))
        for file in islice(files, _MAX_EXAMINED):
            try:
                if loader.sniff(file, read_head(file)) is None:
                    return True
            except (LoadError, OSError):
                continue
    return False


def read_wall_clock(path: Path, numbers: NumberCollector, place: str) -> FileFacts:
    """Read the times and rates of a log; sizes and hardware come from the folder in `place` if it
    follows the convention of the script.
    """
    from data_loaders.aie.settings import settings_from_path  # noqa: PLC0415 - as above

    text = read_text(path)
    facts = FileFacts("host-program", settings_from_path(place))
    found: dict[str, dict[str, float]] = {"matmul time": {}, "gflops": {}}
    for which, quantity, number, unit in _LINE.findall(text):
        if quantity == "gflops" or unit:
            found[quantity][_FIELDS[which]] = float(number)
    times, rates = (_statistics(found[name]) for name in found)
    if found["matmul time"]:
        numbers.add("NPU matmul time", [], "us", LESS, place=path.name, given=times)
    if found["gflops"]:
        numbers.add("NPU matmul rate", [], "GFLOP/s", MORE, place=path.name, given=rates)
    if text and not text.endswith("\n"):
        words = "the last line has no line break: the log may be cut there"
        facts.findings.append(Diagnostic("info", "file_cut", words, path.name))
    return facts


def _statistics(found: Mapping[str, float]) -> Statistics:
    return Statistics(
        minimum=found.get("minimum"), maximum=found.get("maximum"), mean=found.get("mean")
    )
