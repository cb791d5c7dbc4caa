"""Ports that tests give to servers."""

import socket
import subprocess
import sys
from pathlib import Path

from tests.support import ports

ROOT = Path(__file__).resolve().parents[2]
OTHER = """
from tests.support import ports

ports.os.getpid = lambda: 1
print(*[ports.free_port() for _ in range(20)])
"""


def test_processes_at_once_get_different_ports_that_no_client_is_given(monkeypatch):
    monkeypatch.setattr(ports.os, "getpid", lambda: 1)
    own = [ports.free_port() for _ in range(20)]
    command = [sys.executable, "-c", OTHER]
    other = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert len({*own, *map(int, other)}) == 40
    first = int(
        Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8").split()[0]
    )
    assert max(own) < first


def test_a_port_that_somebody_listens_on_is_not_given(monkeypatch):
    monkeypatch.setattr(ports.os, "getpid", lambda: 7)
    taken = ports.free_port()
    with socket.create_server(("127.0.0.1", taken)):
        ports._own["ports"].discard(taken)
        assert ports.free_port() != taken
