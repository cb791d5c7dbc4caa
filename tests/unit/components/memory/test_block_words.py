import pytest

from components.memory.block_words import Life, bank_words, both, exact, marks, text
from tests.support import memory


def row(**more):
    return memory.blocks([memory.block(**more)]).iloc[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"start": 3, "end": 8}, "3 – 7"),
        ({"start": 3, "end": 4}, "3"),
        ({"start": 5, "end": 2, "wraps": True}, "5 – end, 0 – 1"),
        ({"start": 5, "end": 1, "wraps": True}, "5 – end, 0"),
        ({"start": 3, "end": 8, "hold": True}, "all"),
        ({"start": 0, "end": 1, "kind": "constant"}, "all"),
        ({"start": 3, "end": 8, "plan": "inner"}, "3"),
        ({"start": 1200, "end": 1300}, "1\u202f200 – 1\u202f299"),
    ],
)
def test_both_ends_are_included(more, said):
    assert Life.of(row(**more)).steps == said


def test_a_row_of_a_loop_is_read_as_well():
    assert (
        Life.of(next(memory.blocks([memory.block(start=2, end=4)]).itertuples(index=False))).steps
        == "2 – 3"
    )


def test_age_counts_from_the_last_loop_where_a_block_wraps():
    wrapped = Life.of(row(start=5, end=2, wraps=True))
    assert wrapped.since(6) == "5"
    assert wrapped.since(1) == "5, last loop"
    assert Life.of(row(hold=True)).since(3) == "always"


def test_marks_are_what_is_out_of_the_ordinary():
    assert marks(row(address=0)) == []
    assert marks(row(address=0, hold=True, wraps=True)) == ["held", "wraps"]
    assert marks(memory.blocks([memory.failed(plan="inner")]).iloc[0]) == ["failed", "inner"]
    assert marks(row(address=0, status="shared")) == ["shared"]
    assert marks(row()) == ["unplaced"]
    assert marks(row(address=0, kind="constant", hold=True)) == []


def test_numbers():
    assert exact(128000) == "128\u202f000\u202fB"
    assert both(2048) == "2.00\u202fKiB = 2\u202f048\u202fB"
    assert both(64) == "64\u202fB"


@pytest.mark.parametrize(
    ("low", "high", "size", "said"),
    [(0, 64, 64, "bank 0"), (0, 65, 64, "banks 0 – 1"), (64, 64, 64, "bank 1"), (0, 64, None, "")],
)
def test_banks_are_half_open(low, high, size, said):
    assert bank_words(low, high, size) == said


def test_no_value_is_a_dash():
    assert [text(value) for value in (None, float("nan"), "", "x")] == ["–", "–", "–", "x"]
