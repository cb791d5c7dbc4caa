"""The parts of a team's installation, each a process of its own on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.rehearsal.slow_storage import SlowStorage, slow_storage
from benchmarks.serving import ROOT, Served
from tests.support.dask_cluster import DaskCluster, dask_cluster
from tests.support.nginx import nginx, sign_in
from tests.support.ports import free_port
from tests.support.receivers import Receiver, receiving
from tests.support.services import Postgres, object_storage_in, postgres_in

_WORKERS = 2
_PATIENCE_S = 120


@dataclass
class Server:
    """A server of Tilescope on a port that it keeps when it is started anew."""

    port: int
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    restarts: int = 0

    @property
    def resources(self) -> Served:
        """Return what tells its processor time and memory."""
        if self.process is None:
            raise RuntimeError("the server was not started")
        return Served(f"http://127.0.0.1:{self.port}", self.process.pid)

    def start(self) -> None:
        """Start it, in a group of its own, and wait until it is ready."""
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=output, stderr=output, start_new_session=True
            )
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5):
                return
            time.sleep(0.1)
        raise TimeoutError(self.log.read_text())

    def kill(self) -> None:
        """End it and its workers at once, with what they were doing."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.restarts += 1

    def stop(self) -> None:
        """Let it end what it is doing."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(_PATIENCE_S)


@dataclass
class Installation:
    """Two servers behind nginx on PostgreSQL and object storage, a Dask scheduler with workers, a receiver of alerts.

    `environment` is what commands need to work on the same store.
    """

    folder: Path
    database: Postgres
    storage: SlowStorage
    cluster: DaskCluster
    receiver: Receiver
    environment: dict[str, str]
    servers: list[Server] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> str:
        """Return what people open."""
        return f"http://127.0.0.1:{self.port}"

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of Tilescope on the store."""
        command = [sys.executable, "-m", "app", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=False, capture_output=True, text=True, timeout=600
        )


@contextmanager
def install(folder: Path) -> Iterator[Installation]:
    """Give an installation without servers yet."""
    with ExitStack() as stack:
        (folder / "database").mkdir()
        database: Postgres = stack.enter_context(postgres_in(folder / "database"))
        moto = stack.enter_context(object_storage_in(folder))
        storage = stack.enter_context(slow_storage(moto.endpoint))
        receiver: Receiver = stack.enter_context(receiving())
        named = {
            "database_url": database.new(),
            "frames_url": moto.new(),
            "data": folder / "data",
            "alert_hosts": receiver.host,
            "alert_secret": "of the rehearsal alone",
            "alert_every_s": 5,
            "auth": "proxy",
            "trusted_proxies": "127.0.0.1/32",
        }
        environment = os.environ | moto.environment | {"AWS_ENDPOINT_URL": storage.endpoint}
        environment |= {f"TILESCOPE_{name.upper()}": str(value) for name, value in named.items()}
        (folder / "dask").mkdir()
        cluster: DaskCluster = stack.enter_context(dask_cluster(folder / "dask", 0))
        environment["TILESCOPE_DASK_SCHEDULER"] = cluster.address
        with _environment(environment):
            for _ in range(_WORKERS):
                cluster.add_worker()
        yield Installation(folder, database, storage, cluster, receiver, dict(environment))


@contextmanager
def serve(installation: Installation) -> Iterator[None]:
    """Start two servers and nginx before them."""
    with ExitStack() as stack:
        for name in ("one", "two"):
            server = Server(free_port(), installation.environment, installation.folder / f"{name}.log")
            installation.servers.append(server)
            stack.callback(server.stop)
            server.start()
        door = stack.enter_context(sign_in())
        ports = tuple(server.port for server in installation.servers)
        installation.port = stack.enter_context(nginx(installation.folder / "nginx", ports, door))
        yield


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Let processes that are started meanwhile have these variables."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
