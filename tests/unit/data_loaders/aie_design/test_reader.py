"""What a design says of tiles, buffers, locks, channels, flows and objectfifos."""

import pytest

from data_loaders.aie_design.reader import MAX_BYTES, read_design_file, read_design_text
from data_loaders.protocol import LoadError


def device(body, model="npu1"):
    (read,) = read_design_text(f"module {{ aie.device({model}) {{ {body} }} }}").devices
    return read


TILE = "%t = aie.tile(1, 2) "


def only_buffer(attributes, kind):
    (buffer,) = device(f"{TILE}%b = aie.buffer(%t) {{{attributes}}} : {kind}").buffers
    return buffer


@pytest.mark.parametrize(
    ("model", "row", "name", "size", "banks"),
    [
        ("npu1", 0, "shim 0,1", 0, 0),
        ("npu1", 1, "memtile 1,1", 524288, 8),
        ("npu2_4col", 2, "core 2,1", 65536, 4),
        ("xcve2802", 2, "memtile 2,1", 524288, 8),
        ("xcvc1902", 1, "core 1,1", 32768, 4),
        ("unheard_of", 2, "core 2,1", None, None),
    ],
)
def test_kind_and_memory_of_a_tile(model, row, name, size, banks):
    (tile,) = device(f"%t = aie.tile(1, {row})", model).tiles
    assert (tile.name, tile.memory.size, tile.memory.banks) == (name, size, banks)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("memref<16x16xbf16, 2 : i32>", 512),
        ("memref<3xi4>", 2),
        ("memref<i32>", 4),
        ("memref<4x?xi8>", None),
        ("memref<4xindex>", None),
        ("memref<4x4xf32, strided<[4, 1], offset: ?>>", 64),
        ("memref<4xui8> = dense<[1, 2, 3, 4]>", 4),
        (f"memref<{'9' * 19}x{'9' * 19}xi8>", None),
    ],
)
def test_bytes_of_a_buffer(kind, size):
    assert only_buffer("address = 0 : i32", kind).type.bytes == size


@pytest.mark.parametrize(
    ("attributes", "address", "banks"),
    [
        ("address = 0x4020 : i32", 0x4020, [1]),
        ("address = 16000 : i32, mem_bank = 3 : i32", 16000, [0, 1]),
        ("mem_bank = 3 : i32", None, [3]),
        ("mem_bank = 9 : i32", None, []),
        ("address = -4 : i32", None, []),
        ("", None, []),
        ('sym_name = "address = 7"', None, []),
    ],
)
def test_address_and_banks_of_a_buffer(attributes, address, banks):
    buffer = only_buffer(attributes, "memref<1000xi8>")
    assert (buffer.address, list(buffer.banks)) == (address, banks)


def test_an_alias_of_a_type_is_followed():
    (read,) = read_design_text(
        f"!x = memref<8xi16> module {{ aie.device(npu1) {{ {TILE} %b = aie.buffer(%t) : !x }} }}"
    ).devices
    assert read.buffers[0].type.bytes == 16


def test_a_core_uses_buffers_and_locks_also_through_views_and_in_branches():
    read = device(
        f"{TILE} %a = aie.buffer(%t) : memref<8xi8> %b = aie.buffer(%t) : memref<8xi8> "
        "%c = aie.buffer(%t) : memref<8xi8> %l = aie.lock(%t, 0) "
        "%v = memref.subview %b[0] [4] [1] : memref<8xi8> to memref<4xi8> "
        "aie.core(%t) { scf.if %x { memref.store %y, %a[%i] : memref<8xi8> } else { memref.load %v[%i] } "
        "aie.use_lock(%l, Acquire) aie.end }"
    )
    assert [buffer.users for buffer in read.buffers] == [["core 2,1"], ["core 2,1"], []]
    assert dict(read.locks[0].uses) == {("core 2,1", "Acquire", 1): 1}


def test_a_name_of_the_region_hides_the_buffer_of_the_same_name():
    read = device(
        f"{TILE} %0 = aie.buffer(%t) : memref<8xi8> aie.core(%t) {{ %0 = arith.constant 3 : i32 "
        "func.call @f(%0) : (i32) -> () aie.end }"
    )
    assert read.buffers[0].users == []


CHAIN = """
    %mem = aie.mem(%t) {{
      %0 = aie.dma_start(S2MM, 0, ^a, ^e)
    ^a:
      aie.dma_bd({bd})
      {jump}
    ^e:
      aie.end
    }}
"""


@pytest.mark.parametrize(
    ("bd", "offset", "length", "size"),
    [
        ("%b : memref<64xi16>", 0, 64, 128),
        ("%b : memref<64xi16>, 8, 16", 8, 16, 32),
        ("%b : memref<64xi16> offset = 8 len = 16 sizes = [4, 4] strides = [4, 1]", 8, 16, 32),
        ("%b : memref<64xi16> offset = %c8 len = %c8", 8, 8, 16),
        ("<%b : memref<64xi16>, 4, 8>, 0", 4, 8, 16),
        ("%b : memref<64xi16>, 0, %unknown", 0, None, None),
    ],
)
def test_forms_of_a_descriptor(bd, offset, length, size):
    body = f"{TILE} %c8 = arith.constant 8 : i32 %b = aie.buffer(%t) : memref<64xi16>"
    (channel,) = device(body + CHAIN.format(bd=bd, jump="aie.next_bd ^e")).channels
    (descriptor,) = channel.descriptors
    assert (descriptor.offset, descriptor.length, descriptor.bytes) == (offset, length, size)


