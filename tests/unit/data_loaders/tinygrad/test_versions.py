"""The numbers of operations: the reader's table against the one that captures are written with."""

import pytest

from data_loaders.tinygrad.contexts import read_rewrites
from data_loaders.tinygrad.records import read_pickle
from data_loaders.tinygrad.run import read_run
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.versions import RELEASES, detect_version
from samples.tinygrad_capture import START, gemm_uops
from samples.tinygrad_objects import KernelInfo, Ops
from samples.tinygrad_operations import OPERATION_NUMBERS, operation_number
from samples.tinygrad_operations import RELEASES as WRITTEN
from samples.tinygrad_writer import Maker


@pytest.mark.parametrize("release", WRITTEN)
@pytest.mark.parametrize("name", OPERATION_NUMBERS)
def test_reader_and_writer_were_told_the_same_number(name, release):
    try:
        number = operation_number(name, release)
    except ValueError:
        assert name not in RELEASES[release]
    else:
        assert RELEASES[release][number - 1] == name


def test_an_operation_of_another_release_cannot_be_written():
    with pytest.raises(ValueError, match=r"0\.14 has no operation DEFINE_GLOBAL"):
        operation_number("DEFINE_GLOBAL", "0.14")


def nodes_of(maker):
    """Return the nodes of a capture as the reader gets them."""
    return read_rewrites(read_pickle(maker.rewrites()).root, Stacks(keep=False)).nodes.values()


def trained(generation, buffers):
    """Return a capture of one product, whose program has many more buffers than constants."""
    maker = Maker(generation).range("CPU", "r_8", START, START + 2)
    uops = gemm_uops(maker, 8) if maker.old else ()
    maker.kernel("r_8", "r_8", None if maker.old else {"ops": 1024, "lds": 8, "mem": 8}, uops)
    for buffer in range(buffers):
        maker.node("UNIQUE", (), buffer, maker.dtype("void"))
    return maker


@pytest.mark.parametrize("generation", ["2025", "0.12", "0.13"])
def test_the_release_of_a_long_training_is_told_whatever_there_is_most_of(generation):
    release = "0.12" if generation == "2025" else generation
    assert {
        detect_version(nodes_of(trained(generation, buffers))).name for buffers in (0, 1, 500)
    } == {release}


@pytest.mark.parametrize("generation", ["2025", "0.12", "0.13"])
def test_the_programs_of_a_long_training_have_their_operations(generation):
    maker = trained(generation, 500)
    frames = read_run(maker.profile(), maker.rewrites(), strip=False).frames
    assert frames["kernels"]["operations"].tolist() == [2 * 8**3]
    assert frames["kernels"]["flops"].notna().all()


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_is_told_by_the_numbers_of_its_sinks_and_constants(release):
    maker = Maker("0.14")
    numbers = {name: Ops(RELEASES[release].index(name) + 1) for name in ("SINK", "CONST", "MUL")}
    described = KernelInfo(name="r", axis_types=(), estimates=None)
    made = [("SINK", (0,), described), ("CONST", (), 7), ("MUL", (0, 1), None), ("MUL", (), None)]
    maker.nodes = {
        rank: (numbers[name], maker.dtype("int"), sources, argument, None)
        for rank, (name, sources, argument) in enumerate(made)
    }
    assert detect_version(nodes_of(maker)).name == release


def test_numbers_of_no_release_are_not_guessed():
    maker = Maker("0.14")
    described = KernelInfo(name="r", axis_types=(), estimates=None)
    for number, argument in ((12, described), (58, 7)):
        maker.nodes[number] = (Ops(number), maker.dtype("int"), (), argument, None)
    assert not detect_version(nodes_of(maker)).has_operations
    assert not detect_version([]).has_operations
