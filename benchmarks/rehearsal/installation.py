"""The parts of a team's installation, each in a process of its own on this machine."""

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
"""Seconds to wait for a server."""


@dataclass
class Server:
    """A server of Tilescope that keeps its port when it restarts."""

    port: int
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    restarts: int = 0

    @property
    def resources(self) -> Served:
        """Handle for its processor time and memory."""
        if self.process is None:
            raise RuntimeError("the server was not started")
        return Served(f"http://127.0.0.1:{self.port}", self.process.pid)

    def start(self) -> None:
        """Start it in a process group of its own, and wait until it is ready."""
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with (
                suppress(OSError),
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5),
            ):
                return
            time.sleep(0.1)
        raise TimeoutError(self.log.read_text())

    def kill(self) -> None:
        """Kill it and its workers in the middle of their work."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.restarts += 1

    def stop(self) -> None:
        """Terminate it and wait until it has finished its requests."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(_PATIENCE_S)


@dataclass
class Installation:
    """All parts of an installation.

    These are servers behind nginx, PostgreSQL, an object storage, a Dask scheduler with workers,
    and a receiver of alerts. Commands with `environment` use the same store.
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
        """Address of the web site."""
        return f"http://127.0.0.1:{self.port}"

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of Tilescope on the store."""
        command = [sys.executable, "-m", "app", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=600,
        )


@contextmanager
def install(folder: Path) -> Iterator[Installation]:
    """Create an installation without servers; yield it, and end all parts afterwards."""
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
            # A new store would write the monthly files of all runs now, a store in use writes those
            # of a day at night.
            "compact_every": "",
            "auth": "proxy",
            "trusted_proxies": "127.0.0.1/32",
        }
        # The endpoint comes last: requests shall pass the proxy that delays them.
        environment = os.environ | moto.environment | {"AWS_ENDPOINT_URL": storage.endpoint}
        environment |= {f"TILESCOPE_{name.upper()}": str(value) for name, value in named.items()}
        (folder / "dask").mkdir()
        cluster: DaskCluster = stack.enter_context(dask_cluster(folder / "dask", 0))
        environment["TILESCOPE_DASK_SCHEDULER"] = cluster.address
        with _environment(environment):
            # Workers read the settings of the store from the environment.
            for _ in range(_WORKERS):
                cluster.add_worker()
        yield Installation(folder, database, storage, cluster, receiver, dict(environment))


@contextmanager
def serve(installation: Installation) -> Iterator[None]:
    """Start two servers, and nginx in front of them."""
    with ExitStack() as stack:
        for name in ("one", "two"):
            server = Server(
                free_port(), installation.environment, installation.folder / f"{name}.log"
            )
            installation.servers.append(server)
            stack.callback(server.stop)
            server.start()
        door = stack.enter_context(sign_in())
        ports = tuple(server.port for server in installation.servers)
        installation.port = stack.enter_context(nginx(installation.folder / "nginx", ports, door))
        yield


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for processes that are started within the context."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
