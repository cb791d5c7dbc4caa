import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.profile import is_profile, known_layers, profile_frames, read_profile
from tests.support.tpu_log import PROFILE, cell, profile


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="compiler_profile_0.txt"):
        path = tmp_path / name
        path.write_text(text)
        return read_profile(path)

    return write_and_read


def test_cells_go_to_the_engine_of_their_column(read):
    found = read(PROFILE, "compiler_profile_3.txt")
    assert (found.core, found.clock_hz, found.whole, found.unreadable) == (3, 1e9, True, 0)
    assert [
        (one.engine, one.layer, one.command, one.direction, one.start, one.cycles)
        for one in found.cells
    ] == [
        ("gdma", "Load_14", "GDMA_TENSOR", "S2L", 0, 960),
        ("bd", "Conv2D_15", "CONV", "", 960, 6272),
        ("gdma", "Load_14", "GDMA_TENSOR", "S2L", 960, 415),
        ("bd", "Conv2D_15", "AR", "", 7232, 2000),
        ("bd", "", "BD_SEND_MSG", "", 9232, 0),
        ("gdma", "MatMul_19", "GDMA_MATRIX", "L2S", 9300, 473),
    ]


def test_a_profile_may_have_any_number_of_engines(read):
    engines = ("BD", "GDMA", "HAU", "SDMA")
    found = read(
        profile(
            [["", "", cell("Sort_3", "HAU_SORT", 5, 7), cell("Copy_4", "SDMA", 1, 2, 2)]], engines
        )
    )
    assert [(one.engine, one.direction) for one in found.cells] == [("hau", ""), ("sdma", "S2S")]
    text = PROFILE.replace("|g:3|e:", "|g:3|h:0|sd:0|e:")
    assert len(read(text).cells) == 6


def test_the_clock_is_that_of_the_chip(read):
    assert read(profile([], total=4183674, runtime=4.648527)).clock_hz == 0.9e9
    assert read(profile([], total=9, runtime=0.000009)).clock_hz is None
    assert read(profile([], total=9773, runtime=0.0)).clock_hz is None


def test_a_cut_profile_says_so(read):
    found = read(PROFILE[: PROFILE.index("|s:960") + 10])
    assert not found.whole
    assert found.clock_hz is None
    assert (len(found.cells), found.unreadable) == (1, 1)


def test_what_is_no_profile_is_a_sentence(read):
    with pytest.raises(LoadError, match=r"^compiler_profile_0\.txt: "):
        read("hello")
    assert is_profile(PROFILE.encode())
    assert not is_profile(b"ENGINE_BD")


def test_frames_have_a_track_per_engine_and_a_lane_per_command(read):
    frames = profile_frames(
        [read(PROFILE), read(PROFILE, "compiler_profile_1.txt")], {14: "load_w", 15: "conv1"}
    )
    tracks, events = frames["tracks"], frames["events"]
    assert tracks["track"].tolist() == ["core 0 bd", "core 0 gdma", "core 1 bd", "core 1 gdma"]
    assert tracks["first"].tolist() == [960, 0, 960, 0]
    assert tracks["last"].tolist() == [9232, 9773, 9232, 9773]
    one = events[events["track"] == "core 0 gdma"]
    assert list(zip(one["lane"], one["name"], one["start"], one["end"], strict=True)) == [
        ("GDMA_MATRIX L2S", "MatMul_19", 9300, 9773),
        ("GDMA_TENSOR S2L", "load_w", 0, 960),
        ("GDMA_TENSOR S2L", "load_w", 960, 1375),
    ]


def test_a_profile_knows_whose_operators_it_names(read):
    assert known_layers(read(PROFILE), {14: "Load", 15: "Conv2D", 19: "Cast"}) == 4


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(PROFILE)), junk=st.text(max_size=20), lost=st.integers(0, 100))
def test_damage_costs_no_more_than_its_cells(read, at, junk, lost):
    try:
        found = read(PROFILE[:at] + junk + PROFILE[at + lost :])
    except LoadError:
        return
    assert len(found.cells) >= 3 or at < 260
    profile_frames([found], {})
