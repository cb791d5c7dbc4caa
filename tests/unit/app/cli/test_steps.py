"""`steps`: the steps of a profile as the service has them, in words, and what has none."""

import json

import pytest

from analysis.kernels.step_times import FILLS
from components.kernels.step_words import FILL_LABELS
from ingest.files import ingest
from samples.tinygrad_capture import START
from samples.tinygrad_writer import Maker
from services.run.steps import find_step_times, steps_mapping
from tests.support.command_line import good, run


@pytest.fixture
def ask(pairs):
    return lambda name, *args: run("steps", pairs.run(name)[:12], *args, "--data", pairs.place)


@pytest.fixture
def marked(settings, tmp_path):
    """Give what takes in a profile of a kernel and markers, and the arguments of the command for it."""

    def args(*markers):
        maker = Maker("0.12").device("CPU")
        maker.kernel("r_8", "r_8", {"ops": 1, "lds": 8, "mem": 8}, source="void r_8() {}")
        maker.launch("CPU", 1, "r_8", START)
        maker.range("CPU", "r_8", START, str(START + 10))
        for rank, name in enumerate(markers):
            maker.marker(name, START + 100 * rank)
        path = tmp_path / "profile.pkl"
        path.write_bytes(maker.profile())
        run_id = ingest(settings.repository(), [path], {}).runs[0].run_id
        return "steps", run_id, "--data", settings.data

    return args


@pytest.mark.parametrize("name", ["profile", "sample training"])
def test_json_is_what_the_service_says_and_the_parts_fill_each_step(ask, pairs, name):
    found = json.loads(good(ask(name, "--json")))
    assert found == steps_mapping(find_step_times(pairs.repository, pairs.run(name)))
    assert found["steps"]
    assert all(sum(step["fill"].values()) == step["duration"] for step in found["steps"])


def test_text_has_a_sentence_and_a_line_per_step(ask):
    steps = json.loads(good(ask("profile", "--json")))["steps"]
    sentence, heading, *lines = good(ask("profile")).splitlines()
    assert f"{sum(step['counted'] for step in steps)} counted steps" in sentence
    parts = [FILL_LABELS[part] for part in FILLS if any(step["fill"][part] for step in steps)]
    assert heading.split() == ["time", *parts, "executions", "step"]
    assert [
        line.endswith(f"{step['kernels']}  {step['name']}")
        for line, step in zip(lines, steps, strict=True)
    ] == [True] * len(steps)


@pytest.mark.slow
def test_a_profile_without_markers_has_no_steps(ask):
    assert good(ask("profile unmarked")).count("\n") == 1
    assert json.loads(good(ask("profile unmarked", "--json"))) == {
        "steps": [],
        "step_ns": None,
        "series": [],
    }


@pytest.mark.slow
def test_of_many_steps_the_first_are_printed_and_the_rest_counted(marked):
    args = marked(*(f"train @ {step}" for step in range(104)))
    _, _, *lines, more = good(run(*args)).splitlines()
    assert (len(lines), "3" in more.split()) == (100, True)
    assert len(json.loads(good(run(*args, "--json")))["steps"]) == 103


@pytest.mark.slow
def test_steps_with_names_of_their_own_are_listed_too(marked):
    args = marked("load", "train\x1b[2J", "end")
    shown = good(run(*args))
    assert "\x1b" not in shown
    _, _, *lines = shown.splitlines()
    assert len(lines) == 2
    assert [one["median"] for one in json.loads(good(run(*args, "--json")))["series"]] == [
        None,
        None,
    ]
