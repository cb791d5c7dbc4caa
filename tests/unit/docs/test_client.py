"""`docs/tilescope_client.py` against a real server: as a module, and as a command of a build system."""

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

from tests.support.aie_trace import trace_text
from tests.support.command_line import run as run_command
from tests.support.live_server import running
from tests.support.warm_processes import ROOT

PROGRAM = ROOT / "docs" / "tilescope_client.py"
PART = 1_000


def loaded():
    spec = importlib.util.spec_from_file_location("tilescope_client", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client_module = loaded()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that only tokens open."""
    folder = tmp_path_factory.mktemp("server")
    with running(folder, auth="proxy", trusted_proxies="192.0.2.1/32") as opened:
        yield opened


@pytest.fixture(scope="module")
def token(server):
    """The text of a token that may write."""
    return app(server, "token", "create", "--scope", "write", "--name", "ci").stdout.splitlines()[0]


@pytest.fixture
def client(server, token, monkeypatch):
    monkeypatch.setattr(client_module.time, "sleep", lambda _seconds: None)
    return client_module.Client(f"http://127.0.0.1:{server.port}", token, tries=3)


@pytest.fixture
def command(server, token):
    """Run the program and return its exit code, output and errors."""

    def run(*arguments, **environment):
        named = {"TILESCOPE_URL": f"http://127.0.0.1:{server.port}", "TILESCOPE_TOKEN": token} | environment
        line = [sys.executable, "-I", PROGRAM, "--tries", "2", *arguments]
        done = subprocess.run(list(map(str, line)), env=os.environ | named, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


def app(server, *arguments):
    return run_command(*arguments, "--data", server.data)


def trace(folder, name="trace_mm_64_64_64.json", **shape):
    path = folder / name
    path.write_text(trace_text(**shape))
    return path


@pytest.fixture
def broken(monkeypatch):
    """Let the answers to the first requests of a method be lost; return the methods of all requests."""
    real, asked = urllib.request.urlopen, []

    def lose(method, times):
        def flaky(request, timeout):
            asked.append(request.get_method())
            answer = real(request, timeout=timeout)
            if request.get_method() == method and asked.count(method) <= times:
                answer.close()
                raise ConnectionResetError("reset")
            return answer

        monkeypatch.setattr(urllib.request, "urlopen", flaky)
        return asked

    return lose


def test_a_file_becomes_a_run_with_settings(client, tmp_path):
    found = client.upload([trace(tmp_path)], {"hwid": "npu2", "commit": "0123abc"})["runs"]
    assert [run["status"] for run in found] == ["new"]
    run = client.run(found[0]["run_id"])
    assert (run["hwid"], run["commit"]) == ("npu2", "0123abc")


def test_files_that_belong_together_become_one_run(client, samples):
    files = sorted(path for path in (samples / "tpu_mlir").rglob("*") if path.is_file())
    assert len(client.upload(files, {"tags": "nightly"})["runs"]) == 1
    assert [run["source"] for run in client.runs(tag="nightly")] == ["tpu_mlir"]


def test_a_large_file_is_sent_in_parts_and_goes_on_where_a_connection_broke(client, tmp_path, monkeypatch, broken):
    monkeypatch.setattr(client_module, "PART_BYTES", PART)
    asked = broken("PATCH", 1)
    path = trace(tmp_path, iterations=5)
    found = client.upload([path], {"hwid": "parts"})["runs"]
    assert found[0]["status"] == "new"
    assert asked.count("PATCH") == -(-path.stat().st_size // PART) + 1, "one part is sent again and refused"
    assert asked.count("HEAD") == 2


def test_an_upload_that_was_given_up_goes_on(client, tmp_path, monkeypatch, broken):
    monkeypatch.setattr(client_module, "PART_BYTES", PART)
    path = trace(tmp_path, iterations=6)
    with pytest.MonkeyPatch.context() as patch:
        real = urllib.request.urlopen

        def refuse(request, timeout):
            if request.get_header("Upload-offset") == str(PART):
                raise ConnectionRefusedError("refused")
            return real(request, timeout=timeout)

        patch.setattr(urllib.request, "urlopen", refuse)
        with pytest.raises(client_module.Unreachable) as failed:
            client.upload([path])
    asked = broken("none", 0)
    upload = str(failed.value).rpartition("--resume ")[2].rstrip(")")
    assert client.upload([path], resume=upload)["runs"][0]["status"] == "new"
    assert asked.count("PATCH") == -(-path.stat().st_size // PART) - 1, "the first part is not sent again"


def test_runs_are_listed_over_pages(client, tmp_path, monkeypatch):
    sent = {client.upload([trace(tmp_path, kernels=3 + n)], {"hwid": "pages"})["runs"][0]["run_id"] for n in range(3)}
    real = client._ask
    monkeypatch.setattr(
        client, "_ask", lambda method, path, *more: real(method, path.replace("limit=200", "limit=1"), *more)
    )
    found = [run["run_id"] for run in client.runs(hwid="pages")]
    assert len(found) == 3
    assert set(found) == sent


def test_frames_annotations_and_jobs(client, tmp_path):
    run_id = client.upload([trace(tmp_path, gap=20)], {"hwid": "npu2"})["runs"][0]["run_id"]
    rows = client.frame(run_id, "kernels")
    assert len(rows) == len(pd.read_parquet(BytesIO(client.frame(run_id, "kernels", "parquet")))) > 0
    changed = client.annotate(run_id, notes="slow", tags=["a", "b"], pinned=True)
    assert (changed["notes"], changed["tags"], changed["pinned"]) == ("slow", ["a", "b"], True)
    job = client.wait(client.start("derive", runs=[run_id])["id"], pause_s=0.1)
    assert (job["state"], job["done"]) == ("done", 1)


def test_a_busy_server_is_asked_again(client, monkeypatch):
    real, answers = urllib.request.urlopen, []

    def busy(request, timeout):
        answers.append(1)
        if len(answers) == 1:
            head = {"Retry-After": "5"}
            raise urllib.error.HTTPError(request.full_url, 429, "busy", head, BytesIO(b'{"detail": "busy"}'))
        return real(request, timeout=timeout)

    waited = []
    monkeypatch.setattr(client_module.time, "sleep", waited.append)
    monkeypatch.setattr(urllib.request, "urlopen", busy)
    assert client.me()["role"] == "editor"
    assert waited == [5]


def test_a_build_uploads_and_checks_as_the_gate_does(server, command, tmp_path):
    code, output, _ = command("upload", trace(tmp_path, stall=6_000), "--set", "hwid=gate")
    assert code == 0
    base = output.strip()
    assert app(server, "baseline", "set", "main", base).exit_code == 0
    code, output, _ = command("upload", trace(tmp_path, stall=7_000), "--set", "hwid=gate", "--json")
    run = json.loads(output)["runs"][0]["run_id"]
    gate = app(server, "check", run, "--baseline", "main", "--format", "json")
    code, output, _ = command("check", run, "--baseline", "main")
    assert json.loads(gate.stdout)["verdict"] in output
    assert gate.exit_code == code


def test_frames_are_written_to_a_file(command, tmp_path):
    run = command("upload", trace(tmp_path), "--set", "hwid=npu2")[1].strip()
    assert command("frame", run, "kernels", "--output", tmp_path / "kernels.csv")[0] == 0
    assert len(pd.read_csv(tmp_path / "kernels.csv")) > 0
    line = command("runs", "--where", "hwid=npu2", "--limit", "1", "--json")[1]
    assert json.loads(line)["hwid"] == "npu2"


def test_runs_and_jobs_are_a_short_line_each(command, tmp_path):
    run = command("upload", trace(tmp_path, gap=33), "--set", "hwid=short")[1].strip()
    outputs = [command("runs", "--where", "hwid=short"), command("annotate", run, "--tag", "nightly")]
    outputs.append(command("derive", run))
    for code, output, _ in outputs:
        assert code == 0
        assert output.count("\n") == 1
        assert len(output) < 200
        assert "{" not in output
    assert [run[:12] in output for _, output, _ in outputs] == [True, True, False]


def test_errors_are_one_line_and_a_code(command, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no trace")
    cases = [
        (1, ("upload", path), {}),
        (1, ("upload", tmp_path / "missing.json"), {}),
        (1, ("frame", "0123", "kernels"), {}),
        (1, ("runs",), {"TILESCOPE_TOKEN": "tsc_no_such"}),
        (3, ("check", "0123", "--baseline", "none"), {}),
        (3, ("check", "0123", "--baseline", "none"), {"TILESCOPE_URL": "http://127.0.0.1:9"}),
        (1, ("runs",), {"TILESCOPE_URL": "http://127.0.0.1:9"}),
    ]
    for wanted, arguments, environment in cases:
        code, output, errors = command(*arguments, **environment)
        assert (code, output) == (wanted, ""), arguments
        assert errors.startswith("Error: ")
        assert errors.count("\n") == 1
    assert (command("upload")[0], command("check")[0], command("check", "a", "--no-such")[0]) == (2, 3, 3)


def test_it_needs_nothing_that_is_installed():
    code = "import sys; sys.argv = ['x', '--help']; import runpy; runpy.run_path(sys.argv.pop(), run_name='none')"
    line = [sys.executable, "-I", "-S", "-c", code.replace("sys.argv.pop()", repr(str(PROGRAM)))]
    assert subprocess.run(line, check=False, cwd=Path("/")).returncode == 0
