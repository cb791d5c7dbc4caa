"""The name of a run: the stem of its file, its folder's if the stem says nothing."""

from pathlib import Path

import pytest

from data_loaders.reading.run_names import is_generic, known_place, name_run


@pytest.mark.parametrize(
    ("place", "stem", "name"),
    [
        ("/w/conv3_mesh/trace.json", "trace", "conv3_mesh"),
        ("/w/resnet_ablation/profile.json", "profile", "resnet_ablation"),
        ("packing_v2/new.csv", "new", "packing_v2"),
        ("/w/conv3/traces/Trace.json", "Trace", "conv3"),
        ("/w/conv3/traces/out/log.txt", "log", "conv3"),
        (r"C:\work\conv3\out.log", "out", "conv3"),
        ("/w/gemm.mlir.prj/input_with_addresses.mlir", "input_with_addresses", "gemm"),
        ("/w/conv3/kernel7.json", "kernel7", "kernel7"),
        ("/w/conv3/trace_2.json", "trace_2", "trace_2"),
        ("/w/conv3/traceroute.json", "traceroute", "traceroute"),
    ],
)
def test_a_stem_that_says_nothing_gives_way_to_its_folder(place, stem, name):
    assert name_run(place, stem) == name


@pytest.mark.parametrize("place", ["trace.json", "./trace.json", "../trace.json", "/trace.json"])
def test_without_a_folder_the_stem_stays(place):
    assert name_run(place, "trace") == "trace"


def test_folders_far_above_the_file_do_not_name_it():
    assert name_run("/machine/data/traces/out/trace.json", "trace") == "trace"


def test_generic_stems_are_whole_words():
    assert is_generic("TRACE") and is_generic("compiler_profile_0") and is_generic("")
    assert not is_generic("my_trace") and not is_generic("newer")


def test_the_folder_of_a_relative_path_is_known_and_that_of_a_copy_is_the_users(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert known_place(Path("trace.json"), None) == f"{tmp_path.as_posix()}/trace.json"
    assert known_place(tmp_path / "copy", "trace.json") == "trace.json"
