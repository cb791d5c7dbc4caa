"""Inputs with exactly one of each thing read well on every page and in every command."""

import json
import re

import pytest

from app.views.view import FAILED
from components.runs.list_address import LIST_PATH
from ingest.files import ingest
from tests.support.command_line import run as run_command
from tests.support.page_texts import page_texts
from tests.support.single import write_single

PLURAL = re.compile(
    r"(?<![\w.,\u202f\u00a0+−×/:-])(?<!× )1[ \u202f\u00a0](?:[a-z-]+ )?(?!ns\b|µs\b|ms\b)"
    r"(?:cycle|step|block|kernel|run|tile|bank|node|core|iteration|event|operator|buffer|sample"
    r"|device|level|attempt|execution|call|copy|copie|row|setting|finding|key|layer|group|tick"
    r"|byte|value|number|marker|file|lock|channel|flow|rank|stream|thread|instruction)s\b"
)
"""One thing with a noun in the plural."""
ODD = re.compile(r"(?<![\d.,\u202f])1 of 1 (?!B\b|byte)|\b(?:nan|inf)\b|\bNaN\b")
COMMANDS = (
    *("advise", "allocate", "breakdown", "compile-time", "design", "groups", "idle", "memory"),
    *("ops", "pace", "peak", "plan", "predict", "ranks", "steps", "tiling"),
)


def badly_said(text):
    """List the lines of a text that count one thing as several, or as a part of one."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if PLURAL.search(line) or ODD.search(line)]


def odd_texts(page):
    """List the odd texts of a page; a null of a grid is not shown."""
    texts = [shown.text for shown in page_texts(json.loads(page))]
    return [*filter(badly_said, texts), *(text for text in texts if FAILED in text)]


def graphs(part):
    """Yield the figures of a page."""
    if isinstance(part, list):
        for child in part:
            yield from graphs(child)
    elif isinstance(part, dict):
        props = part.get("props") or {}
        if part.get("type") == "Graph" and props.get("figure"):
            yield props["figure"]
        yield from graphs(list(props.values()) if props else list(part.values()))


def is_empty(figure):
    """Whether a figure shows axes without a point or a note."""
    data = figure.get("data") or []
    layout = figure.get("layout") or {}
    is_drawn = any(
        axis.get("visible", True) for name, axis in layout.items() if name[1:].startswith("axis")
    )
    return (
        is_drawn
        and not layout.get("annotations")
        and not any(
            len(trace.get(name) or []) for trace in data for name in ("x", "y", "z", "labels")
        )
    )


@pytest.fixture
def singles(signed_in, tmp_path):
    """A store with a run of each source: source -> id."""
    repository = signed_in("edgar").repository
    inputs = write_single(tmp_path / "in")
    found = {
        name: ingest(repository, [folder], settings).runs
        for name, (folder, settings) in inputs.items()
    }
    assert {name: len(runs) for name, runs in found.items()} == dict.fromkeys(inputs, 1)
    return {name: runs[0].run_id for name, runs in found.items()}


def test_one_thing_is_found_in_the_plural():
    assert badly_said("1 cycles per kernel\n1 main kernels, 2\n1 of 1 tile\nmean nan") != []
    good = ["1 cycle", "11 cycles", "0.1 cycles", "1 µs", "1 of 2 tiles", "2 × 1 cores", "1 key is"]
    assert badly_said("\n".join(good)) == []


@pytest.mark.slow
def test_pages(signed_in, singles):
    client = signed_in("edgar")
    paths = ["/", "/status", LIST_PATH, "/trends", "/matrix"]
    pages = {path: client.open(path) for path in paths}
    for name, run in singles.items():
        pages[name] = client.open(f"/run/{run}")
        pages[f"{name}, compared"] = client.open("/compare", f"?base={run}&new={run}")
    odd = {path: odd_texts(page) for path, page in pages.items()}
    assert {path: texts for path, texts in odd.items() if texts} == {}
    empty = {path: sum(map(is_empty, graphs(json.loads(page)))) for path, page in pages.items()}
    assert empty == dict.fromkeys(pages, 0)


@pytest.mark.slow
def test_a_single_kernel_has_no_percentiles(signed_in, singles):
    page = json.loads(signed_in("edgar").open(f"/run/{singles['aie']}"))
    texts = {shown.text.strip() for shown in page_texts(page)}
    assert not texts & {"median", "p95"}
    assert "duration" in texts


@pytest.mark.slow
def test_commands(tmp_path):
    data = tmp_path / "data"
    printed = {}
    for name, (folder, settings) in write_single(tmp_path / "in").items():
        given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        added = run_command("ingest", folder, "--data", data, *given)
        run = re.search(r"\b[0-9a-f]{12}\b", added.output)[0]
        printed[f"ingest {name}"] = added
        printed[f"explain {name}"] = run_command("explain", folder)
        printed[f"compare {name}"] = run_command("compare", run, run, "--data", data)
        for command in COMMANDS:
            printed[f"{command} {name}"] = run_command(command, run, "--data", data)
    for command in ("runs", "admin", "trend"):
        printed[command] = run_command(command, "--data", data)
    raised = {name: result.exception for name, result in printed.items()}
    assert [
        name for name, error in raised.items() if not isinstance(error, SystemExit | None)
    ] == []
    odd = {name: badly_said(result.output) for name, result in printed.items()}
    assert {name: lines for name, lines in odd.items() if lines} == {}
