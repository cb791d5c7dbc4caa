"""Parse Deeploy's log: operations per layer, memory usage, failed allocations, cycles of tiles.

Formats: the log with `-v`, the printout of the test runner, and profiles of tiled code in both
spellings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from data_loaders.deeploy.tile_times import has_tile_times, layer_cycles, tile_findings, tile_times
from data_loaders.deeploy.untiled import has_untiled_times, operator_counters
from data_loaders.deeploy.usage import usage_report
from schema.diagnostics import Diagnostic
from schema.plurals import plural

MAX_LOG_BYTES = 64 * 1024**2
"""Bytes of a log that are read."""
_MAX_ERROR_CHARS = 300
"""Characters of an error message that are stored."""

_LINE = re.compile(rb"^(?:\x1b\[[0-9;]*m)*\[Deeploy\](?:\x1b\[[0-9;]*m)* ", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LAYER = re.compile(r"Layer '([^'\n]{1,500})'\n\[Deeploy\] +Number of Operations *: (\d{1,18})\b")
_FAILED = re.compile(
    r"Memory allocator failed .{0,60}?memory level (\S{1,200}) with capacity of (\d{1,18}) bytes"
)
_UNPLACED = re.compile(r"Buffer (\S{1,500}) has no address space assigned")
_INFEASIBLE = re.compile(r"^.{0,200}minimal memory requirement violated.{0,200}$", re.MULTILINE)
_RAISED = re.compile(r"^(\w[\w.]{0,100}(?:Error|Exception)\b.{0,300})", re.MULTILINE)
_TROUBLE = re.compile(
    r"^\[Deeploy\] ([^\n]{0,200}\b(?:[Ee]rror|ERROR|[Ff]ailed)\b[^\n]{0,200})", re.MULTILINE
)
_STRATEGY = re.compile(r"--memAllocStrategy[= ]+['\"]?([\w-]{1,100})")
_SEARCH = re.compile(r"--searchStrategy[= ]+['\"]?([\w-]{1,100})")
_PLATFORM = re.compile(r"^[ \t]{0,20}Platform {1,40}: ([\w-]{1,100})", re.MULTILINE)
_COMMAND = re.compile(r"testMVP\.py[^\n]{0,4000}")
_COMMAND_PLATFORM = re.compile(r" (?:-p|--platform)[ =]([\w-]{1,100})")
_TESTED = re.compile(r"## Testing [^\n]{0,4000}")
_TESTED_PLATFORM = re.compile(r" on ([\w-]{1,100}) Platform")
_LAYERS = re.compile(r"Parsed network with (\d{1,9}) layers")
_DUMPED = re.compile(r"Export Memory Allocation Visualization to (\S{1,1000})")


@dataclass(frozen=True)
class Log:
    """Facts from a log.

    `operations` per layer, in order. `usage`: level, capacity, static, dynamic in bytes (Int64), in
    order. `cycles`: layer, and transfer and compute cycles (Int64) summed over its tiles. `too_large`
    counts numbers that do not fit into a frame: null bytes of `usage`, and layers without cycles.
    `failed`: level and capacity of the failed allocation. `raised`: the error that ended the run,
    else the last error that Deeploy printed. `layers`: number of layers of the network. `tiles`:
    frame `tile_times`. `counters`: frame `operator_counters`. `folder`: the folder that the run was
    written to.
    """

    operations: Mapping[str, int]
    usage: pd.DataFrame
    cycles: pd.DataFrame
    failed: tuple[str, int] | None
    raised: str | None
    layers: int | None
    unplaced: tuple[str, ...]
    strategy: str | None
    search_strategy: str | None
    platform: str | None
    folder: str | None
    allocated: bool
    whole: bool
    too_large: int
    tiles: pd.DataFrame
    counters: pd.DataFrame


def is_log(head: bytes) -> bool:
    """Whether the bytes contain a line that begins with `[Deeploy]`."""
    return _LINE.search(head) is not None


def is_profile(head: bytes) -> bool:
    """Whether the bytes contain cycles of a tile or operator as Deeploy's generated code prints
    them when it is profiled.
    """
    return has_tile_times(head) or has_untiled_times(head)


def read_log(content: bytes) -> Log:
    """Parse a log; fields that it does not contain are `None` or empty.

    Only the first 64 MiB are read.
    """
    text = _COLOUR.sub("", content[:MAX_LOG_BYTES].decode("utf-8", "replace").replace("\r\n", "\n"))
    usage, too_large = usage_report(text)
    tiles = tile_times(text)
    cycles, layers_left_out = layer_cycles(tiles)
    failed = _FAILED.search(text)
    raised = _INFEASIBLE.search(text) or _last(_RAISED, text) or _last(_TROUBLE, text)
    return Log(
        operations={name: int(count) for name, count in _LAYER.findall(text)},
        usage=usage,
        cycles=cycles,
        failed=(failed.group(1), int(failed.group(2))) if failed else None,
        raised=raised.group(raised.lastindex or 0).strip()[:_MAX_ERROR_CHARS] if raised else None,
        layers=int(_first(_LAYERS, text) or 0) or None,
        unplaced=tuple(dict.fromkeys(_UNPLACED.findall(text))),
        strategy=_first(_STRATEGY, text) or ("MiniMalloc" if failed else None),
        search_strategy=_first(_SEARCH, text),
        platform=_platform(text),
        folder=_first(_DUMPED, text),
        allocated=bool(len(usage)) or "Memory allocation successful" in text,
        whole=text.endswith("\n") and len(content) <= MAX_LOG_BYTES,
        too_large=too_large + layers_left_out,
        tiles=tiles,
        counters=operator_counters(text),
    )


def log_findings(log: Log, file: str) -> list[Diagnostic]:
    """Report errors in a log, buffers without an address, a log that is cut off, and the findings
    of `measured_findings`.

    Empty if there are none.
    """
    findings = []
    if log.failed:
        level, capacity = log.failed
        text = f"the allocation of level {level} failed: its buffers do not fit in {plural(capacity, 'byte')}"
        findings.append(Diagnostic("error", "allocation_failed", text, file))
    if log.raised:
        findings.append(
            Diagnostic("error", "run_failed", f"the run ended with {log.raised!r}", file)
        )
    if log.unplaced:
        first = repr(log.unplaced[0][:80])
        text = f"{plural(len(log.unplaced), 'buffer')} without an address are missing from the plot, such as {first}"
        findings.append(Diagnostic("info", "blocks_not_plotted", text, file, len(log.unplaced)))
    if not log.whole:
        text = (
            "the last line is not terminated: the log was cut off, or saved without a final newline"
        )
        findings.append(Diagnostic("warning", "file_cut", text, file))
    return findings + measured_findings(log, file)


def measured_findings(log: Log, file: str) -> list[Diagnostic]:
    """Report how many numbers are too large to be stored, and tiles whose total is not the sum of
    their parts.

    Empty if there are none.
    """
    findings = tile_findings(log.tiles, file)
    if not log.too_large:
        return findings
    text = f"{plural(log.too_large, 'number')} of bytes or cycles ignored: too large to be valid"
    return [*findings, Diagnostic("warning", "numbers_too_large", text, file, log.too_large)]


def _platform(text: str) -> str | None:
    """Find the name of the target in the runner's configuration, else its command line, else its
    title; `None` if it is in none of these.
    """
    platform = _first(_PLATFORM, text)
    for line, part in ((_COMMAND, _COMMAND_PLATFORM), (_TESTED, _TESTED_PLATFORM)):
        match = line.search(text)
        platform = platform or (_first(part, match.group()) if match else None)
    return platform


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match.group(1) if match else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None
