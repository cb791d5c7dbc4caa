"""Uploads of tinygrad captures: what is left out where asked, and that strangers' pickles cost a sentence."""

import gzip
import io
import os
import pickle
from pathlib import Path

import pytest
from werkzeug.datastructures import MultiDict

from app.config.settings import Settings
from app.server.factory import create_app
from samples.tinygrad_capture import training
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient
from tests.support.numbers_in_text import numbers_in

STRIP = {"tinygrad.strip_tracebacks": "true"}
TRACE = "outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"


@pytest.fixture
def files():
    maker = training("0.14")
    return {
        "net/profile.pkl": maker.profile(),
        "net/rewrites.pkl": maker.rewrites(),
        TRACE: trace_text().encode(),
    }


def send(dashboard, files, **query):
    form = [("file", (io.BytesIO(content), name)) for name, content in files.items()]
    content_type = "multipart/form-data"
    return dashboard.http.post(
        "/api/upload", query_string=query, data=MultiDict(form), content_type=content_type
    )


def repository_of(dashboard):
    return dashboard.repository


def runs_of(answer):
    """Return source -> id of what was taken."""
    assert answer.status_code == 200, answer.text
    return {run["source"]: run["run_id"] for run in answer.json["runs"]}


def stored_text(dashboard, run_id):
    """Return all texts that a run's frames hold."""
    repository = repository_of(dashboard)
    frames = (repository.frame(run_id, name) for name in repository.frame_names(run_id))
    return "\n".join(frame.to_csv() for frame in frames)


@pytest.mark.slow
def test_a_profile_and_its_rewrites_are_one_run(dashboard, files):
    answer = send(dashboard, files)
    assert set(runs_of(answer)) == {"tinygrad", "aie"}
    (skipped,) = answer.json["skipped"]
    assert skipped["path"] == "net/rewrites.pkl"
    assert skipped["reason"].endswith(" profile.pkl")


@pytest.mark.slow
def test_paths_and_source_lines_are_left_out_of_the_store_where_asked(dashboard, files, settings):
    run = runs_of(send(dashboard, files))["tinygrad"]
    assert "/home/someone" in stored_text(dashboard, run)
    stripped = runs_of(send(dashboard, files, **STRIP))
    assert stripped["tinygrad"] == run
    assert "aie" in stripped, "another source knows no such setting and is taken all the same"
    text = stored_text(dashboard, run)
    assert "/home/someone" not in text
    assert "train.py" not in text
    assert len(list((settings.data / "frames" / run).iterdir())) == 1, (
        "what was stored before is gone"
    )
    assert "void r_8_8" in text, "a kernel's source text is what people look for"


@pytest.mark.slow
def test_what_was_left_out_stays_out(dashboard, files):
    runs_of(send(dashboard, files, **STRIP))
    again = send(dashboard, files)
    assert {run["status"] for run in again.json["runs"]} == {"unchanged"}


@pytest.mark.slow
def test_peaks_are_kept_as_numbers(dashboard, files):
    peaks = {"tinygrad.peak_flops": "4TFLOPS", "tinygrad.peak_bytes_per_s": "900GB/s"}
    run = runs_of(send(dashboard, files, **peaks))["tinygrad"]
    assert repository_of(dashboard).run(run).loc[
        0, ["peak_flops", "peak_bytes_per_s"]
    ].tolist() == [4e12, 9e11]


@pytest.mark.parametrize(
    "key", ["tinygrad.nonsense", "nobody.strip_tracebacks", "strip_tracebacks."]
)
def test_a_setting_that_nobody_has_is_refused(dashboard, files, key):
    del files[TRACE]
    answer = send(dashboard, files, **{key: "1"})
    assert answer.status_code == 422
    assert "has no setting" in answer.json["detail"]


class Call:
    def __reduce__(self):
        return os.system, ("touch executed",)


def test_a_hostile_pickle_is_refused_in_words_and_the_server_lives(
    dashboard, settings, tmp_path, monkeypatch, files
):
    monkeypatch.chdir(tmp_path)
    answer = send(
        dashboard,
        files | {"bad/profile.pkl": files["net/profile.pkl"][:-1] + pickle.dumps([Call()])},
    )
    assert "tinygrad" in runs_of(answer)
    (refused,) = [entry for entry in answer.json["skipped"] if entry["path"] == "bad/profile.pkl"]
    assert "opcode PROTO" in refused["reason"]
    alone = send(dashboard, {"profile.pkl": pickle.dumps([Call()], 4)})
    assert alone.status_code == 422
    assert "upload-" not in alone.json["detail"]
    assert not (tmp_path / "executed").exists()
    assert dashboard.get("/health").json["runs"] == 2
    assert list((settings.data / "uploads").iterdir()) == []


@pytest.mark.slow
def test_a_gzip_bomb_is_called_as_its_sender_calls_it(dashboard, files):
    answer = send(
        dashboard, {"bömb?.pkl.gz": gzip.compress(files["net/profile.pkl"] + bytes(70 * 2**20))}
    )
    assert answer.status_code == 422
    assert numbers_in(answer.json["detail"]) == ["250"]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("relative", [False, True])
def test_no_answer_tells_where_an_upload_lies(relative, tmp_path, monkeypatch, files):
    monkeypatch.chdir(tmp_path)
    dashboard = DashClient(
        create_app(Settings(data=Path("data") if relative else tmp_path / "data"))
    )
    profile, bomb = files["net/profile.pkl"], gzip.compress(bytes(70 * 2**20))
    for sent in (
        {"net/profile.pkl": profile, "net/rewrites.pkl": bomb},
        {"net/profile.pkl": profile, "net/rewrites.pkl": files["net/rewrites.pkl"][:-9]},
        {"net/profile.pkl": profile[:-9], "net/rewrites.pkl": bomb},
        {"net/profile.pkl": gzip.compress(profile + bytes(70 * 2**20))},
        {"net/profile.pkl": b"nothing", "run.jsonl": b"{}"},
    ):
        answer = send(dashboard, sent)
        assert answer.status_code in (200, 422)
        assert "upload-" not in answer.text
        assert str(tmp_path) not in answer.text


@pytest.mark.slow
def test_rewrites_that_are_a_bomb_cost_themselves(dashboard, files):
    answer = send(dashboard, files | {"net/rewrites.pkl": gzip.compress(bytes(70 * 2**20))})
    assert set(runs_of(answer)) == {"tinygrad", "aie"}
    (run,) = [run for run in answer.json["runs"] if run["source"] == "tinygrad"]
    (said,) = [
        finding for finding in run["diagnostics"] if finding["code"] == "companion_unreadable"
    ]
    assert said["message"].startswith("rewrites.pkl ")
    assert numbers_in(said["message"]) == ["250"]


@pytest.mark.slow
def test_the_limits_of_the_installation_hold_for_uploads(tmp_path, files):
    dashboard = DashClient(
        create_app(Settings(data=tmp_path / "data", reader_clock_s=0.01, reader_clock_s_per_mb=0))
    )
    answer = send(dashboard, {"profile.pkl": files["net/profile.pkl"]})
    assert answer.status_code == 422
    assert "0.01 s" in numbers_in(answer.json["detail"])
