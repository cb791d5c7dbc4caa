"""Uploads that are finished as one: what belongs together becomes one run, and a lost answer can be had again."""

import pytest

from app.server.limits import takes_files
from tests.support.aie_trace import trace_text
from tests.support.tpu_log import ATTEMPTS, group_cache, log

FINISH = "/api/v1/uploads/finish"
HERE = {"Sec-Fetch-Site": "same-origin"}
"""As a browser says of the server's own page; a program without it and without a token is refused."""
FOLDER = "npu2-gemm_64_32_16-2_row_1_col/traces"
TRACE = f"{FOLDER}/trace_mm_64_32_16.json"
GROUP = {TRACE: trace_text(), f"{FOLDER}/index.json": '{"warmup": 3}', "notes.txt": "hello"}


@pytest.fixture
def send(dashboard):
    """Send a file in parts of a few bytes up to its end, or to `until`, and return its address."""

    def sent(name, text, until=None, **settings):
        content = text.encode()
        new = {"name": name, "size": len(content), "settings": settings}
        begun = dashboard.http.post("/api/v1/uploads", json=new, headers=HERE)
        assert begun.status_code == 201, begun.text
        place = begun.headers["Location"]
        for offset in range(0, until or len(content), 4096):
            part = content[offset : min(offset + 4096, until or len(content))]
            answer = dashboard.http.patch(
                place, data=part, headers=HERE | {"Upload-Offset": str(offset)}
            )
            assert answer.status_code == 204, answer.text
        return place

    return sent


@pytest.fixture
def finish(dashboard):
    """Finish uploads as one, by their addresses."""

    def finished(*places, **more):
        ids = [place.rpartition("/")[2] for place in places]
        return dashboard.http.post(FINISH, json={"uploads": ids} | more, headers=HERE)

    return finished


@pytest.fixture
def offset_of(dashboard):
    """Ask how far an upload is; None where there is none."""

    def asked(place):
        answer = dashboard.http.head(place)
        return int(answer.headers["Upload-Offset"]) if answer.status_code == 200 else None

    return asked


def runs_of(dashboard):
    return dashboard.repository.runs()


@pytest.mark.slow
def test_files_of_a_folder_become_one_run_as_those_of_a_form_do(dashboard, send, finish, offset_of):
    places = [send(name, text) for name, text in GROUP.items()]
    answer = finish(*places)
    assert answer.status_code == 201, answer.text
    assert [(run["file"], run["status"]) for run in answer.json["runs"]] == [(TRACE, "new")]
    reasons = {entry["path"]: entry["reason"] for entry in answer.json["skipped"]}
    assert set(reasons) == {f"{FOLDER}/index.json", "notes.txt"}
    assert reasons[f"{FOLDER}/index.json"].startswith("read along with")
    assert runs_of(dashboard).loc[0, ["hwid", "M", "warmup", "companions"]].tolist() == [
        "npu2",
        64,
        3,
        "index.json",
    ]
    assert [offset_of(place) for place in places] == [None] * 3


@pytest.mark.slow
def test_a_log_is_read_with_what_was_sent_beside_it(dashboard, send, finish):
    files = {"net/small.log": log(*ATTEMPTS), "net/small.layer_group_cache.json": group_cache()}
    answer = finish(*[send(name, text) for name, text in files.items()])
    assert len(answer.json["runs"]) == 1, answer.text
    assert runs_of(dashboard).loc[0, "companions"] == "small.layer_group_cache.json"


@pytest.mark.slow
def test_an_answer_that_was_lost_can_be_asked_for_again(dashboard, send, finish, offset_of):
    places = [send(name, text) for name, text in GROUP.items()]
    first, again = finish(*places, keep=True), finish(*places, keep=True)
    assert (first.status_code, again.status_code) == (201, 200)
    ids = [[run["run_id"] for run in answer.json["runs"]] for answer in (first, again)]
    assert ids[0] == ids[1]
    assert [run["status"] for run in again.json["runs"]] == ["unchanged"]
    assert len(runs_of(dashboard)) == 1
    assert None not in [offset_of(place) for place in places]
    assert dashboard.http.delete(places[0], headers=HERE).status_code == 204
    assert offset_of(places[0]) is None


@pytest.mark.slow
def test_settings_of_the_finish_hold_over_those_of_the_uploads(dashboard, send, finish):
    places = [send(name, text, hwid="npu1", warmup="1") for name, text in GROUP.items()]
    assert finish(*places, settings={"hwid": "npu9"}).status_code == 201
    assert runs_of(dashboard).loc[0, ["hwid", "warmup"]].tolist() == ["npu9", 1]


def test_uploads_of_different_settings_are_not_one(send, finish, offset_of):
    places = [send("a.json", trace_text(), hwid="npu1"), send("b.json", trace_text(), hwid="npu2")]
    answer = finish(*places)
    assert answer.status_code == 422
    assert "same settings" in answer.json["detail"]
    assert None not in [offset_of(place) for place in places]


def test_what_is_not_there_whole_is_not_finished(dashboard, send, finish, offset_of):
    whole, half = send(TRACE, trace_text()), send("b.json", trace_text(), until=5_000)
    answer = finish(whole, half)
    assert answer.status_code == 409
    assert "5000" in answer.json["detail"]
    assert (offset_of(half), len(runs_of(dashboard))) == (5_000, 0)
    assert finish(whole, "/nothing").status_code == 404
    assert offset_of(whole) is not None


def test_what_no_loader_reads_is_told_file_by_file(send, finish):
    answer = finish(*[send(name, "hello") for name in ("a.json", "b.csv")])
    assert answer.status_code == 422
    assert {entry["path"] for entry in answer.json["skipped"]} == {"a.json", "b.csv"}


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "names", [("../../out.json", "/etc/out.json"), ("a/b.json", "a/b.json"), ("..", "x\\..\\y")]
)
def test_names_stay_below_a_folder_and_apart(settings, send, finish, names):
    answer = finish(*[send(name, trace_text()) for name in names])
    assert answer.status_code in (201, 422), answer.text
    told = [run["file"] for run in answer.json["runs"]] + [
        entry["path"] for entry in answer.json["skipped"]
    ]
    assert sorted(told) == sorted(names)
    outside = [
        p for p in settings.data.parent.rglob("*") if p.is_file() and settings.data not in p.parents
    ]
    assert outside == []
    assert list((settings.data / "uploads").iterdir()) == []


def test_a_file_and_a_folder_of_one_name_are_refused_in_words(send, finish, offset_of):
    places = [send(name, trace_text()) for name in ("a", "a/b.json")]
    answer = finish(*places)
    assert answer.status_code == 400
    assert "a/b.json" in answer.json["detail"]
    assert None not in [offset_of(place) for place in places]


@pytest.mark.parametrize(
    "body", [{}, {"uploads": []}, {"uploads": "x"}, {"uploads": ["x"] * 5_001}, {"uploads": [1]}]
)
def test_a_body_that_does_not_fit_is_refused(dashboard, body):
    assert dashboard.http.post(FINISH, json=body, headers=HERE).status_code == 422


def test_only_parts_and_files_may_be_large():
    assert [takes_files(f"/api/v1/uploads/{rest}") for rest in ("0f", "0f/finish", "finish")] == [
        True,
        False,
        False,
    ]


@pytest.mark.slow
def test_the_operation_is_described(dashboard):
    described = dashboard.get("/api/v1/openapi.json").json
    operation = described["paths"][FINISH]["post"]
    assert operation["operationId"] == "finishUploads"
    assert "FinishedUploads" in described["components"]["schemas"]
