from itertools import pairwise

from components.memory.label_places import _span
from components.memory.levels import levels
from components.memory.marks import labels
from tests.support.memory import amap, block, failed


def spans_of(one):
    """Return the pixels that each label at the right takes, from top to bottom, by its text."""
    (drawn,) = levels([one], (0, one.length), None, 100, [[]])
    texts = labels(drawn, "light", titled=False)
    return {note["text"]: _span(note["text"], note, drawn) for note in texts}


def test_the_count_of_failed_blocks_and_the_capacity_are_apart() -> None:
    one = amap(
        [block("a", 0, 2, 0, 64), *(failed(f"f{i}", 0, 1, 8) for i in range(2))], capacity=128
    )
    spans = spans_of(one)
    assert len(spans) == 2
    first, second = sorted(spans.values(), key=lambda span: span.top)
    assert first.bottom <= second.top


def test_no_label_of_a_bank_is_below_another_label() -> None:
    one = amap([block("a", 0, 2, 0, 1000)], capacity=1024, banks=16, bank_bytes=64)
    ordered = sorted(spans_of(one).values(), key=lambda span: span.top)
    assert len(ordered) > 5
    assert all(upper.bottom <= lower.top for upper, lower in pairwise(ordered))
