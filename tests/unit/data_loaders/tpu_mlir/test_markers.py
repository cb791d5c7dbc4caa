from data_loaders.tpu_mlir.blocks import LogBlock
from data_loaders.tpu_mlir.markers import Memory, read_finishes, read_specs
from tests.support.tpu_log import HEAD, TRIED, finish, spec


def block(*lines):
    return LogBlock("\n".join(lines).encode(), 100, 5, False)


def test_a_spec_line_tells_the_memory():
    (found,) = read_specs(block("noise", "[### ] 16%" + spec("bm1688")))
    assert found.memory == Memory(16, 32, 131072, 16, 8192)
    assert found.line == 6
    assert found.position == 100 + len(
        "noise\n[### ] 16%; action = lmem_assign; debug_range = given"
    )


def test_a_spec_line_without_its_numbers_still_begins_an_attempt():
    cut, zero = (
        spec()[:-3].replace("lmem_banks", "lmem_b"),
        spec().replace("lmem_banks = 16", "lmem_banks = 0"),
    )
    assert [found.memory for found in read_specs(block(cut, zero))] == [None, None]


def test_a_finish_line_tells_how_the_attempt_ended():
    found, lost = read_finishes(block(finish(HEAD), finish(TRIED), finish(HEAD)[:-60]))
    assert [(one.outcome, one.used_bytes, one.failed) for one in found] == [
        ("success", 33536, 0),
        ("failed", 20480, 2),
    ]
    assert lost == 1
