"""Designs of the slices of a trace: tiles of the same coordinates are different tiles."""

import pytest

from analysis.aie.design.join import DesignJoin
from data_loaders.aie_design.marking import join_designs, mark_design
from data_loaders.aie_design.placing import shift_frames
from schema.designs import DESIGN_FRAMES
from schema.frames import empty
from services.run.design import design_mapping
from tests.support.design_trace import capture_of, design_of

FIFO = """
aie.device(npu1_1col) @NAME {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @of(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  %one = aie.buffer(%a) {address = 4096 : i32, sym_name = "one"} : memref<64xi32>
  %two = aie.buffer(%a) {address = ADDRESS : i32, sym_name = "two"} : memref<64xi32>
  %l = aie.lock(%a, 0) {init = 1 : i32, sym_name = "l"}
  %ca = aie.core(%a) {
    aie.use_lock(%l, AcquireGreaterEqual, 1)
    memref.store %x, %one[%i] : memref<64xi32>
    memref.store %x, %two[%i] : memref<64xi32>
    aie.end
  }
  %cb = aie.core(%b) {
    %s = aie.objectfifo.acquire @of(Consume, 1) : !aie.objectfifosubview<memref<64xi32>>
    aie.end
  }
}
"""
STALLS = {"core 2,0": {"MEMORY_STALL": [(10, 20)]}, "core 2,0 #2": {"MEMORY_STALL": [(10, 50)]}}
LABELS = ("dev_a/s", "dev_b/t")


def joined_designs():
    parts = [
        design_of(FIFO.replace("NAME", name).replace("ADDRESS", address))
        for name, address in (("dev_a", "4352"), ("dev_b", "32768"))
    ]
    marked = [
        mark_design(part, label, mark)
        for part, label, mark in zip(parts, LABELS, ("", " #2"), strict=True)
    ]
    return join_designs(marked)


def test_each_slice_is_joined_with_the_design_of_its_device():
    tracks, events = capture_of(STALLS)
    tracks = tracks.assign(slice=[*LABELS])
    join = DesignJoin(joined_designs(), tracks, events)
    pairs = {core: join.memory(core).stalls.pairs for core in join.cores}
    in_bank = [(pair.first, pair.second) for pair in pairs["core 2,0"] if pair.first == "one"]
    assert in_bank == [("one", "two")]
    assert [pair for pair in pairs["core 2,0 #2"] if "two" in (pair.first, pair.second)] == []
    for core, label, cycles in zip(join.cores, LABELS, (10, 40), strict=True):
        joined = join.memory(core)
        assert joined.stalls.cycles == cycles
        assert label in join.memory_sentence(joined)
        assert label in join.lock_sentence(join.locks(core))


def test_a_run_with_one_slice_does_not_name_it():
    tracks, events = capture_of({"core 2,0": STALLS["core 2,0"]})
    join = DesignJoin(joined_designs(), tracks.assign(slice=LABELS[0]), events)
    assert LABELS[0] not in join.memory_sentence(join.memory("core 2,0"))


@pytest.mark.parametrize("mark", ["", " #2"])
def test_an_objectfifo_is_waited_for_in_its_own_slice(mark):
    join = DesignJoin(joined_designs(), *capture_of({f"core 3,0{mark}": {"LOCK_STALL": [(1, 9)]}}))
    (request,) = join.model.acquired_locks(f"core 3,0{mark}")
    assert join.model.releasers(request) == [f"core 2,0{mark}"]


def test_the_design_names_the_slice_of_tiles_and_devices():
    mapping = design_mapping(joined_designs())
    assert [one["slice"] for one in mapping["slices"]] == list(LABELS)
    assert [one["name"] for one in mapping["slices"]] == ["dev_a", "dev_b"]
    slices = {tile["tile"]: tile["slice"] for tile in mapping["tiles"]}
    assert slices["core 2,0"] == LABELS[0]
    assert slices["core 2,0 #2"] == LABELS[1]


def test_a_mark_is_behind_the_tile_of_a_channel_and_stays_with_a_shift():
    design = {spec.name: empty(spec.name) for spec in DESIGN_FRAMES}
    design |= {name: frame for name, frame in joined_designs().items() if len(frame)}
    uses = shift_frames(design, 3)["design_uses"]
    assert set(uses["by"]) == {"core 2,3", "core 2,3 #2"}
