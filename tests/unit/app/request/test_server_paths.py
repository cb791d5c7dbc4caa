"""No answer says where something lies on the server."""

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.settings import Settings
from app.request.server_paths import HIDDEN, without_server_paths
from app.server.factory import create_app
from components.runs.list_address import LIST_PATH
from data_loaders.aie.trace import AieTraceLoader
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            "frame events is missing from /tmp/x/frames/ab/cd",
            f"frame events is missing from {HIDDEN}",
        ),
        (
            "the catalogue sqlite:////tmp/catalogue.db cannot be used: no",
            f"the catalogue {HIDDEN} cannot be used: no",
        ),
        ("at postgresql+psycopg://me:secret@db/x.", f"at {HIDDEN}."),
        (
            "FileNotFoundError: [Errno 2] no file: '/etc/passwd'",
            f"FileNotFoundError: [Errno 2] no file: '{HIDDEN}'",
        ),
        ("cannot read (/usr/lib/x).", f"cannot read ({HIDDEN})."),
        ("/srv/my data/frames/a is gone", f"{HIDDEN} is gone"),
        (
            "A snapshot is of 1 to 20 runs: /snapshot?run=<id>",
            "A snapshot is of 1 to 20 runs: /snapshot?run=<id>",
        ),
        (
            "outputs/npu2/trace.json: 3 GMAC/s, 1/2, and/or",
            "outputs/npu2/trace.json: 3 GMAC/s, 1/2, and/or",
        ),
    ],
)
def test_places_are_taken_out_and_the_rest_stays(sentence, told):
    assert without_server_paths(sentence, ["/srv/my data"]) == told


@given(st.text(st.sampled_from("ab:/. '\0"), max_size=300))
def test_any_text_passes(sentence):
    assert "/tmp/" not in without_server_paths(sentence + " /tmp/x")  # noqa: S108


def test_long_texts_are_quick():
    for unit in ("a", "/", "a/", "a:", "://", "a.b+"):
        without_server_paths(unit * 60_000)


class TestAnswers:
    """The store is broken in every way at hand, and every route is asked."""

    @pytest.fixture
    def place(self, tmp_path):
        return tmp_path / "a place"

    @pytest.fixture
    def served(self, place):
        return DashClient(create_app(Settings(data=place / "data")))

    @pytest.fixture
    def run(self, served):
        answer = served.http.post("/api/upload?name=t.json", data=trace_text().encode())
        return answer.json["runs"][0]["run_id"]

    def answers(self, served, run):
        paths = [
            "/",
            f"/run/{run}",
            f"/export/{run}/events.json",
            f"/table/{run}.csv",
            f"/snapshot?run={run}",
        ]
        paths += [
            "/health",
            f"/export/{run}/nothing.csv",
            "/export/nobody/run.json",
            "/snapshot?run=nobody",
        ]
        got = [
            served.get(path, headers={"Accept": accept})
            for path in paths
            for accept in ("*/*", "text/html")
        ]
        got.append(
            served.http.post("/api/upload?name=u.json", data=trace_text(iterations=4).encode())
        )
        for path in ("/", LIST_PATH, f"/run/{run}", "/run/nobody"):
            got.append(served.post("_pages_content.children", **{"_pages_location.pathname": path}))
        return [answer.text for answer in got]

    @pytest.mark.quick_every(4)
    @pytest.mark.parametrize("broken", ["nothing", "frames", "catalogue", "all"])
    def test_no_answer_names_a_place(self, served, run, place, broken):
        repository = served.repository
        if broken in ("frames", "all"):
            shutil.rmtree(place / "data" / "frames")
        if broken in ("catalogue", "all"):
            repository.catalogue.close()
            (place / "data" / "catalogue.db").write_bytes(b"no database" * 100)
        for text in self.answers(served, run):
            assert str(place) not in text
            assert "sqlite:" not in text

    def test_a_loader_that_fails_names_no_place(self, served, place, monkeypatch):
        def broken(_self, path, *_args, **_named):
            raise FileNotFoundError(2, "No such file", str(path.parent / "other" / "answer.json"))

        monkeypatch.setattr(AieTraceLoader, "load", broken)
        answer = served.http.post("/api/upload?name=t.json", data=trace_text().encode())
        assert answer.status_code == 422
        assert str(place) not in answer.text
        assert "a place" not in answer.text
