import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tpu_mlir.blocks import LogBlock
from data_loaders.tpu_mlir.results import _by_pattern, join_results, read_results
from tests.support import tpu_log
from tests.support.tpu_log import Setting, buffer, result

COLUMNS = ("kind", "name", "settings", "address", "size", "start", "end")


def read(text):
    return read_results(LogBlock(text.encode() if isinstance(text, str) else text, 0, 1, False))


def names(results):
    return [name.decode(errors="replace") for name in results.name.dictionary_decode().to_pylist()]


def columns(results):
    texts = [getattr(results, name).dictionary_decode().to_pylist() for name in COLUMNS[:3]]
    return [
        *texts,
        *(getattr(results, name).tolist() for name in COLUMNS[3:]),
        results.line.tolist(),
    ]


def test_a_result_line_gives_its_columns():
    found = read(
        "junk\n" + result(buffer("conv", 0x1C000, 4288, 3, 1), Setting("2,1,1,4,1")) + "\n"
    )
    assert names(found) == ["conv"]
    assert (found.address[0], found.size[0], found.start[0], found.end[0]) == (0x1C000, 4288, 3, 1)
    assert found.kind[0].as_py() == b"success; lmem_type = LMEM_ACTIVATION; op_type = tpu.Conv2D"
    assert (
        found.settings[0]
        .as_py()
        .endswith(b"allow_bank_conflict = 0; one_loop = 0; shape_secs = 2,1,1,4,1")
    )
    assert found.line.tolist() == [2]
    assert not len(found.unreadable)


def test_a_failed_block_has_no_address():
    assert read(result(buffer("a", None, 300000))).address.tolist() == [-1]


NAMES = [
    "enc@block#1=conv 2_Conv",
    "act,relu(0)_Relu",
    "0x1f_Conv",
    "12.5",
    "0",
    'say "hi"',
    "卷积/层",
    "a; b; c",
    "x; addr = 5",
    "; size = 3",
    "a = b; op_name = c",
    "trailing  ",
    "[x]; timestep_start = 7",
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_read_whole(name):
    lines = [result(buffer(text, 64)) for text in ("before", name, "after")]
    assert names(read("\n".join(lines) + "\n")) == ["before", name, "after"]


def test_what_stands_before_and_after_a_line_does_not_matter():
    location = "; file = /x/LmemAllocator.cpp; line = 1183; func = assignLmemAddr"
    line = result(buffer("a", 64), location=location)
    for text in (
        line,
        f"[###   ] 16%\b\b{line}\n",
        f"{line}\r\n",
        f"{line}; newer_field = 3\n",
        f"\n\n{line}\nbye",
    ):
        found = read(text)
        assert names(found) == ["a"]
        assert found.settings[0].as_py().split(b"shape_secs = ")[1].strip() == b"1,1,1,1,1"


def test_a_garbled_line_costs_itself():
    good = result(buffer("good", 64))
    for bad in (
        good[: good.index("; addr")],
        good.replace("; addr = 0x", "; addr = 0x; area = 5; addr = "),
        good.replace("size = 64", "size = -64"),
        good.replace("size = 64", f"size = {2**62}"),
        good.replace("0x00000040", "0x8000000000000000"),
        good.replace("timestep_end = 1", "timestep_end = 99999999"),
        good.replace("timestep_start = 0", "timestep_start = "),
        good.replace("; timestep_end", "\n; timestep_end"),
    ):
        found = read(f"{good}\n{bad}\n{good}\n")
        assert names(found) == ["good", "good"]
        assert len(found.unreadable) == 1


def test_two_results_on_one_line_are_both_read():
    line = result(buffer("a", 64))
    assert names(read(line + line + "\n")) == ["a", "a"]


def test_a_record_inside_a_name_does_not_swallow_the_next():
    line = result(buffer("a", 64))
    found = read(line[: line.index("; addr")] + line + "\n")
    assert names(found) == ["a"]
    assert len(found.unreadable) == 1


def test_a_line_that_is_all_semicolons_ends_soon():
    assert read("; tag = iteration_result" * 2000 + ";" * 100_000).unreadable.tolist() == [1] * 2000


TEXT = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)
ROWS = st.lists(
    st.builds(
        buffer,
        TEXT.filter(lambda text: "; addr = " not in text and "; tag = " not in text),
        st.none() | st.integers(0, 2**40),
        st.integers(0, 2**40),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=6,
)


@given(ROWS)
def test_what_is_written_is_read(blocks):
    found = read("\n".join(map(result, blocks)) + "\n")
    assert names(found) == [block.name for block in blocks]
    assert found.address.tolist() == [
        -1 if block.address is None else block.address for block in blocks
    ]
    assert found.size.tolist() == [block.size for block in blocks]
    assert found.start.tolist() == [block.start for block in blocks]
    assert found.end.tolist() == [block.end for block in blocks]


@given(st.data())
def test_damaged_lines_are_read_alike_by_place_and_by_pattern(data):
    text = bytearray(("\n".join(map(result, tpu_log.TRIED)) + "\n").encode())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 30))] = data.draw(
            st.binary(max_size=5) | st.sampled_from([b"\n", b"; "])
        )
    block = LogBlock(bytes(text), 0, 1, False)
    found, slow = read_results(block), _by_pattern(block)
    if found is None:
        assert len(slow) == 0
    else:
        assert columns(found) == columns(slow)
        assert found.unreadable.tolist() == slow.unreadable.tolist()


def test_blocks_are_joined_in_order():
    parts = [
        read_results(
            LogBlock(f"{result(buffer(name, 64))}\n".encode(), 1000 * rank, 1 + 10 * rank, False)
        )
        for rank, name in enumerate(["a", "b", "a"])
    ]
    found = join_results(parts)
    assert names(found) == ["a", "b", "a"]
    assert found.line.tolist() == [1, 11, 21]
    assert (found.position[1:] > found.position[:-1]).all()
    assert len(join_results([])) == 0
