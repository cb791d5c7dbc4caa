"""The embedded default without what only a team's installation needs; and what is said where it is missing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("authlib", "joserfc", "distributed", "dask", "obstore", "psycopg")
_WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r})); "


def without_extras(code, **environment):
    """Run Python code in a process that has none of the optional packages; return what it printed."""
    command = [sys.executable, "-c", _WITHOUT + code]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def command(*arguments, **environment):
    code = f"sys.argv = ['app', *{arguments!r}]; from app.cli.main import main; main(prog_name='app')"
    return without_extras(code, **{f"TILESCOPE_{name.upper()}": value for name, value in environment.items()})


def test_the_default_installation_has_none_of_them():
    locked = {re.split("[=<>]", line)[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert not {*EXTRAS, "psycopg-binary"} & locked


def test_the_embedded_store_and_its_server_need_none_of_them(tmp_path):
    data = str(tmp_path)
    code, told, errors = command("ingest", "samples/minimalloc", "--data", data)
    assert (code, errors) == (0, "")
    assert "new" in told
    serve = "from app.server.factory import create_app; from app.config.settings import Settings; import pathlib; "
    asked = f"app = create_app(Settings(data=pathlib.Path({data!r}))); "
    asked += "print(app.server.test_client().get('/api/v1/runs').json['runs'][0]['source'])"
    assert without_extras(serve + asked)[:2] == (0, "minimalloc\n")


@pytest.mark.parametrize(
    ("environment", "arguments"),
    [
        ({"database_url": "postgresql+psycopg://h/d"}, ("runs",)),
        ({"frames_url": "s3://bucket/prefix"}, ("ingest", "samples/minimalloc")),
        ({"dask_scheduler": "tcp://127.0.0.1:1"}, ("ingest", "samples/minimalloc")),
        (
            {"auth": "oidc", "oidc_issuer": "http://i", "oidc_client_id": "i", "oidc_client_secret": "s"}
            | {"secret_key": "k" * 40},
            ("serve", "--port", "1"),
        ),
    ],
)
def test_what_is_missing_is_one_sentence(tmp_path, environment, arguments):
    code, _, errors = command(*arguments, data=str(tmp_path), **environment)
    assert code == 1
    assert errors.count("\n") == 1
    assert "requirements-hosting.txt" in errors
