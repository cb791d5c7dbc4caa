"""The command `pace`."""

import json

import pytest

from ingest.files import ingest
from tests.support.command_line import run
from tests.support.gemm_trace import entries
from tests.support.paced_trace import TILES, array_cores, array_settings


@pytest.fixture
def stored(settings, tmp_path):
    """Return what ingests a text and gives the arguments of the command for its run."""

    def args(name, text, given=()):
        path = tmp_path / name
        path.write_text(text)
        run_id = ingest(settings.repository(), [path], dict(given)).runs[0].run_id
        return "pace", run_id, "--data", settings.data

    return args


def capture_text(**planted):
    return json.dumps(entries(*array_cores(**planted)))


def test_a_capture_has_limiters_and_a_row_per_core(stored):
    result = run(
        *stored("trace.json", capture_text(longer={"3,1": 60}), array_settings()), "--json"
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert [(one["rank"], one["what"], one["where"]) for one in found["limiters"]] == [
        (1, "kernels", "core 3,1")
    ]
    assert [tile["tile"] for tile in found["tiles"]] == sorted(f"core {tile}" for tile in TILES)
    assert {"elapsed", "gmacs", "limiters", "tiles", "sentence"} == set(found)


@pytest.mark.slow
def test_text_answers_first_and_lists_the_core_without_slack_first(stored):
    args = stored("trace.json", capture_text(longer={"3,1": 60}), array_settings())
    sentence, *_, first, _, _, _ = run(*args).stdout.splitlines()
    assert sentence == json.loads(run(*args, "--json").stdout)["sentence"]
    assert first.startswith("core 3,1")


@pytest.mark.slow
def test_settings_given_change_the_rates(stored):
    args = stored("trace.json", capture_text(), array_settings())
    usual, faster = (
        json.loads(run(*args, "--json", *more).stdout)["gmacs"]
        for more in ((), ("--set", "clock_hz=2.5GHz"))
    )
    assert faster == pytest.approx(2 * usual)


def test_a_run_without_iterations_is_an_error_in_one_line(stored):
    result = run(*stored("map.csv", "id,lower,upper,size\na,0,2,64\n"), "--json")
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert not result.stdout
