import gzip
import io
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from data_loaders.reading.safe_names import safe_path
from tests.support.aie_trace import trace_text
from tests.support.archives import write_tar


def run_id(answer):
    return answer.json["runs"][0]["run_id"]


@pytest.mark.slow
def test_health_counts_the_runs(dashboard, upload):
    assert dashboard.get("/health").json == {"status": "ok", "runs": 0}
    upload()
    assert dashboard.get("/health").json["runs"] == 1


def test_an_upload_answers_as_ingest_does(upload):
    answer = upload()
    assert answer.status_code == 200
    run = answer.json["runs"][0]
    assert set(run) == {"file", "run_id", "source", "name", "status", "frames", "diagnostics"}
    assert run["status"] == "new"
    assert answer.json["skipped"] == []


@pytest.mark.slow
def test_the_path_in_the_folder_says_the_settings(dashboard, upload):
    upload()
    runs = dashboard.repository.runs()
    assert runs.loc[0, ["hwid", "M", "rows", "cols"]].tolist() == ["npu2", 64, 2, 1]


@pytest.mark.slow
def test_settings_of_the_query_hold(dashboard, upload):
    upload(hwid="npu1", name="x.json")
    assert dashboard.repository.runs().loc[0, "hwid"] == "npu1"


@pytest.mark.slow
def test_gzip_is_read(upload):
    assert upload(body=gzip.compress(trace_text().encode())).status_code == 200


@pytest.mark.slow
def test_the_same_file_is_the_same_run(upload):
    first, second = upload(), upload()
    assert run_id(first) == run_id(second)
    assert second.json["runs"][0]["status"] == "unchanged"


@pytest.mark.parametrize(
    ("query", "body", "status"),
    [
        ({"name": ""}, None, 400),
        ({}, b"", 422),
        ({}, b"hello", 422),
        ({"clock_hz": "fast"}, None, 422),
        ({"nonsense": "1"}, None, 422),
        ({}, b"x" * (2**20 + 1), 413),
    ],
)
def test_what_is_not_taken_says_why_in_one_sentence(upload, query, body, status):
    answer = upload(body=body, **query)
    assert answer.status_code == status, answer.text
    assert set(answer.json) - {"runs", "skipped"} == {"type", "title", "status", "detail"}
    assert "Traceback" not in answer.text
    assert "upload-" not in answer.json["detail"], "the temporary name is nobody's business"


def test_each_refused_file_has_its_own_reason(dashboard):
    parts = {"a.json": "hello", "b.csv": "hello", "c.pkl": "hello"}
    form = [("file", (io.BytesIO(text.encode()), name)) for name, text in parts.items()]
    answer = dashboard.http.post(
        "/api/upload", data=MultiDict(form), content_type="multipart/form-data"
    )
    assert answer.status_code == 422
    reasons = {entry["path"]: entry["reason"] for entry in answer.json["skipped"]}
    assert [
        ("aie" in reasons[n], "minimalloc" in reasons[n], "tinygrad" in reasons[n]) for n in parts
    ] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert answer.json["detail"].startswith(reasons["a.json"])
    assert answer.json["detail"].endswith("(2 more files)")


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    "name", ["../../escaped.json", "/etc/passwd", "a\0b.json", "x" * 5000, "</script>.json"]
)
def test_a_name_is_never_a_path(upload, settings, name: str):
    upload(name=name)
    outside = [
        p for p in settings.data.parent.rglob("*") if p.is_file() and settings.data not in p.parents
    ]
    assert outside == []
    assert list((settings.data / "uploads").iterdir()) == []


@pytest.mark.slow
def test_an_archive_is_a_folder(dashboard, upload, settings, tmp_path):
    place = "npu2-gemm_64_32_16-2_row_1_col/traces"
    members = {
        f"{place}/trace_mm_64_32_16.json": trace_text().encode(),
        f"{place}/index.json": b'{"warmup": 3}',
        "notes.txt": b"hello",
    }
    archive = write_tar(tmp_path / "nightly.tar.gz", members)
    answer = upload(name="sent/nightly.tar.gz", body=archive.read_bytes())
    assert answer.status_code == 200, answer.text
    root = "sent/nightly.tar.gz"
    assert [run["file"] for run in answer.json["runs"]] == [
        f"{root}/{place}/trace_mm_64_32_16.json"
    ]
    reasons = {entry["path"]: entry["reason"] for entry in answer.json["skipped"]}
    assert set(reasons) == {f"{root}/{place}/index.json", f"{root}/notes.txt"}
    assert str(settings.data) not in answer.text
    runs = dashboard.repository.runs()
    assert runs.loc[0, ["hwid", "M", "warmup"]].tolist() == ["npu2", 64, 3]


@pytest.mark.slow
def test_files_that_belong_together_are_one_run(dashboard):
    place = "npu2-gemm_64_32_16-2_row_1_col/traces"
    parts = {
        f"{place}/trace_mm_64_32_16.json": trace_text(),
        f"{place}/index.json": '{"warmup": 3}',
        "notes.txt": "hello",
    }
    form = [("file", (io.BytesIO(text.encode()), name)) for name, text in parts.items()]
    answer = dashboard.http.post(
        "/api/upload", data=MultiDict(form), content_type="multipart/form-data"
    )
    assert answer.status_code == 200, answer.text
    assert [run["file"] for run in answer.json["runs"]] == [f"{place}/trace_mm_64_32_16.json"]
    reasons = {entry["path"]: entry["reason"] for entry in answer.json["skipped"]}
    assert "trace_mm_64_32_16.json" in reasons[f"{place}/index.json"]
    assert reasons["notes.txt"]
    runs = dashboard.repository.runs()
    assert runs.loc[0, ["hwid", "M", "warmup", "companions"]].tolist() == [
        "npu2",
        64,
        3,
        "index.json",
    ]


