"""What an uploaded file takes in memory is its reader's: the server that received it grows by little."""

from pathlib import Path

import pytest

from tests.support.large_inputs import MAKERS
from tests.support.live_server import running

GROWTH_BYTES = 64 * 2**20


def resident_bytes(pid):
    """Return the memory of a process, without those that it started."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def worker_of(server):
    """Return the process that answers requests: a child of the server's first process."""
    children = (
        Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    )
    return int(children[0])


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", ["kineto", "onnxruntime"])
def test_a_large_file_is_refused_and_the_server_stays_small(tmp_path, name):
    path = MAKERS[name](tmp_path, 150_000)
    boundary = "one-boundary"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\n\r\n'
    body = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Sec-Fetch-Site": "same-origin",
    }
    with running(tmp_path, reader_memory_mb=64) as server:
        before = resident_bytes(worker_of(server))
        status, _, answer = server.request("/api/v1/runs", "POST", body, headers)
        assert (status, b"setting reader_memory_mb" in answer) == (422, True), answer
        assert resident_bytes(worker_of(server)) < before + GROWTH_BYTES
        assert server.request("/healthz")[0] == 200
