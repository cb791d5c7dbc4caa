import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.code import is_code, is_whole, read_code
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import network_c, network_h

C, H = network_c().encode(), network_h().encode()


def rows(frame):
    return sorted(map(tuple, frame.to_numpy().tolist()))


def test_arenas_come_from_either_file():
    assert read_code([C]).arenas == read_code([H]).arenas == {"L2": 224, "L1": 2464}


def test_addresses_of_tensors_and_of_tiles():
    code = read_code([C, H])
    assert rows(code.places) == [
        ("_GEMM_buffer", "L1", 2400),
        ("input_0", "L2", 64),
        ("output_0", "L2", 0),
        ("t0", "L2", 0),
        ("t2", "L2", 160),
    ]
    assert ("L1", "_GEMM_mul", 2080) in rows(code.tiles)
    assert ("L1", "_GEMM_t1_relu_data_in", 0) in rows(code.tiles)
    assert len(code.tiles) == 9


def test_what_double_buffering_adds_is_no_operand():
    place = "(void*) ((char*)DeeployNetwork_MEMORYARENA_L1 + 16)"
    pointer = f"void* DeeployNetwork_TILING_CODEGEN_L1__GEMM_A_buffer_1 = {place};\n"
    assert rows(read_code([C + pointer.encode()]).tiles) == rows(read_code([C]).tiles)


def test_views_are_pointers_that_are_handed_on():
    assert read_code([C]).aliases == TOY.views


def test_nodes_come_in_the_order_in_which_they_run():
    nodes = read_code([C]).nodes
    assert nodes.to_numpy().tolist() == [[node.name, node.op] for node in TOY.nodes]


def test_types_are_those_of_the_declarations():
    declared = TOY.tensors | TOY.constants
    assert read_code([C, H]).dtypes == {name: dtype for name, (dtype, _) in declared.items()} | {
        "MEMORYARENA_L1": "int8",
        "MEMORYARENA_L2": "int8",
    }


def test_the_platform_is_that_of_the_dma_header():
    assert read_code([C]).platform == "Siracusa"
    assert read_code([H]).platform is None


def test_the_network_may_have_another_name():
    code = read_code([C.replace(b"DeeployNetwork", b"My_Net")])
    assert (code.arenas, code.aliases) == ({"L2": 224, "L1": 2464}, TOY.views)


def test_a_cut_file_is_noticed():
    assert is_whole(C) and is_whole(H)
    assert read_code([C, H]).whole
    assert not is_whole(C[:-300])
    assert not read_code([C[:-300], H]).whole


def test_code_is_recognised():
    assert is_code(C) and is_code(H)
    assert not is_code(b'#include "Network.h"\nint main() {}')
    assert not is_code(b"void RunNetwork();")


@pytest.mark.parametrize("content", [b"", b"int main() {}", b"\xff\x00"])
def test_other_text_says_nothing(content):
    code = read_code([content])
    assert not code.arenas and not code.aliases and not len(code.places) and not len(code.nodes)


@pytest.mark.slow
@given(data=st.data())
def test_any_damage_is_survived(data):
    content = bytearray(C)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 60))] = data.draw(st.binary(max_size=20))
    code = read_code([bytes(content)])
    assert (code.places["address"] >= 0).all()
