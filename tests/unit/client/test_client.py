"""`tilescope-client` against a real server: as a module, and as a command of a build system."""

import ast
import json
import os
import subprocess
import sys
import tomllib
import urllib.request
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
import tilescope_client.client
import tilescope_client.transport
from tilescope_client import Client, Run, Unreachable

from tests.support.aie_trace import trace_text
from tests.support.command_line import run as run_command
from tests.support.live_server import running
from tests.support.warm_processes import ROOT

CLIENT = ROOT / "client"
PART = 1_000


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
    monkeypatch.setattr(tilescope_client.transport.time, "sleep", lambda _seconds: None)
    return Client(f"http://127.0.0.1:{server.port}", token, tries=3)


@pytest.fixture
def command(server, token):
    """Run the program and return its exit code, output and errors."""

    def run(*arguments, **environment):
        named = {
            "TILESCOPE_URL": f"http://127.0.0.1:{server.port}",
            "TILESCOPE_TOKEN": token,
        } | environment
        line = [sys.executable, "-S", "-m", "tilescope_client", "--tries", "2", *arguments]
        environ = os.environ | named | {"PYTHONPATH": str(CLIENT)}
        done = subprocess.run(
            list(map(str, line)), env=environ, capture_output=True, text=True, check=False
        )
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
    found = client.push([trace(tmp_path, gap=31)], {"hwid": "npu2", "commit": "0123abc"})["runs"]
    assert [run["status"] for run in found] == ["new"]
    run = client.run(found[0]["run_id"])
    assert (run["hwid"], run["commit"]) == ("npu2", "0123abc")


def test_files_that_belong_together_become_one_run(client, samples):
    files = sorted(path for path in (samples / "tpu_mlir").rglob("*") if path.is_file())
    assert len(client.push(files, {"tags": "together"})["runs"]) == 1
    assert [run["source"] for run in client.runs(tag="together")] == ["tpu_mlir"]


def test_a_large_file_is_sent_in_parts_and_goes_on_where_a_connection_broke(
    client, tmp_path, monkeypatch, broken
):
    monkeypatch.setattr(tilescope_client.client, "PART_BYTES", PART)
    asked = broken("PATCH", 1)
    path = trace(tmp_path, iterations=5)
    found = client.push([path], {"hwid": "parts"})["runs"]
    assert found[0]["status"] == "new"
    assert asked.count("PATCH") == -(-path.stat().st_size // PART) + 1, (
        "one part is sent again and refused"
    )
    assert asked.count("HEAD") == 2


def test_an_upload_that_was_given_up_goes_on(client, tmp_path, monkeypatch, broken):
    monkeypatch.setattr(tilescope_client.client, "PART_BYTES", PART)
    path = trace(tmp_path, iterations=6)
    with pytest.MonkeyPatch.context() as patch:
        real = urllib.request.urlopen

        def refuse(request, timeout):
            if request.get_header("Upload-offset") == str(PART):
                raise ConnectionRefusedError("refused")
            return real(request, timeout=timeout)

        patch.setattr(urllib.request, "urlopen", refuse)
        with pytest.raises(Unreachable) as failed:
            client.push([path])
    asked = broken("none", 0)
    upload = str(failed.value).rpartition("--resume ")[2].rstrip(")")
    assert client.push([path], resume=upload)["runs"][0]["status"] == "new"
    assert asked.count("PATCH") == -(-path.stat().st_size // PART) - 1, (
        "the first part is not sent again"
    )


def test_runs_are_listed_over_pages(client, tmp_path, monkeypatch):
    sent = {
        client.push([trace(tmp_path, kernels=3 + n)], {"hwid": "pages"})["runs"][0]["run_id"]
        for n in range(3)
    }
    real = client.transport.ask
    monkeypatch.setattr(
        client.transport,
        "ask",
        lambda method, path, *more: real(method, path.replace("limit=200", "limit=1"), *more),
    )
    found = [run["run_id"] for run in client.runs(hwid="pages")]
    assert len(found) == 3
    assert set(found) == sent


@pytest.mark.slow
def test_frames_annotations_and_jobs(client, tmp_path):
    run_id = client.push([trace(tmp_path, gap=20)], {"hwid": "npu2"})["runs"][0]["run_id"]
    rows = client.rows(run_id, "kernels")
    assert (
        len(rows)
        == len(pd.read_parquet(BytesIO(client.frame_file(run_id, "kernels", "parquet"))))
        > 0
    )
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
            raise urllib.error.HTTPError(
                request.full_url, 429, "busy", head, BytesIO(b'{"detail": "busy"}')
            )
        return real(request, timeout=timeout)

    waited = []
    monkeypatch.setattr(tilescope_client.transport.time, "sleep", waited.append)
    monkeypatch.setattr(urllib.request, "urlopen", busy)
    assert client.me()["role"] == "editor"
    assert waited == [5]


@pytest.mark.slow
def test_a_build_uploads_and_checks_as_the_gate_does(server, command, tmp_path):
    code, output, _ = command("push", trace(tmp_path, stall=6_000), "--set", "hwid=gate")
    assert code == 0
    base = output.strip().rpartition("/run/")[2]
    assert app(server, "baseline", "set", "main", base).exit_code == 0
    code, output, _ = command("push", trace(tmp_path, stall=7_000), "--set", "hwid=gate", "--json")
    run = json.loads(output)["runs"][0]["run_id"]
    gate = app(server, "check", run, "--baseline", "main", "--format", "json")
    code, output, _ = command("check", run, "--baseline", "main")
    assert json.loads(gate.stdout)["verdict"] in output
    assert gate.exit_code == code


