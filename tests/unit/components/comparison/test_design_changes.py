"""The table of parts that differ between two designs."""

from components.comparison.design_changes import KINDS, changes_table
from tests.support.components import every

BUFFER, LOCK = KINDS["buffers"], KINDS["locks"]


def row(part, number):
    return [part, f"name {number}", "removed", "0x0", "–"]


def test_many_changes_of_a_part_are_folded_and_none_is_lost():
    cells = [row(BUFFER, i) for i in range(300)] + [row(LOCK, 0)]
    made = changes_table(cells)
    (fold,) = every(made, "Details")
    folded = len(every(fold, "Tr")) - 1
    assert "288" in str(fold.children[0].children) and folded == 288
    assert len(every(made, "Tr")) - 2 == len(cells)


def test_few_changes_have_no_fold():
    assert not every(changes_table([row(BUFFER, 0), row(LOCK, 0)]), "Details")
