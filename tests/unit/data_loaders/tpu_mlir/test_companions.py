import pytest

from data_loaders.tpu_mlir import companion_files as tpu_companion_files
from data_loaders.tpu_mlir.companions import read_companions
from tests.support.numbers_in_text import numbers_in
from tests.support.tpu_log import LAYERS, MODULE, PROFILE, bmodel, group_cache


@pytest.fixture
def read(tmp_path):
    def write_and_read(**files):
        paths = []
        for name, text in files.items():
            paths.append(tmp_path / name.replace("__", "."))
            paths[-1].write_text(text)
        return read_companions(paths)

    return write_and_read


def test_files_are_read_by_their_names(read):
    found = read(
        net__layer_group_cache__json=group_cache(),
        net__bmodel__json=bmodel(LAYERS),
        compiler_profile_0__txt=PROFILE,
        net_final__mlir=MODULE,
    )
    assert (len(found.groups), len(found.layers), len(found.profiles), len(found.modules)) == (
        1,
        1,
        1,
        1,
    )
    assert found.findings == []


def test_a_file_that_is_too_large_costs_itself(read, monkeypatch):
    monkeypatch.setattr(tpu_companion_files, "MAX_COMPANION_BYTES", 100)
    found = read(net__layer_group_cache__json=group_cache(), net__bmodel__json="[]")
    large, nameless = (finding.message for finding in found.findings)
    assert large.startswith("net.layer_group_cache.json")
    assert numbers_in(large) == ["100 bytes"]
    assert nameless.startswith("net.bmodel.json")


def test_cut_files_are_said(read):
    found = read(compiler_profile_0__txt=PROFILE[:-20], net_final__mlir=MODULE[:-300])
    assert [finding.code for finding in found.findings] == ["profile_cut", "module_cut"]
    found = read(compiler_profile_0__txt=PROFILE.replace("|t:", "|x:", 1))
    assert [finding.code for finding in found.findings] == ["profile_unreadable"]


def test_the_module_of_a_log_is_the_one_that_has_its_tensors(read):
    found = read(a_final__mlir=MODULE.replace('"conv1"', '"other"'), b_final__mlir=MODULE)
    assert found.match_module(["conv1", "x"]) is found.modules[1]
    assert found.match_module(["x"]) is None
    assert read().match_module(["x"]) is None


def test_the_operators_of_a_profile_are_those_that_it_names(read):
    other = bmodel({14: ("tpu.Cast", "x")})
    found = read(
        a__bmodel__json=other, b__bmodel__json=bmodel(LAYERS), compiler_profile_0__txt=PROFILE
    )
    assert found.lines(None) == found.layers[1]
    found = read(a__bmodel__json=other, net_final__mlir=MODULE, compiler_profile_0__txt=PROFILE)
    assert found.lines(found.modules[0]) == found.modules[0].layers
