"""The official client connects by every revision and on both ways, and reads the same."""

import json
import subprocess
import sys

import pytest

from tests.support.command_line import run
from tests.support.live_server import running
from tests.support.services import ROOT, TOOLS

CALLS = [["find_runs", {"source": ["minimalloc"]}], ["describe_run", {"run": "ffff"}]]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The folder of a store with a run."""
    folder = tmp_path_factory.mktemp("data")
    problem = tmp_path_factory.mktemp("problem") / "problem.200.csv"
    problem.write_text("id,lower,upper,size\na,0,3,100\nb,1,4,80\n")
    assert run("ingest", "--data", str(folder / "data"), str(problem)).exit_code == 0
    return folder


def told(spec):
    """Return what the client says."""
    if not TOOLS.exists():
        pytest.fail(f"{TOOLS} is missing: run `make services`")
    client = ROOT / "tests" / "support" / "mcp_client.py"
    done = subprocess.run(
        [TOOLS, client],
        input=json.dumps(spec | {"calls": CALLS}),
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(answer, revision):
    assert answer["revision"] == revision
    assert "find_runs" in answer["tools"]
    found, unknown = answer["answers"]
    assert [one["source"] for one in found["data"]["data"]["runs"]] == ["minimalloc"]
    assert unknown["error"]


MODES = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_on_stdin_and_stdout(data, mode, revision):
    spec = {
        "command": sys.executable,
        "args": ["-m", "app", "mcp", "--data", str(data / "data")],
        "cwd": str(ROOT),
    }
    check(told(spec | {"mode": mode}), revision)


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_over_http(data, mode, revision):
    with running(data) as server:
        check(told({"url": f"http://127.0.0.1:{server.port}/mcp", "mode": mode}), revision)
