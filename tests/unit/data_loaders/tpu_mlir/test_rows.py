from data_loaders.tpu_mlir.blocks import LogBlock
from data_loaders.tpu_mlir.results import join_results, read_results
from data_loaders.tpu_mlir.rows import Setting, read_rows
from tests.support.tpu_log import SLICED, buffer, result


def rows(*lines):
    text = "\n".join(lines).encode(errors="surrogateescape")
    return read_rows(join_results([read_results(LogBlock(text, 0, 1, False))]))


def test_words_are_read():
    found = rows(
        result(buffer("a.weight", 0, hold=1), SLICED),
        result(buffer("b", None)),
        result(buffer("a", 0, kind="ANY")),
    )
    assert found.placed.tolist() == [True, False, True]
    assert list(found.kind) == ["weight", "activation", "buffer"]
    assert list(found.op_type) == ["top.Weight", "tpu.Conv2D", "tpu.Conv2D"]
    assert list(found.mode) == ["LOAD", "LDST_UNKNOWN", "LDST_UNKNOWN"]
    assert found.hold.tolist() == [True, False, False]
    assert [found.settings[rank] for rank in found.setting] == [
        Setting(0, 0, "2,1,1,4,1"),
        Setting(0, 1, "1,1,1,1,1"),
        Setting(0, 1, "1,1,1,1,1"),
    ]


def test_words_that_make_no_sense_cost_their_line():
    good = result(buffer("a", 64))
    bad = [
        good.replace("status = success", "status = succ"),
        good.replace("LMEM_ACTIVATION", "LMEM"[:0]),
        good.replace("hold_in_lmem = 0", "hold_in_lmem = 7"),
        good.replace("1,1,1,1,1", "1,1,1"),
        good.replace("0x00000040", "-1"),
        good.replace("0x00000040", "0xffffffffffffffff"),
    ]
    found = rows(good, *bad, good)
    assert len(found) == 2
    assert sorted(found.results.unreadable.tolist()) == [2, 3, 4, 5, 6, 7]
    assert list(found.op_type.categories) == ["tpu.Conv2D"]
    assert found.names().to_pylist() == ["a", "a"]


def test_names_that_are_no_utf8_are_shown_with_a_replacement():
    found = rows(result(buffer("caf\udce9", 64)), result(buffer("卷积", 64)))
    assert found.names().to_pylist() == ["caf\ufffd", "卷积"]
