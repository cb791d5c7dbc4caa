"""Words and table of the parts of a profile's step."""

from dataclasses import replace

import pytest

from analysis.comparison.step_parts import SideParts, StepParts
from components.comparison.step_part_words import parts_sentence
from components.comparison.step_parts_table import MAX_OPERATORS, part_rows, parts_table
from tests.support.components import words
from tests.support.numbers_in_text import has_numbers, numbers_in

MS = 1_000_000


def side(compute, communication, copies, idle, **more):
    """Return a side; times are ms, `more` are the reasons for its idle time."""
    times = {
        "compute": compute,
        "communication_exposed": communication,
        "copy_exposed": copies,
        "idle": idle,
    }
    total = sum(times.values()) * MS
    parts = {"step": total} | {name: time * MS for name, time in times.items()}
    reasons = {name: time * MS for name, time in more.items()}
    return SideParts(0, 4, total, parts, reasons, {})


BASE = side(250, 40, 5, 50, host=30, queued=20)


@pytest.mark.parametrize(
    ("new", "step", "share", "change", "part"),
    [
        (side(260, 45, 5, 100, host=75, queued=25), "410 ms", "+19 %", ["+50.0 ms"], "host"),
        (
            side(250, 40, 5, 100, host=50, queued=45, launch=5),
            *("395 ms", "+14 %", ["+50.0 ms"], "queued"),
        ),
        (side(200, 60, 5, 50, host=30, queued=20), "315 ms", "−9 %", ["−50.0 ms"], "compute"),
        (
            side(250, 140, 5, 50, host=30, queued=20),
            "445 ms",
            "+29 %",
            ["+100 ms"],
            "communication",
        ),
        # The step is as long: the largest change counts, whatever its direction.
        (side(250, 60, 5, 30, host=10, queued=20), "345 ms", "0 %", ["+20.0 ms"], "communication"),
        (BASE, "345 ms", "0 %", [], ""),
    ],
)
def test_the_sentence_names_the_part_that_changed_most(new, step, share, change, part):
    sentence = parts_sentence(StepParts(BASE, new))
    assert numbers_in(sentence) == ["345", step, share, *change]
    assert part in sentence.rpartition("):")[2]


def test_other_devices_are_named_with_the_word_of_their_maker():
    base = replace(BASE, device=0, interface="cuda")
    new = replace(BASE, device=1, interface="xpu")
    assert "GPU 0 and XPU 1" in parts_sentence(StepParts(base, new))
    assert "GPU" not in parts_sentence(StepParts(base, base))


def test_without_a_typical_step_the_sentence_says_what_its_times_are_of():
    base = replace(BASE, step_ns=None, steps=2)
    assert has_numbers(parts_sentence(StepParts(base, BASE)), "2", "4")
    window = replace(BASE, step_ns=None, steps=0)
    scope = parts_sentence(StepParts(window, window))
    assert numbers_in(scope)[:2] == ["345", "345 ms"]
    assert not has_numbers(scope, "2", "4")
    assert parts_sentence(None) == ""


def test_no_reason_with_less_than_half_of_the_change_is_named():
    new = side(250, 40, 5, 110, host=50, queued=40, launch=20)
    assert parts_sentence(StepParts(BASE, new)).endswith("+60.0 ms idle.")


def test_the_table_lists_the_operators_that_changed_most():
    names = [f"aten::op{rank}" for rank in range(30)]
    base = replace(BASE, operators={name: float(rank) for rank, name in enumerate(names)})
    new = replace(BASE, operators={name: 3.0 * rank for rank, name in enumerate(names)})
    parts = StepParts(base, replace(new, operators={**new.operators, "": 1_000.0}))
    text = words(parts_table(parts))
    assert text.count("aten::op") == MAX_OPERATORS - 1
    assert "without an operator" in text
    rows = part_rows(parts)
    assert [row["kind"] for row in rows].count("operator") == 31
    assert rows[0] == {
        "kind": "part",
        "name": "step",
        "base": 345 * MS,
        "new": 345 * MS,
        "change": 0,
    }
