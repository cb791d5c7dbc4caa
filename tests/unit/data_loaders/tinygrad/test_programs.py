"""Programs of tinygrad captures: enumerations pickled by name, a device before the source, several of one name."""

import pytest

from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.tinygrad.records import Ops, read_pickle
from data_loaders.tinygrad.run import read_run
from samples import tinygrad_objects
from samples.tinygrad_capture import START, gemm_uops
from samples.tinygrad_objects import AddrSpace, PtrDType, dumps
from samples.tinygrad_writer import Maker

SIDE = 8


class Member:
    """A member of an enumeration as Python from 3.11.0 to 3.11.3 pickles it."""

    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def __reduce__(self):
        return getattr, (self.owner, self.name)


class ByName(Maker):
    """A capture whose enumerations are pickled by name."""

    def number(self, operation):
        return Member(tinygrad_objects.Ops, operation)

    def pointer(self, elements, space=1):
        base = self.dtype("float")
        return PtrDType(
            *base.args, base, Member(AddrSpace, {1: "GLOBAL", 3: "REG"}[space]), 1, elements
        )


def product(maker):
    """Return the frames of a capture of one matrix product."""
    maker.range("CPU", "r_8", START, START + 2)
    maker.kernel("r_8", "r_8", None, gemm_uops(maker, SIDE))
    return read_run(maker.profile(), maker.rewrites(), strip=False)


def test_members_by_name_are_as_good_as_their_numbers():
    named, numbered = product(ByName("0.12")), product(Maker("0.12"))
    work = ["operations", "memory_bytes", "moved_bytes"]
    assert named.frames["kernels"]["operations"].tolist() == [2 * SIDE**3]
    assert named.frames["kernels"][work].equals(numbered.frames["kernels"][work])
    assert named.findings == numbered.findings


def test_a_member_is_a_record_of_its_class():
    found = read_pickle(dumps([Member(tinygrad_objects.Ops, "SINK")])).root[0]
    assert type(found) is Ops
    assert found.args == ("SINK",)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (tinygrad_objects.Ops, "__init__"),
        (tinygrad_objects.Ops, "mro"),
        (tinygrad_objects.Ops, "A" * 100),
        (tinygrad_objects.Ops, 7),
        ("text", "UPPER"),
        ((1, 2), "UPPER"),
        (getattr, "UPPER"),
        (tinygrad_objects.micros(1), "UPPER"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_nothing_else_is_looked_up(owner, name):
    with pytest.raises(UnsafePickleError):
        read_pickle(dumps([Member(owner, name)]))


def with_device(maker, name, source, key):
    """Add a kernel as 0.13 does: the device is the second part of its program."""
    maker.kernel(name, name, {"ops": len(source), "lds": 1, "mem": 1}, source=source, key=key)
    last = max(maker.nodes)
    operation, dtype, parts, argument, tag = maker.nodes[last]
    parts = (parts[0], maker.node("DEVICE", (), "CPU"), *parts[1:])
    maker.nodes[last] = (operation, dtype, parts, argument, tag)
    return maker


def test_the_source_of_0_13_lies_behind_its_device():
    maker = with_device(
        Maker("0.13").range("CPU", "r_8", START, START + 2), "r_8", "void r_8() {}", b"\x01"
    )
    programs = read_run(maker.profile(), maker.rewrites(), strip=False).frames["programs"]
    assert programs["source"].tolist() == ["void r_8() {}"]


def test_a_name_that_several_programs_have_leads_to_none():
    maker = (
        Maker("0.14")
        .range("CPU", "r_8", START, START + 2, key=b"\x09")
        .range("CPU", "E_8", START + 3, START + 4)
    )
    for place, source in enumerate(("void f() {}", "void f() { 1; }")):
        maker.kernel(
            "r_8", "r_8", {"ops": 8 + place, "lds": 1, "mem": 1}, source=source, key=bytes([place])
        )
    maker.kernel("E_8", "E_8", {"ops": 8, "lds": 1, "mem": 1})
    kernels = read_run(maker.profile(), maker.rewrites(), strip=False).frames["kernels"]
    assert kernels["operations"].isna().tolist() == [True, False]
    assert kernels["missing"].tolist() == ["program", ""]
