"""Explanation of a run in one bounded record: the first sentences, numbers and findings of its page.

It also names the commands that show more, so that an assistant need not guess which apply.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.mcp.bounded_results import UNTRUSTED
from app.run_records import peaks_record
from app.views.run_words import first_sentence, strip_metrics, strip_scopes
from app.views.state import RunState
from components.aie.captions import health_caption
from components.counts import with_unit
from components.headline import headline_text
from components.health import worst_first
from components.numbers import in_unit, tame
from schema.choices import METHODS
from schema.headlines import headline_of
from schema.metrics import METRICS
from schema.rounding import THIN
from services.run.capabilities import Capability
from services.run.data import RunData

MAX_CHARACTERS = 23_800
"""Maximum length of an explanation as JSON in characters: about 6,000 tokens."""
MAX_RUNS = 5
"""Maximum number of runs that are explained; further runs are counted."""
_MAX_FINDINGS, _MAX_TEXT = 20, 600
"""Maximum number of findings of a run, and characters of a text."""
_COMMANDS: Mapping[str, tuple[Capability, ...]] = MappingProxyType(
    {
        "pace": (Capability.ITERATIONS,),
        "design": (Capability.DESIGN,),
        "predict": (Capability.PREDICTIONS,),
        "breakdown": (Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES),
        "idle": (Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES),
        "ops": (Capability.OPERATORS,),
        "steps": (Capability.NAMED_KERNELS,),
        "compile-time": (Capability.REWRITES,),
        "groups": (Capability.LAYER_GROUPS,),
        "peak": (Capability.MEMORY,),
        "allocate": (Capability.ADDRESSES, Capability.PLAN),
        "tiling": (Capability.TILING,),
    }
)
"""Command about a run -> the capabilities that the run needs for it."""

Record = dict[str, Any]


def explain_run(data: RunData) -> Record:
    """Explain a run: id, name, source, headline (None without one), sentences, numbers with units,
    health (a sentence that counts the findings), findings (worst first), and the commands that show
    more.
    """
    row = data.run.iloc[0]
    headline = headline_of(str(row["source"]), data.headline)
    findings = worst_first(data.diagnostics)
    return {
        "run_id": data.run_id,
        "name": _plain(str(row["name"])),
        "source": str(row["source"]),
        "headline": None if headline is None else _plain(headline_text(headline)),
        "sentences": [_plain(sentence) for sentence in _sentences(data)],
        "numbers": [*_numbers(data)],
        "health": _plain(health_caption(data.diagnostics)),
        "findings": [
            {name: _value(finding[name]) for name in ("severity", "code", "message", "location")}
            for finding in findings.head(_MAX_FINDINGS).to_dict("records")
        ],
        "commands": [name for name, needs in _COMMANDS.items() if data.can(*needs)],
    }


def bounded_explanation(runs: Sequence[Record], skipped: Sequence[Record], left_out: int) -> Record:
    """Join the explanations of runs to a record of at most MAX_CHARACTERS (23,800) as JSON.

    `skipped` are files that were not read, with their reasons. If the record is too long, findings
    are left out first, the last findings of the run with most; then skipped files, then numbers.
    """
    files = list(skipped)
    record: Record = {
        "runs": list(runs),
        "runs_left_out": left_out,
        "skipped": files,
        "untrusted": UNTRUSTED,
    }
    while len(json.dumps(record, ensure_ascii=False)) > MAX_CHARACTERS:
        part = _longest(runs, "findings") or files or _longest(runs, "numbers")
        if not part:
            # The texts of MAX_RUNS runs are short of the limit without any list.
            break
        # A tenth at a time: the record is measured again after each cut.
        del part[len(part) - max(1, len(part) // 10) :]
    return record


def _longest(runs: Sequence[Record], name: str) -> list[Record]:
    """Return the longest of the lists of this name."""
    lists: list[list[Record]] = [run[name] for run in runs]
    return max(lists, key=len, default=[])


def explanation_lines(record: Record) -> Iterator[str]:
    """Write an explanation as lines: a run's sentences first, then its numbers and findings."""
    for run in record["runs"]:
        yield f"{run['name']} ({run['source']}, {run['run_id'][:12]})"
        if run["headline"]:
            yield f"  {run['headline']}"
        yield from (f"  {sentence}" for sentence in run["sentences"])
        for number in run["numbers"]:
            scope = f" ({number['scope']})" if number["scope"] else ""
            yield f"  {number['label']}: {number['text']}{scope}"
        yield f"  {run['health']}"
        for finding in run["findings"]:
            place = f" ({finding['location']})" if finding["location"] else ""
            yield f"  {finding['severity']}: {finding['message']}{place}"
        yield f"  commands that show more: {', '.join(run['commands']) or 'none'}"
    if record["runs_left_out"]:
        yield f"{record['runs_left_out']} more runs are not explained: give fewer files"
    yield from (f"not read: {one['path']}: {one['reason']}" for one in record["skipped"])


def _sentences(data: RunData) -> Iterator[str]:
    """Yield the first sentence of the run's page, and the sentence about its memory peak."""
    sentence = str(first_sentence(data, RunState()))
    if sentence:
        yield sentence
    try:
        yield str(peaks_record(data)["sentence"])
    except ValueError:
        # A run without a memory map, or without bytes in use, has no peak to describe.
        return


def _numbers(data: RunData) -> Iterator[Record]:
    """Yield the numbers at the top of the page that are known, with their units and the part that
    they cover.
    """
    scopes = strip_scopes(data, METHODS[0])
    for name in strip_metrics(data):
        value = data.headline.get(name)
        if value is not None:
            metric = METRICS[name]
            text = in_unit(value, metric.unit)
            yield {
                "name": name,
                "label": metric.label,
                "value": _value(value),
                "unit": metric.unit,
                "text": _plain(with_unit(text, metric.unit)),
                "scope": _plain(str(scopes.get(name, ""))),
            }


def _value(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return _plain(str(value)) if isinstance(value, str) else value


def _plain(text: str) -> str:
    text = tame(text).replace(THIN, " ")
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
