import json

import pytest

from components.memory import attempt_compare as module
from components.memory.attempt_compare import attempt_compare, block_records, changes_line
from tests.support import memory
from tests.support.numbers_in_text import has_numbers, without_numbers
from tests.unit.components.memory.test_block_card import read


@pytest.fixture
def pair():
    one = [
        memory.block("same", 0, 2, 0, 64),
        memory.block("moved", 0, 2, 64, 64),
        memory.block("resized", 0, 2, 128, 64),
        memory.block("relived", 0, 2, 256, 64),
        memory.block("gone", 0, 2, 320, 64),
    ]
    other = [
        memory.block("same", 0, 2, 0, 64),
        memory.block("moved", 0, 2, 512, 64),
        memory.block("resized", 0, 2, 128, 128),
        memory.block("relived", 0, 1, 256, 64),
        memory.failed("new", 0, 2, 64),
    ]
    return memory.amap(one, capacity=1024), memory.amap(other, capacity=1024)


def parts(made, kind):
    """Return the components of a kind within another one, in order."""
    children = getattr(made, "children", None)
    within = children if isinstance(children, list | tuple) else [children]
    own = [made] if type(made).__name__ == kind else []
    return own + [
        one
        for part in within
        if part is not None and not isinstance(part, str)
        for one in parts(part, kind)
    ]


def numbers(made):
    """Return label -> cells of the table of numbers."""
    rows = parts(parts(made, "Tbody")[0], "Tr")
    return {read(row.children[0]): row.children[1:] for row in rows}


def test_every_number_has_its_delta_with_sign_and_polarity(pair):
    extent = numbers(attempt_compare(*pair))["extent"]
    assert [read(cell) for cell in extent] == ["384 B", "576 B", "+192 B", "+50.0 %"]
    assert extent[2].className == "ts-trouble"
    assert extent[3].title == "B is worse"
    back = numbers(attempt_compare(*reversed(pair)))["extent"]
    assert [read(cell) for cell in back[2:]] == ["−192 B", "−33.3 %"]
    assert back[2].className == "ts-good"


def test_shares_differ_in_percentage_points(pair):
    assert [read(cell) for cell in numbers(attempt_compare(*pair))["utilisation"]] == [
        "37.5 %",
        "56.3 %",
        "+18.8 percentage points",
        "",
    ]


def test_what_is_not_known_is_a_dash_and_what_is_equal_is_said(pair):
    table = numbers(attempt_compare(*pair))
    assert read(table["waste"][1:3]) == "– –"
    assert read(table["blocks"][2]) == "="


def test_only_differences_are_listed_and_the_rest_is_folded_away(pair):
    differing, same = parts(attempt_compare(*pair), "AgGrid")
    changes = {row["name"]: row["change"] for row in differing.rowData}
    assert changes == {
        "moved": "moved",
        "resized": "resized",
        "relived": "alive at other steps",
        "gone": "only in A",
        "new": "only in B",
    }
    assert [row["name"] for row in same.rowData] == ["same"]
    assert has_numbers(read(attempt_compare(*pair)), "1")
    json.dumps(differing.rowData, allow_nan=False)


@pytest.mark.slow
def test_changes_are_counted_in_words(pair):
    said = read(attempt_compare(*pair))
    assert has_numbers(said, "6", "1", "1", "1", "1", "1", "1")
    assert has_numbers(read(attempt_compare(pair[0], pair[0])), "5")
    assert without_numbers(read(attempt_compare(memory.amap([]), memory.amap([]))).split("–")[-1])


def test_lives_are_inclusive_and_a_missing_side_is_a_dash(pair):
    rows = {row["name"]: row for row in parts(attempt_compare(*pair), "AgGrid")[0].rowData}
    assert (rows["relived"]["steps_a"], rows["relived"]["steps_b"]) == ("0 – 1", "0")
    assert (rows["gone"]["steps_b"], rows["gone"]["size_b"]) == ("–", None)


def test_what_is_not_listed_is_said(pair, monkeypatch):
    monkeypatch.setattr(module, "MAX_SENT", 2)
    made = attempt_compare(*pair)
    assert len(parts(made, "AgGrid")[0].rowData) == 2
    assert "3 more blocks not listed." in read(made)


def test_records_and_line_take_what_the_analysis_gives(pair):
    blocks = module.compare_blocks(*pair)
    assert len(block_records(blocks)) == len(blocks)
    assert changes_line(blocks.head(0)) == "Neither has a block."
