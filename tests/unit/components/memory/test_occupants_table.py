from analysis.memory.bank_occupants import bank_occupants
from components.memory.occupants_table import occupants_caption, occupants_table
from tests.support.components import every, words
from tests.support.memory import amap, block

ROWS = [
    *(
        block("net/one", 0, 3, 0, 100),
        block("net/two", 1, 2, 40, 80),
        block("net/three", 1, 2, 64, 8),
    ),
    block("net/four", 1, 2, 66, 4),
]
SHOWN = amap(ROWS, banks=4, bank_bytes=64)


def test_a_row_per_bank_in_use_and_a_column_per_step():
    steps = range(0, 3)
    table = occupants_table(SHOWN, bank_occupants(SHOWN, steps), steps, cursor=1)
    heads = [words(cell) for cell in every(table, "Th")]
    assert heads == ["bank", "0", "1", "2", "0", "1"]
    cells = every(table, "Td")
    assert words(cells[0]) == "net/one"
    assert words(cells[4]) == "net/two, net/one +2"
    assert "56" in cells[4].title
    assert [cell.className for cell in cells[:3]] == [None, "ts-at-cursor", None]


def test_the_answer_counts_banks_and_steps():
    assert "2 banks of 4" in occupants_caption(
        SHOWN, bank_occupants(SHOWN, range(0, 2)), range(0, 2)
    )
    assert occupants_caption(SHOWN, bank_occupants(SHOWN, range(0, 0)), range(0, 0)) == ""