@pytest.mark.parametrize(("jump", "loop"), [("aie.next_bd ^a", True), ("aie.next_bd ^e", False)])
def test_a_chain_that_comes_back_loops(jump, loop):
    body = f"{TILE} %b = aie.buffer(%t) : memref<64xi16>"
    (channel,) = device(body + CHAIN.format(bd="%b : memref<64xi16>", jump=jump)).channels
    assert channel.loop is loop
    assert device(body).buffers[0].users == []


@pytest.mark.slow
def test_loops_that_are_nested_too_deeply_are_unknown_and_still_name_buffers():
    depth = 20_000
    read = device(
        f"{TILE} %b = aie.buffer(%t) : memref<64xi16> %l = aie.lock(%t, 0) aie.core(%t) {{ "
        + "scf.for %i = %a to %b {" * depth
        + "func.call @f(%b) aie.use_lock(%l, Acquire, 1)"
        + "}" * depth
        + "}"
    )
    assert "unknown" in {step.op for step in read.programs["core 2,1"]}
    assert read.buffers[0].users == ["core 2,1"]


def test_a_chain_is_read_up_to_a_number_of_blocks(monkeypatch):
    monkeypatch.setattr("data_loaders.aie_design.channels.MAX_CHAIN", 3)
    blocks = "".join(
        f"^b{rank}: aie.dma_bd(%b : memref<64xi16>) aie.next_bd ^b{rank + 1} " for rank in range(9)
    )
    body = f"{TILE} %b = aie.buffer(%t) : memref<64xi16>"
    read = device(f"{body} %m = aie.mem(%t) {{ %0 = aie.dma_start(S2MM, 0, ^b0, ^e) {blocks} }}")
    assert [len(channel.descriptors) for channel in read.channels] == [3]
    assert read.skipped == 1


def test_the_spelling_of_before_2024():
    text = """module @m {
      %0 = AIE.tile(7, 2)
      %1 = AIE.buffer(%0) {address = 4096 : i32, sym_name = "b"} : memref<16xi32>
      %2 = AIE.mem(%0) {
        %3 = AIE.lock(%0, 4)
        %4 = AIE.dmaStart(MM2S1, ^bb1, ^bb2)
      ^bb1:
        AIE.useLock(%3, "Acquire", 0)
        AIE.dmaBd(<%1 : memref<16xi32>, 0, 16>, 0)
        AIE.useLock(%3, Release, 1)
        cf.br ^bb1
      ^bb2:
        AIE.end
      }
    }"""
    (read,) = read_design_text(text).devices
    (channel,) = read.channels
    assert (read.model, channel.direction, channel.channel, channel.loop) == (None, "MM2S", 1, True)
    assert channel.descriptors[0].acquire.value == 0
    assert list(read.buffers[0].banks) == []


def test_the_device_with_most_cores_is_meant_unless_one_is_named():
    text = read_design_text(
        "aie.device(npu2) @main { aie.runtime_sequence() {} } "
        "aie.device(npu2) @one { %t = aie.tile(0, 2) aie.core(%t) { aie.end } } "
        "aie.device(npu2) @two { %t = aie.tile(0, 2) aie.core(%t) { aie.end } }"
    )
    assert [text.choose().name, text.choose("two").name, text.choose("no")] == ["one", "two", None]


def test_flows_of_packets_are_a_pair_of_ends_each():
    read = device(
        f"{TILE} %s = aie.tile(1, 0) aie.packet_flow(0xA) {{ aie.packet_source<%t, DMA : 0> "
        'aie.packet_dest<%s, "DMA" : 1> aie.packet_dest<%s, DMA : 0> } '
        "aie.cascade_flow(%t, %s) aie.flow(%gone, DMA : 0, %t, DMA : 0)"
    )
    ends = [(flow.kind, flow.id, flow.dest.channel) for flow in read.flows]
    assert ends == [("packet", 10, 1), ("packet", 10, 0), ("cascade", None, None)]
    assert read.skipped == 1


def test_an_objectfifo_with_dimensions_and_a_depth_of_each_end():
    (fifo,) = device(
        f"{TILE} %u = aie.tile(1, 3) aie.objectfifo @of (%t dimensionsToStream [<size = 4, stride = 8>], "
        "{%t dimensionsFromStream [<size = 2, stride = 2>], %u}, [2, 3, 0x4]) : "
        "!aie.objectfifo<memref<8x8xbf16>>"
    ).fifos
    assert (fifo.name, fifo.producer, fifo.consumers) == (
        "of",
        "core 2,1",
        ("core 2,1", "core 3,1"),
    )
    assert (fifo.depth, fifo.bytes) == ([2, 3, 4], 128)


def test_a_text_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("data_loaders.aie_design.reader.MAX_BYTES", 100)
    path = tmp_path / "a.mlir"
    path.write_text("x" * 101)
    with pytest.raises(LoadError, match="larger than 100 bytes"):
        read_design_file(path)
    assert MAX_BYTES == 64 * 2**20
