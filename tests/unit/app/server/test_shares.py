"""Costly answers: a few at once, and no client has all of them."""

import contextlib
import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from itertools import islice
from pathlib import Path

import pytest

from app.config.settings import Settings
from app.request.errors import RequestError
from app.server.factory import create_app
from app.server.shares import Shares
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient
from tests.support.exhausting_pickles import EXHAUSTING
from tests.support.live_server import running
from tests.support.waiting import PATIENCE_S, wait_until


@pytest.fixture
def shares():
    return Shares("work", at_once=3, per_client=2, retry_after_s=7)


@pytest.fixture
def client(dashboard):
    """Make a request of an address the current one."""
    return lambda address: dashboard.app.server.test_request_context(
        environ_overrides={"REMOTE_ADDR": address}
    )


def test_a_client_has_its_share_and_no_more(shares, client):
    with client("10.0.0.1"), shares.place(), shares.place():
        with pytest.raises(RequestError) as refused:
            shares.take()
        assert (refused.value.status, refused.value.retry_after_s) == (429, 7)
        with client("10.0.0.2"), shares.place():
            pass
    with client("10.0.0.1"), shares.place():
        pass


def test_all_clients_together_have_so_many_places(shares, client):
    with client("10.0.0.1"), shares.place(), shares.place(), client("10.0.0.2"), shares.place():
        other = client("10.0.0.3")
        with other, pytest.raises(RequestError):
            shares.take()


def readers(server):
    """Return the processes that read pickles for a server."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            session = int(path.read_text().rpartition(")")[2].split()[3])
            if (
                session == server.process.pid
                and b"tinygrad.child" in path.with_name("cmdline").read_bytes()
            ):
                found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(("threads", "at_least_refused"), [(3, 10), (8, 6)])
def test_uploads_that_keep_the_readers_busy_wait_or_are_refused_and_pages_are_answered(
    tmp_path, threads, at_least_refused
):
    forever = EXHAUSTING["a key that is hashed for ever"].content

    def send(server):
        return server.request("/api/upload?name=profile.pkl", "POST", forever)

    # no limit ends a reader: this test does
    limits = {"reader_processor_s": 2 * PATIENCE_S, "reader_clock_s": 2 * PATIENCE_S}
    with (
        running(tmp_path, "--threads", str(threads), **limits) as server,
        ThreadPoolExecutor(12) as clients,
    ):
        sent = [clients.submit(send, server) for _ in range(12)]
        answers = [future.result() for future in islice(as_completed(sent), at_least_refused)]
        for status, headers, body in answers:
            assert (status, json.loads(body)["status"]) == (429, 429)
            assert int(headers["Retry-After"]) > 0
        wait_until(lambda: len(readers(server)) == 2)
        assert [server.request(path)[0] for path in ("/", "/health", "/api/v1/runs")] == [
            200,
            200,
            200,
        ]
        assert len(readers(server)) == 2
        left = [future for future in sent if not future.done()]
        assert len(left) >= 2
        while wait(left, timeout=0.05).not_done:
            for reader in readers(server):
                with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                    os.kill(reader, signal.SIGXCPU)  # as the limit does
        after = [future.result() for future in left]
        assert server.request("/")[0] == 200
    read = [json.loads(body)["detail"] for status, _, body in after if status == 422]
    assert all("exceeded its limit of processor time" in detail for detail in read)
    assert len(read) >= {3: 2, 8: 4}[threads], "who waited in line was read in the end"
    assert {status for status, *_ in after} <= {422, 429}


class TestDownloads:
    @pytest.fixture
    def run(self, upload):
        return upload().json["runs"][0]["run_id"]

    @pytest.fixture
    def paths(self, run):
        return [f"/export/{run}/events.csv", f"/table/{run}.csv", f"/snapshot?run={run}"]

    @pytest.mark.slow
    def test_a_client_cannot_let_exports_pile_up(self, dashboard, paths):
        taken = [dashboard.http.get(paths[0]) for _ in range(20)]
        assert {answer.status_code for answer in taken} == {200, 429}
        assert all(
            int(answer.headers["Retry-After"]) > 0 for answer in taken if answer.status_code == 429
        )
        other = dashboard.get(paths[0], environ_overrides={"REMOTE_ADDR": "10.0.0.9"})
        assert other.status_code == 200
        for answer in taken:
            answer.close()
        assert [dashboard.get(path).status_code for path in paths] == [200, 200, 200]

    def test_a_place_is_given_back_when_an_export_fails(self, dashboard, run):
        for _ in range(20):
            assert dashboard.get(f"/export/{run}/nonsense.csv").status_code == 404

    @pytest.mark.slow
    def test_an_export_has_a_largest_size(self, tmp_path):
        small = DashClient(create_app(Settings(data=tmp_path, max_export_mb=1)))
        answer = small.http.post(
            "/api/upload?name=t.json", data=trace_text(iterations=240, kernels=200).encode()
        )
        run = answer.json["runs"][0]["run_id"]
        refused = small.get(f"/snapshot?run={run}")
        assert refused.status_code == 413
        assert "max_export_mb" in refused.json["detail"]
        for fmt in ("csv", "json", "parquet"):
            assert small.get(f"/export/{run}/events.{fmt}").status_code == 413
            assert small.get(f"/export/{run}/iterations.{fmt}").status_code == 200

    @pytest.mark.parametrize(
        "headers",
        [
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "no-cors",
                "Sec-Fetch-Dest": "image",
            },
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "iframe",
            },
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Origin": "https://evil.example"},
        ],
    )
    def test_other_sites_cannot_fetch_or_frame_them(self, dashboard, paths, headers):
        assert [dashboard.get(path, headers=headers).status_code for path in paths] == [
            403,
            403,
            403,
        ]

    @pytest.mark.quick_every(4)
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document",
            },
        ],
    )
    def test_a_link_that_is_followed_works(self, dashboard, paths, headers):
        assert [dashboard.get(path, headers=headers).status_code for path in paths] == [
            200,
            200,
            200,
        ]