def test_a_form_cannot_leave_its_folder(dashboard, settings):
    names = ["../../out.json", "/etc/passwd", "a/b", "a", "x\\..\\y.json", "." * 300, "n" * 999]
    form = [("file", (io.BytesIO(trace_text().encode()), name)) for name in names]
    dashboard.http.post("/api/upload", data=MultiDict(form), content_type="multipart/form-data")
    outside = [
        p for p in settings.data.parent.rglob("*") if p.is_file() and settings.data not in p.parents
    ]
    assert outside == []
    assert list((settings.data / "uploads").iterdir()) == []


@given(name=st.text(max_size=400))
def test_any_name_becomes_a_path_below_its_folder(name: str):
    path = safe_path(name)
    assert not path.is_absolute()
    assert ".." not in path.parts
    assert all(0 < len(part) <= 100 for part in path.parts)


@pytest.mark.slow
def test_uploads_of_killed_processes_are_swept(upload, settings):
    left = settings.data / "uploads" / "upload-left"
    left.mkdir(parents=True)
    (left / "part").write_text("half")
    upload()
    assert not left.exists()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "frame", ["run", "events", "kernels", "iterations", "activity", "diagnostics"]
)
def test_frames_are_exported(dashboard, upload, frame: str):
    answer = dashboard.get(f"/export/{run_id(upload())}/{frame}.json")
    assert answer.status_code == 200
    assert isinstance(answer.json, list)
    assert "attachment" in answer.headers["Content-Disposition"]


@pytest.mark.slow
def test_the_three_formats_agree(dashboard, upload):
    run = run_id(upload())
    fetch = {
        fmt: dashboard.get(f"/export/{run}/kernels.{fmt}").data
        for fmt in ("json", "csv", "parquet")
    }
    durations = [row["duration"] for row in json.loads(fetch["json"])]
    assert pd.read_csv(io.BytesIO(fetch["csv"]))["duration"].tolist() == durations
    assert pd.read_parquet(io.BytesIO(fetch["parquet"]))["duration"].tolist() == durations


@pytest.mark.slow
def test_the_query_says_method_and_settings(dashboard, upload):
    run = run_id(upload())
    as_is, slower = (
        dashboard.get(f"/export/{run}/iterations.json?method=reference{more}").json
        for more in ("", "&clock_hz=1000000")
    )
    assert slower[0]["gmacs_per_s"] < as_is[0]["gmacs_per_s"]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("nobody/run.json", 404),
        ("{run}/nonsense.json", 404),
        ("{run}/kernels.xml", 404),
        ("{run}/kernels.json?method=best", 400),
        ("{run}/kernels.json?clock_hz=fast", 400),
    ],
)
def test_what_cannot_be_exported_says_why(dashboard, upload, path: str, status: int):
    answer = dashboard.get(
        "/export/" + path.format(run=run_id(upload())), headers={"Accept": "application/json"}
    )
    assert answer.status_code == status, answer.text
    assert set(answer.json) == {"type", "title", "status", "detail"}


def test_a_browser_gets_a_page_and_a_program_gets_json(dashboard):
    page = dashboard.get("/export/<b>/run.json", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert page.mimetype == "text/html"
    assert "<b>" not in page.text
    assert dashboard.get("/api/nonsense").status_code == 404


def test_an_unexpected_error_is_a_sentence(dashboard, monkeypatch):
    repository = dashboard.repository
    monkeypatch.setattr(type(repository), "check", lambda _self: 1 / 0)
    answer = dashboard.get("/health")
    assert answer.status_code == 500
    assert set(answer.json) == {"type", "title", "status", "detail"}
    assert "division" not in answer.text


@pytest.mark.slow
def test_a_snapshot_is_one_file_to_download(dashboard, upload):
    answer = dashboard.get(f"/snapshot?run={run_id(upload())}&method=reference")
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?run=nobody", 404), ("?run=x" + "&run=x" * 20, 400)]
)
def test_a_snapshot_of_nothing_says_why(dashboard, query: str, status: int):
    answer = dashboard.get("/snapshot" + query, headers={"Accept": "application/json"})
    assert answer.status_code == status
    assert set(answer.json) == {"type", "title", "status", "detail"}


@pytest.mark.slow
def test_a_table_is_exported_under_its_selection(dashboard, upload):
    run = run_id(upload(m="32"))
    whole = dashboard.get(f"/table/{run}.json?table=kernels").json
    tile = dashboard.get(f"/table/{run}.json?table=kernels&track=core+2,0").json
    assert {row["track"] for row in whole} == {"core 2,0", "core 3,0"}
    assert {row["track"] for row in tile} == {"core 2,0"}


@pytest.mark.parametrize("path", ["none.csv", "{run}.exe"])
def test_a_table_that_cannot_be_exported_says_why(dashboard, upload, path):
    answer = dashboard.get(
        "/table/" + path.format(run=run_id(upload())), headers={"Accept": "application/json"}
    )
    assert answer.status_code == 404
    assert "There is no" in answer.json["detail"] or "there is no" in answer.json["detail"]


@pytest.mark.slow
def test_a_run_page_starts_its_analysis_at_once(dashboard, upload):
    run = run_id(upload())
    assert dashboard.get(f"/run/{run[:6]}?clock_hz=2GHz").status_code == 200
    assert dashboard.get("/run/nothing").status_code == 200
