"""Servers of a team's installation on free ports of this machine: PostgreSQL, S3, an OpenID Connect
provider.
"""

import contextlib
import ctypes
import http.client
import os
import pwd
import signal
import subprocess
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".venv-services" / "bin" / "python"
BUCKET = "tests"
_DIE_WITH_PARENT = 1


@dataclass
class Postgres:
    """A PostgreSQL cluster; `new()` makes an empty database and returns its URL."""

    port: int
    folder: Path
    names: count = field(default_factory=count)
    process: subprocess.Popen | None = None

    def new(self, template="template1"):
        name = f"t{next(self.names)}"
        with self.connect("postgres") as connection:
            connection.execute(f"create database {name} template {template}")
        return f"postgresql+psycopg://tests@127.0.0.1:{self.port}/{name}"

    def copy(self, url):
        """Copy a database to which nobody is connected, and return the URL of the copy."""
        return self.new(url.rpartition("/")[2])

    def connect(self, database):
        """Connect to a database with the driver itself, in autocommit mode."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="tests", dbname=database, autocommit=True
        )

    def start(self):
        options = [
            "-p",
            str(self.port),
            "-h",
            "127.0.0.1",
            "-k",
            str(self.folder),
            "-c",
            "fsync=off",
        ]
        command = [
            _postgres_bin() / "postgres",
            "-D",
            str(self.folder / "data"),
            *options,
            "-c",
            "max_connections=90",
        ]
        self.process = _started(command, self.folder / "log", **_as_someone())
        wait_until(
            lambda: self.connect("postgres").close() or True, psycopg.OperationalError, OSError
        )

    def stop(self):
        _end(self.process, signal.SIGINT)


@contextlib.contextmanager
def postgres_in(folder):
    """Context with a PostgreSQL cluster in a folder."""
    someone = _as_someone()
    if someone:
        for place in (folder, *folder.parents):  # the cluster's user has to reach it
            with contextlib.suppress(PermissionError):
                place.chmod(place.stat().st_mode | 0o011)
        os.chown(folder, someone["user"], someone["group"])
    command = [
        _postgres_bin() / "initdb",
        "-D",
        str(folder / "data"),
        "-A",
        "trust",
        "-U",
        "tests",
        "-E",
        "UTF8",
    ]
    subprocess.run(
        [*map(str, command), "--no-sync"], check=True, capture_output=True, cwd=folder, **someone
    )
    cluster = Postgres(free_port(), folder)
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()


@dataclass
class ObjectStorage:
    """An S3 server; `environment` has the variables that clients need."""

    endpoint: str
    names: count = field(default_factory=count)

    @property
    def environment(self):
        keys = {
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests-secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        return {"AWS_ENDPOINT_URL": self.endpoint} | {
            name: os.environ.get(name, key) for name, key in keys.items()
        }

    def new(self):
        """Return a URL in the bucket below which there are no objects yet."""
        return f"s3://{BUCKET}/{os.getpid()}-{next(self.names)}"


@contextlib.contextmanager
def object_storage_in(folder):
    """Context with an S3 server: the server of S3_ENDPOINT, which must have the bucket `tests`,
    else moto.
    """
    if os.environ.get("S3_ENDPOINT"):
        yield ObjectStorage(os.environ["S3_ENDPOINT"].rstrip("/"))
        return
    port = free_port()
    code = "import sys; from moto.server import main; sys.exit(main())"
    process = _started(
        [_tools(), "-c", code, "-H", "127.0.0.1", "-p", str(port)], folder / "s3.log"
    )
    try:
        wait_until(lambda: asked(port, "PUT", f"/{BUCKET}") == 200, OSError)
        yield ObjectStorage(f"http://127.0.0.1:{port}")
    finally:
        _end(process)


@contextlib.contextmanager
def sign_in_provider(folder):
    """Context with the address of an OpenID Connect provider that accepts every name."""
    port = free_port()
    command = [_tools(), "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    process = _started(command, folder / "oidc.log")
    try:
        wait_until(lambda: asked(port, "GET", "/.well-known/openid-configuration") == 200, OSError)
        yield f"http://127.0.0.1:{port}"
    finally:
        _end(process)


def asked(port, method, path):
    """Send a request to a port of this machine and return the status of the response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request(method, path)
        return connection.getresponse().status


def _tools():
    if not TOOLS.exists():
        pytest.fail(f"{TOOLS} is missing: run `make services`")
    return TOOLS


def _postgres_bin():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.fail("PostgreSQL is missing: run `make services`")
    return found[-1].parent


def _as_someone():
    """Return the arguments that start a process as user postgres if this process is root:
    PostgreSQL refuses root.
    """
    if os.geteuid():
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _started(command, log, **who):
    with log.open("ab") as output:
        return subprocess.Popen(
            list(map(str, command)),
            cwd=log.parent,
            stdout=output,
            stderr=output,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - no thread is alive when the fixtures start
            **who,
        )


def _die_with_parent():
    """Let the kernel kill this process when its parent ends, so that a killed test run leaves no
    server behind.
    """
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _end(process, how=signal.SIGTERM):
    process.send_signal(how)
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
