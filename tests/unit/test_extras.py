"""The embedded default without what only a team's installation needs; and what is said where it is missing."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("authlib", "joserfc", "distributed", "dask", "obstore", "psycopg")
INSTALLATIONS = (
    ({"database_url": "postgresql+psycopg://h/d"}, ("runs",)),
    ({"frames_url": "s3://bucket/prefix"}, ("ingest", "samples/minimalloc")),
    ({"dask_scheduler": "tcp://127.0.0.1:1"}, ("ingest", "samples/minimalloc")),
    (
        {
            "auth": "oidc",
            "oidc_issuer": "http://i",
            "oidc_client_id": "i",
            "oidc_client_secret": "s",
        }
        | {"secret_key": "k" * 40},
        ("serve", "--port", "1"),
    ),
)
"""Settings of installations that need a package each, and a command that comes upon it."""
_WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r})); "


def run_without_extras(code):
    """Run Python code in a process that has none of the optional packages; return the JSON that it printed."""
    command = [sys.executable, "-c", _WITHOUT + code]
    return json.loads(
        subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True, env={}).stdout
    )


def test_the_default_installation_has_none_of_them():
    locked = {
        re.split("[=<>]", line)[0] for line in (ROOT / "requirements.txt").read_text().splitlines()
    }
    assert not {*EXTRAS, "psycopg-binary"} & locked


@pytest.mark.slow
def test_the_embedded_store_and_its_server_need_none_of_them(tmp_path):
    code = f"""
import json, pathlib
from app.config.settings import Settings
from app.server.factory import create_app
from tests.support.command_line import run
ingested = run("ingest", "samples/minimalloc", "--data", {str(tmp_path)!r})
app = create_app(Settings(data=pathlib.Path({str(tmp_path)!r})))
listed = app.server.test_client().get("/api/v1/runs").json["runs"]
print(json.dumps([ingested.exit_code, ingested.stdout, ingested.stderr, listed[0]["source"]]))
"""
    exit_code, printed, errors, source = run_without_extras(code)
    assert (exit_code, errors) == (0, "")
    assert "new" in printed
    assert source == "minimalloc"


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What each of INSTALLATIONS gives without them: exit code and errors; they share a process, as one takes long."""
    folder = str(tmp_path_factory.mktemp("refused"))
    code = f"""
import json, os
from tests.support.command_line import run
results = []
for settings, arguments in {INSTALLATIONS!r}:
    settings = {{f"TILESCOPE_{{name.upper()}}": value for name, value in settings.items()}}
    os.environ.update(settings, TILESCOPE_DATA={folder!r})
    result = run(*arguments)
    results.append([result.exit_code, result.stderr, type(result.exception).__name__])
    for name in settings:
        del os.environ[name]
print(json.dumps(results))
"""
    return run_without_extras(code)


@pytest.mark.parametrize("rank", range(len(INSTALLATIONS)))
def test_what_is_missing_is_one_sentence(refused, rank):
    exit_code, errors, exception = refused[rank]
    assert (exit_code, exception) == (1, "SystemExit")
    assert errors.count("\n") == 1
    assert "requirements-hosting.txt" in errors


@pytest.mark.slow
def test_what_single_sources_have_beside_is_said_where_it_is_missing(tmp_path):
    code = f"""
import json, sys
sys.modules.update(dict.fromkeys(("numba", "llvmlite", "onnx", "google", "tinygrad")))
from tests.support.command_line import run
from app.config.settings import load_settings
ingested = run("ingest", "samples/deeploy", "--data", {str(tmp_path)!r})
repository = load_settings(data={str(tmp_path)!r}).repository()
found = [repository.frame_of(run, "diagnostics")["message"].tolist() for run in repository.catalogue.runs()]
print(json.dumps([ingested.exit_code, sum(found, [])]))
"""
    exit_code, found = run_without_extras(code)
    assert exit_code == 0
    assert [
        message for message in found if "onnx" in message and "requirements-full.txt" in message
    ]


@pytest.mark.slow
def test_the_history_of_the_demo_is_written_without_them(tmp_path):
    code = f"""
import json, pathlib, sys
sys.modules.update(dict.fromkeys(("numba", "llvmlite", "onnx", "google", "tinygrad")))
from samples.history import write_history
print(json.dumps(write_history(pathlib.Path({str(tmp_path)!r})).name))
"""
    assert run_without_extras(code).endswith(".json")
    assert [*tmp_path.glob("deeploy/*/deeployStates/backend_post_parsing.onnx")]