@pytest.mark.slow
def test_frames_are_written_to_a_file(command, tmp_path):
    run = command("push", trace(tmp_path), "--set", "hwid=npu2")[1].strip()
    assert command("frame", run, "kernels", "--output", tmp_path / "kernels.csv")[0] == 0
    assert len(pd.read_csv(tmp_path / "kernels.csv")) > 0
    line = command("runs", "--hwid", "npu2", "--limit", "1", "--json")[1]
    assert json.loads(line)[0]["hwid"] == "npu2"


@pytest.mark.slow
def test_runs_and_jobs_are_a_short_line_each(command, tmp_path):
    run = command("push", trace(tmp_path, gap=33), "--set", "hwid=short")[1].strip()
    outputs = [command("runs", "--hwid", "short"), command("annotate", run, "--tag", "nightly")]
    outputs.append(command("derive", run))
    for code, output, _ in outputs:
        assert code == 0
        assert output.count("\n") == 1
        assert len(output) < 200
        assert "{" not in output
    assert [run.rpartition("/run/")[2][:12] in output for _, output, _ in outputs] == [
        True,
        True,
        False,
    ]


@pytest.mark.slow
def test_errors_are_one_line_and_a_code(command, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no trace")
    cases = [
        (1, ("push", path), {}),
        (1, ("push", tmp_path / "missing.json"), {}),
        (1, ("frame", "0123", "kernels"), {}),
        (1, ("runs",), {"TILESCOPE_TOKEN": "tsc_no_such"}),
        (3, ("check", "0123", "--baseline", "none"), {}),
    ]
    for wanted, arguments, environment in cases:
        assert_refused(wanted, command(*arguments, **environment))
    assert (command("push")[0], command("check")[0], command("check", "a", "--no-such")[0]) == (
        1,
        3,
        3,
    )


@pytest.mark.slow  # it asks again for as long as a server takes to be started anew
def test_a_server_that_is_not_there_is_a_line_and_a_code(command):
    unreachable = {"TILESCOPE_URL": "http://127.0.0.1:9"}
    assert_refused(3, command("check", "0123", "--baseline", "none", **unreachable))


def assert_refused(wanted, told):
    """Assert the exit code of a command, and that it says nothing but why, in one line."""
    code, output, errors = told
    assert (code, output) == (wanted, "")
    assert errors.startswith("Error: ")
    assert errors.count("\n") == 1


@pytest.mark.slow
def test_a_run_without_the_settings_of_its_rates_is_said_loudly(command, tmp_path):
    bare = trace(tmp_path, "capture.json", gap=41)
    code, _, errors = command("push", bare)
    assert code == 0
    (loud,) = [line for line in errors.splitlines() if line.startswith("WARNING")]
    assert {"M", "K", "N"} <= {*loud.replace(",", " ").split()}


@pytest.mark.slow
def test_a_check_has_the_formats_of_the_gate(server, command, tmp_path):
    run = command("push", trace(tmp_path, stall=8_000), "--set", "hwid=formats")[1].strip()
    assert app(server, "baseline", "set", "formats", run.rpartition("/run/")[2]).exit_code == 0
    code, output, _ = command(
        "check", run, "--baseline", "formats", "--format", "junit", "--threshold", "gmacs_mean=5"
    )
    assert (code, output.startswith("<?xml")) == (2, True)
    assert command("check", run, "--baseline", "formats", "--undecided", "pass")[0] == 0


@pytest.mark.slow
def test_tags_are_added(command, tmp_path):
    run = command("push", trace(tmp_path, gap=42), "--set", "tags=first")[1].strip()
    output = command("annotate", run, "--tag", "second", "--tag", "first", "--note", "n", "--json")[
        1
    ]
    found = json.loads(output)
    assert (found["tags"], found["notes"]) == (["first", "second"], "n")


def test_a_frame_is_one_of_pandas_and_a_run_a_link(client, tmp_path):
    run_id = client.push([trace(tmp_path, gap=43)], {"hwid": "npu2"})["runs"][0]["run_id"]
    frame = client.frame(run_id, "kernels")
    assert [*frame["duration"]] == [row["duration"] for row in client.rows(run_id, "kernels")]
    assert f'href="{client.url}/run/{run_id}"' in client.run(run_id)._repr_html_()


def test_names_are_text_in_a_notebook():
    shown = Run({"run_id": "0", "name": "<img src=x>"}, 'http://x/run/"><b>')._repr_html_()
    assert "<img" not in shown
    assert "<b>" not in shown


@pytest.mark.slow
def test_it_needs_nothing_that_is_installed_and_no_new_syntax():
    line = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.append({str(CLIENT)!r}); import tilescope_client",
    ]
    assert subprocess.run(line, check=False, cwd=Path("/")).returncode == 0
    for file in CLIENT.rglob("*.py"):
        ast.parse(file.read_text("utf-8"), feature_version=(3, 9))


def test_client_and_server_are_of_one_release():
    projects = [
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        for folder in (ROOT, CLIENT)
    ]
    assert projects[0]["version"] == projects[1]["version"]
