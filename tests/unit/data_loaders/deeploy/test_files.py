import gzip

import pytest

from data_loaders.deeploy.files import file_kind, run_bundle
from tests.support.deeploy_net import TOY
from tests.support.deeploy_plot import plot_html
from tests.support.deeploy_run import (
    failed_log,
    graph_bytes,
    network_c,
    network_h,
    problem_csv,
    profile,
    run_log,
    write_run,
)

PLOT = ("memory_alloc.html",)


def names(bundle):
    return bundle.primary.name, {path.name for path in bundle.companions}


@pytest.mark.parametrize("nested", [False, True])
def test_every_file_of_a_run_leads_to_the_same(tmp_path, nested):
    write_run(tmp_path / "toy", nested=nested)
    files = [
        path
        for path in (tmp_path / "toy").rglob("*")
        if path.suffix not in {".pkl"} and path.parent.name != "minimalloc_calls"
    ]
    bundles = {run_bundle(path) for path in files if path.is_file()}
    assert len(bundles) == 1
    (bundle,) = bundles
    assert bundle.primary.name == "memory_alloc.html"
    assert {bundle.primary, *bundle.companions} == {
        path for path in (tmp_path / "toy").rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("without", "primary"),
    [
        (PLOT, "run.log"),
        ((*PLOT, "run.log"), "Network.c"),
        ((*PLOT, "run.log", "Network.c"), "backend_post_parsing.onnx"),
        ((*PLOT, "run.log", "Network.c", "backend_post_parsing.onnx"), "Network.h"),
        (
            (*PLOT, "output_minimalloc_0123456789abcdef.csv"),
            "input_minimalloc_0123456789abcdef.csv",
        ),
        (
            (*PLOT, "run.log", "Network.c", "Network.h", "backend_post_parsing.onnx"),
            "output_minimalloc_0123456789abcdef.csv",
        ),
    ],
)
def test_without_a_plot_the_next_best_names_the_run(tmp_path, without, primary):
    write_run(tmp_path, without=without)
    assert names(run_bundle(tmp_path / "input_minimalloc_0123456789abcdef.csv"))[0] == primary


def test_gzip_is_no_matter(tmp_path):
    write_run(tmp_path, without=("Network.c",))
    (tmp_path / "Network.c.gz").write_bytes(gzip.compress(network_c().encode()))
    assert "Network.c.gz" in names(run_bundle(tmp_path / "run.log"))[1]
    assert names(run_bundle(tmp_path / "Network.c.gz"))[0] == "memory_alloc.html"


def test_packed_calls_are_claimed(tmp_path):
    write_run(tmp_path)
    (tmp_path / "minimalloc_calls.tar.gz").write_bytes(b"\x1f\x8b")
    assert "minimalloc_calls.tar.gz" in names(run_bundle(tmp_path / "run.log"))[1]


def test_strangers_stay_apart(tmp_path):
    write_run(tmp_path)
    for name, text in {
        "other.html": "<html></html>",
        "weights.onnx": "no",
        "notes.txt": "no",
        "main.c": network_c(),
        "net.csv": problem_csv(),
        ".hidden.log": run_log(),
    }.items():
        (tmp_path / name).write_text(text)
    companions = names(run_bundle(tmp_path / "run.log"))[1]
    assert not companions & {
        "other.html",
        "weights.onnx",
        "notes.txt",
        "main.c",
        "net.csv",
        ".hidden.log",
    }
    assert run_bundle(tmp_path / "main.c").companions == ()


def test_a_plot_by_another_name_is_the_run_s_where_it_is_the_only_one(tmp_path):
    write_run(tmp_path, without=PLOT)
    (tmp_path / "memory_alloc (1).html").write_text(plot_html())
    assert names(run_bundle(tmp_path / "run.log"))[0] == "memory_alloc (1).html"
    (tmp_path / "memory_alloc (2).html").write_text(plot_html())
    assert names(run_bundle(tmp_path / "run.log"))[0] == "run.log"
    assert names(run_bundle(tmp_path / "memory_alloc (2).html")) == ("memory_alloc (2).html", set())


def test_logs_of_several_runs_are_each_their_own(tmp_path):
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text(run_log())
    assert names(run_bundle(tmp_path / "a.log")) == ("a.log", set())


def test_many_files_are_not_looked_into(tmp_path):
    for number in range(51):
        (tmp_path / f"{number}.log").write_text("x")
    (tmp_path / "a.log").write_text(run_log())
    assert run_bundle(tmp_path / "a.log").companions == ()
    (tmp_path / "run.log").write_text(run_log())
    (tmp_path / "Network.h").write_text(network_h())
    assert names(run_bundle(tmp_path / "run.log")) == ("run.log", {"Network.h"})


def test_a_damaged_file_is_nobody_s_companion(tmp_path):
    write_run(tmp_path, without=("Network.c", "Network.h"))
    (tmp_path / "Network.c").write_text("not Deeploy's")
    (tmp_path / "Network.h").symlink_to(tmp_path / "nowhere")
    assert not names(run_bundle(tmp_path / "run.log"))[1] & {"Network.c", "Network.h"}


def test_kinds_by_content():
    contents = {
        "plot": plot_html(),
        "code": network_c(),
        "header": network_h(),
        "log": failed_log(),
        "profile": profile(TOY),
        "table": problem_csv(),
    }
    assert {kind: file_kind(text.encode()) for kind, text in contents.items()} == {
        kind: kind for kind in contents
    }
    assert file_kind(graph_bytes()) == "graph"
    assert file_kind(b"anything else") is None
