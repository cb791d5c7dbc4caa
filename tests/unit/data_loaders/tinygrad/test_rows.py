import pytest

from data_loaders.tinygrad.rows import row_kind, row_names, row_order


def test_rows_come_as_in_tinygrads_viewer():
    rows = [
        "DISK:/a",
        "CPU:COPY",
        "TINY",
        "NULL:10",
        "CPU Graph",
        "NULL:2",
        "GC",
        "CPU:1",
        "USER",
        "CPU",
        "AMD:SDMA:0",
        "AMD",
    ]
    assert sorted(rows, key=row_order) == [
        "GC",
        "USER",
        "TINY",
        "AMD",
        "AMD:SDMA:0",
        "CPU",
        "CPU Graph",
        "CPU:COPY",
        "CPU:1",
        "NULL:10",
        "NULL:2",
        "DISK:/a",
    ]


def test_a_device_comes_before_its_graph_and_its_engines():
    rows = ["TEST:1:SDMA:1", "TEST:1 Graph", "TEST:2", "TEST:1:SDMA:0", "TEST:1"]
    assert sorted(rows, key=row_order) == [
        "TEST:1",
        "TEST:1 Graph",
        "TEST:1:SDMA:0",
        "TEST:1:SDMA:1",
        "TEST:2",
    ]


@pytest.mark.parametrize(
    ("name", "graph", "kind"),
    [
        ("GC", False, "gc"),
        ("USER", False, "user"),
        ("TINY", False, "compiler"),
        ("CPU", False, "device"),
        ("CPU:3", False, "device"),
        ("CPU Graph", True, "graph"),
        ("CPU:COPY", False, "copy"),
        ("AMD:1:SDMA:0", False, "copy"),
        ("DISK:/tmp/x", False, "disk"),
        ("MINE", False, "device"),
        ("LOOP:0", False, "other"),
        ("", False, "other"),
    ],
)
def test_kinds(name, graph, kind):
    assert row_kind(name, graph, {"MINE"}) == kind


def test_names_stay_distinct():
    assert row_names(["a\ud800", "a?", "配列", "x" * 300], strip=False) == [
        "a?",
        "a? #2",
        "配列",
        "x" * 300,
    ]


def test_folders_are_stripped():
    assert row_names(["DISK:/home/me/a.bin", "DISK:/tmp/a.bin", "CPU"], strip=True) == [
        "DISK:a.bin",
        "DISK:a.bin #2",
        "CPU",
    ]
    assert row_names(["DISK:/home/me/a.bin"], strip=False) == ["DISK:/home/me/a.bin"]
