"""`compile-time`: the numbers of the service as JSON, the longest of each kind in words, and what has no rewrites."""

import json

import pytest

from services.run.compile_time import compile_mapping, find_compile_time
from tests.support.command_line import good, run

SHOWN = 15


@pytest.fixture
def ask(pairs):
    return lambda name, *args: run(
        "compile-time", pairs.run(name)[:12], *args, "--data", pairs.place
    )


def parts_of(text):
    """Return the sentence, and the lines below each of the three headings."""
    sentence, *lines = text.splitlines()
    parts = {}
    for line in lines:
        heading = line.split()[-1]
        if line.lstrip().startswith(("time ", "own time ")):
            parts[heading] = []
        else:
            parts[[*parts][-1]].append(line)
    return sentence, parts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["profile", "sample training"])
def test_json_is_what_the_service_says(ask, pairs, name):
    found = json.loads(good(ask(name, "--json")))
    expected = compile_mapping(find_compile_time(pairs.repository, pairs.run(name)))
    assert found == json.loads(json.dumps(expected))
    assert found["total"] == sum(step["duration"] for step in found["steps"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["profile", "sample training"])
def test_text_has_the_longest_steps_rules_and_ranges(ask, name):
    found = json.loads(good(ask(name, "--json")))
    _, parts = parts_of(good(ask(name)))
    assert [*parts] == ["step", "rule", "range"]
    assert [line.split("  ")[-1] for line in parts["step"]] == [
        one["name"] for one in found["steps"][:SHOWN]
    ]
    assert len(parts["rule"]) == min(len(found["rules"]), SHOWN)
    longest = sorted(found["ranges"], key=lambda one: -one["own"])[:SHOWN]
    assert [line.split("  ")[-1] for line in parts["range"]] == [one["name"] for one in longest]


def test_a_training_has_ranges_that_the_compiler_traced(ask):
    assert parts_of(good(ask("sample training")))[1]["range"]
