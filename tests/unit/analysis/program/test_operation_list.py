"""The list of operations of a program."""

from analysis.program.nodes import Nodes
from analysis.program.operation_list import operation_list


def nodes(*rows):
    """Return nodes of rows (operation, type, operands, argument)."""
    operations, dtypes, sources, texts = (list(column) for column in zip(*rows, strict=True))
    none = [-1] * len(rows)
    return Nodes(
        operations,
        dtypes,
        sources,
        [0] * len(rows),
        [0] * len(rows),
        texts,
        [""] * len(rows),
        none,
        none,
    )


def test_operations_are_listed_in_the_order_in_which_they_run():
    one, two, total = (
        ("CONST", "int", (), "1"),
        ("CONST", "int", (), "2"),
        ("ADD", "int", (1, 0), ""),
    )
    graph = nodes(one, two, total, ("LINEAR", "void", (1, 0, 2), ""), ("PROGRAM", "void", (3,), ""))
    assert operation_list(graph, 4) == [
        "   0 CONST int 2",
        "   1 CONST int 1",
        "   2 ADD int (0, 1)",
    ]
    assert operation_list(graph, 2) == []
