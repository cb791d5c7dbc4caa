"""Sixty questions of the tutorials are answered through the official client alone, and all right."""

import json
import subprocess
import sys

import pytest

from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.bounded_results import MAX_CHARACTERS
from ingest.files import ingest
from services.run.frames import find_frame
from storage.rules import Rule, Rules
from tests.support.command_line import run
from tests.support.comparisons import SAMPLES
from tests.support.mcp_questions.arrays import ARRAY, DESIGN
from tests.support.mcp_questions.memory import MEMORY
from tests.support.mcp_questions.profiles import PROFILE, TEAM
from tests.support.mcp_questions.question import BASELINE, SAMPLES_OF
from tests.support.services import ROOT, TOOLS

QUESTIONS = [*ARRAY, *DESIGN, *MEMORY, *PROFILE, *TEAM]

pytestmark = pytest.mark.usefixtures("compiled_search")


class Ways:
    """The same numbers by commands and stored frames of a store."""

    def __init__(self, data):
        self._data = data
        self.repository = AppContext.of(load_settings(data=data)).repository
        self.ids = {
            name: ingest(self.repository, [SAMPLES / path], {}).runs[0].run_id
            for name, path in SAMPLES_OF.items()
        }

    def id(self, name):
        return self.ids[name]

    def json(self, command, name="", *arguments):
        own = [self.ids[name]] if name else []
        form = [] if "--format" in arguments else ["--json"]
        return json.loads(run(command, *own, *arguments, *form, "--data", self._data).stdout)

    def compare(self, base, new):
        return self.json("compare", "", self.ids[base], self.ids[new])

    def frame(self, name, frame):
        return find_frame(self.repository, self.ids[name], frame)

    def listed(self, name):
        (row,) = [row for row in self.json("runs") if row["run_id"] == self.ids[name]]
        return row

    def attempt(self, name, number, column):
        rows = self.frame(name, "attempts")
        return int(rows.loc[rows["attempt"] == number, column].iloc[0])

    def largest_alive(self, name, number):
        blocks = self.frame(name, "allocations")
        step = self.attempt(name, number, "peak_step")
        alive = blocks[(blocks["start"] <= step) & (blocks["end"] > step)]
        return str(alive.loc[alive["size"].idxmax(), "name"])

    def longest_kernel(self, name):
        kernels = self.frame(name, "kernels")
        time = (kernels["end"] - kernels["start"]).groupby(kernels["name"].astype("str")).sum()
        return str(time.idxmax())

    def largest_part(self, name):
        parts = self.frame(name, "iteration_parts")
        rest = ["track", "iteration", "work_macs", "elapsed"]
        return str(parts.drop(columns=rest).sum().idxmax())

    def codes(self, name, severity):
        rows = self.frame(name, "diagnostics")
        return [*rows.loc[rows["severity"].astype("str") == severity, "code"]]


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """A store of samples with a rule and a baseline."""
    data = tmp_path_factory.mktemp("data")
    found = Ways(data)
    Rules(found.repository.catalogue).set(Rule("nightly", last=5))
    older = found.id("older")
    assert run("baseline", "set", BASELINE, older, "--data", data).exit_code == 0
    # First the command, which caches the searches of the groups, as a page of the run does.
    found.json("groups", "log")
    yield found, data
    found.repository.catalogue.close()


@pytest.fixture(scope="module")
def answers(ways):
    """Ask all questions in one session of the official client over stdin and stdout."""
    if not TOOLS.exists():
        pytest.fail(f"{TOOLS} is missing: run `make services`")
    found, data = ways
    calls = [[question.tool, _arguments(question, found)] for question in QUESTIONS]
    spec = {
        "command": sys.executable,
        "args": ["-m", "app", "mcp", "--data", str(data)],
        "cwd": str(ROOT),
        "mode": "auto",
        "calls": calls,
    }
    client = ROOT / "tests" / "support" / "mcp_client.py"
    done = subprocess.run(
        [TOOLS, client],
        input=json.dumps(spec),
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["answers"]


def _arguments(question, ways):
    named = {
        key: [ways.ids.get(item, item) for item in value] if isinstance(value, list) else value
        for key, value in question.arguments.items()
    }
    takes_run = question.run and not {"base", "runs"} & named.keys()
    return named | ({"run": ways.id(question.run)} if takes_run else {})


def plain(value):
    """Return a value as JSON has it, with sets as sorted lists."""
    if isinstance(value, set):
        value = sorted(value)
    return json.loads(json.dumps(value))


def test_there_are_sixty_questions_and_no_question_twice():
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS) == 60


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_a_question_is_answered_right(answers, ways, number):
    question = QUESTIONS[number]
    answer = answers[number]
    assert not answer["error"], question.text
    result = answer["data"]
    assert len(json.dumps(result, ensure_ascii=False)) <= MAX_CHARACTERS
    assert result["answer"] and result["link"]
    truth = plain(question.truth(ways[0]))
    found = plain(question.find(result["data"]))
    assert found == (pytest.approx(truth) if isinstance(truth, float) else truth), question.text
