"""Commands of the tutorial on designs run on its sample and print what the tutorial quotes."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import good, run

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "tutorials" / "design.md").read_text()
COMMANDS = [
    shlex.split(line.strip().removeprefix("python -m app "))
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
    if line.strip().startswith("python -m app ")
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A data folder with the run of the tutorial, and the run's id."""
    data = str(tmp_path_factory.mktemp("data"))
    folder = str(ROOT / "samples" / "aie_design" / "stalls")
    (ingested,) = json.loads(good(run("ingest", folder, "--data", data, "--json")))["runs"]
    return data, ingested["run_id"]


def test_the_tutorial_ingests_its_sample():
    assert [words for words in COMMANDS if words[0] == "ingest"] == [
        ["ingest", "samples/aie_design/stalls"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words[0] != "ingest"], ids=lambda words: words[0]
)
def test_a_command_of_the_tutorial_runs(store, words):
    data, run_id = store
    given = [run_id if word == "RUN" else word for word in words]
    assert good(run(*given, "--data", data)).strip()


@pytest.mark.slow
def test_the_tutorial_quotes_what_the_command_prints(store):
    data, run_id = store
    printed = good(run("design", run_id, "--data", data))
    quoted = [
        text for text in re.findall(r"`([^`\n]+)`", TEXT) if " for " in text or " to bank " in text
    ]
    assert len(quoted) == 3
    assert all(text in printed for text in quoted)


def test_the_line_of_the_buffer_is_in_the_sample():
    name, path = re.search(r"grep -n (\S+) (\S+)", TEXT).groups()
    assert f"%{name} = aie.buffer" in (ROOT / path).read_text()


def test_the_headline_of_the_sample_is_that_of_the_list(store):
    data, run_id = store
    listed = json.loads(good(run("runs", "--data", data, "--json")))
    (row,) = listed["runs"] if isinstance(listed, dict) else listed
    headline = row["headline"]
    assert (row["run_id"], headline["kind"]) == (run_id, "rate")
    assert f"{headline['value']:.1f} {headline['unit']}" in TEXT
    assert f"{100 * headline['detail']:.1f} % {headline['detail_of']}" in TEXT
