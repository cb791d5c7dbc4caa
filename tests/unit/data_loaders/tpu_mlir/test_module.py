import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.ddr import ddr_frames
from data_loaders.tpu_mlir.layers import Layer
from data_loaders.tpu_mlir.module import Tensor, read_module
from data_loaders.tpu_mlir.module_format import is_module
from tests.support.tpu_log import LAYERS, MODULE


@pytest.fixture
def read(tmp_path):
    def write_and_read(text):
        path = tmp_path / "net_final.mlir"
        path.write_text(text, encoding="utf-8", errors="replace")
        return read_module(path)

    return write_and_read


def test_a_module_names_its_chip_and_its_memories(read):
    found = read(MODULE)
    assert (found.name, found.chip, found.whole) == ("tiny", "bm1684x", True)
    assert found.regions == {"neuron": (1000000, 65536), "coeff": (4096, 8192)}
    assert is_module(MODULE.encode())
    assert not is_module(MODULE.replace("TPU_ADDRESSED", "TPU_LOWERED").encode())


def test_operators_stand_on_the_lines_that_a_profile_names(read):
    layers = read(MODULE).layers
    for line, (opcode, name) in LAYERS.items():
        assert layers[line] == Layer(opcode.removeprefix("tpu."), name)


def test_operators_have_the_values_that_they_use_and_make(read):
    subfunction = read(MODULE).functions[1]
    assert subfunction.arguments == [("arg0", Tensor("f32", (1, 3, 8, 8), 8000000))]
    assert subfunction.returned == {"4"}
    group, reshape = subfunction.operators[2:4]
    assert (group.op_type, group.names) == ("tpu.Group", ["conv1", "pool"])
    assert {"arg0", "1"} <= group.uses
    assert group.results == [
        ("2#0", Tensor("f16", (1, 16, 8, 8), 1000000)),
        ("2#1", Tensor("i8", (1, 16, 4, 4), 1002048)),
    ]
    assert reshape.names == ['café "flat"']


def test_what_is_no_module_is_a_sentence(read):
    for text in ("", "module @x {}\n", 'module.chip = "bm1684x"'):
        with pytest.raises(LoadError, match=r"^net_final\.mlir: "):
            read(text)


def test_a_cut_module_says_so(read):
    for place in ("} loc(#loc)\n} loc", "#loc5 =", '%4 = "tpu.MatMul"'):
        assert not read(MODULE[: MODULE.index(place)]).whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(MODULE)), junk=st.text(max_size=20), lost=st.integers(0, 100))
def test_a_damaged_module_is_read_or_refused(read, at, junk, lost):
    try:
        found = read(MODULE[:at] + junk + MODULE[at + lost :])
    except LoadError:
        return
    frames, _ = ddr_frames(found, 0)
    if frames:
        blocks = frames["allocations"]
        assert (blocks["start"] < blocks["end"]).all()
        assert (blocks["end"] <= frames["attempts"]["steps"].iloc[0]).all()
