import json

import pytest

from data_loaders.reading import json_entries
from data_loaders.reading.json_entries import entries_offset
from tests.support.aie_entries import NAMED, NASTY, event, lines, read, told
from tests.support.aie_trace import entry_rows

TRACE = [
    NAMED,
    event(3),
    event(4, "E"),
    event(7, tid=1, name="LOCK_STALL"),
    event(9, "E", tid=1, name="LOCK_STALL"),
]


@pytest.mark.parametrize(
    "text",
    [
        lines(*TRACE),
        json.dumps(TRACE),
        json.dumps(TRACE, separators=(",", ":")),
        json.dumps(TRACE, indent=2),
        lines(*TRACE).replace("\n", "\r\n"),
        "\ufeff" + lines(*TRACE),
        "  \n" + lines(*TRACE) + "\n\n",
        json.dumps({"traceEvents": TRACE, "displayTimeUnit": "ns"}),
        json.dumps(
            {"otherData": {"a": [1]}, "traceEvents": TRACE, "more": [{"ph": "B"}, {"ph": "E"}]},
            indent=1,
        ),
    ],
    ids=[
        "lines",
        "one line",
        "compact",
        "indented",
        "crlf",
        "bom",
        "blanks",
        "object",
        "object, more behind",
    ],
)
def test_every_container_and_layout_reads_alike(text):
    assert told(read(text)) == (
        [
            ("0", "INSTR_EVENT_0", "0", True, 3),
            ("0", "INSTR_EVENT_0", "0", False, 4),
            ("0", "LOCK_STALL", "1", True, 7),
            ("0", "LOCK_STALL", "1", False, 9),
        ],
        {"0": ("core_trace for tile2,1", 0)},
        {},
        5,
        None,
    )


def test_an_empty_array_is_whole_and_empty():
    assert told(read("[]")) == ([], {}, {}, 0, None)


@pytest.mark.parametrize("text", ["", "{}", "null", "x", '{"traceEvents": {}}', '"["'])
def test_what_holds_no_array_of_entries_is_refused(text):
    assert entries_offset(text.encode()) < 0
    with pytest.raises(ValueError, match="JSON array"):
        read(text)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (None, "not an object"),
        ([], "not an object"),
        (7, "not an object"),
        ("text", "not an object"),
        ({}, "no ph"),
        ({"ph": 3}, "phase 3"),
        ({"ph": "X", "ts": 1, "dur": 4}, "phase X"),
        (event(ts=None), "no ts"),
        ({"name": "A", "ph": "B", "pid": 0}, "no ts"),
        (event(ts="soon"), "ts is not a number"),
        (event(ts=True), "ts is not a number"),
        (event(ts=float("nan")), "ts is not a number"),
        (event(ts=float("inf")), "ts is not a number"),
        (event(ts=[1]), "ts is not a number"),
        (event(ts=2**61), "ts out of range"),
        (event(ts=-(2**62)), "ts out of range"),
        (event(ts=2**63), "ts out of range"),
        (event(ts=10**400), "ts out of range"),
        (event(name=None), "no name"),
        (event(name=4), "no name"),
        (event(pid=None), "no pid"),
        (event(pid=True), "no pid"),
        (event(pid={"a": 1}), "no pid"),
    ],
)
def test_a_bad_entry_costs_itself_and_is_counted_by_kind(entry, kind):
    for among in (
        [event(1), entry, event(2)],
        [entry, event(1), event(2)],
        [event(1), event(2), entry],
    ):
        entries = read(lines(*among))
        assert [ts for *_, ts in entry_rows(entries)] == [1, 2]
        assert dict(entries.bad) == {kind: 1}
        assert entries.cut_at is None


def test_d13_numbers_as_text_and_fractions_read_as_the_reference_script_does():
    entries = read(
        lines(event("12"), event(" 13 "), event(14.9), event(-15.9), event(1e3), event("1_0"))
    )
    assert [ts for *_, ts in entry_rows(entries)] == [12, 13, 14, -15, 1000, 10]


def test_time_stamps_up_to_the_limit_are_kept():
    extremes = [2**61 - 1, -(2**61) + 1, 0]
    assert read(lines(*(event(ts) for ts in extremes))).ts.tolist() == extremes


def test_ids_may_be_text_numbers_huge_or_missing():
    given = [
        event(pid="0"),
        event(pid=0),
        event(pid=10**30),
        event(tid="a"),
        {"name": "A", "ph": "B", "pid": 1, "ts": 2},
    ]
    assert [(pid, tid) for pid, _, tid, *_ in entry_rows(read(lines(*given)))] == [
        ('"0"', "0"),
        ("0", "0"),
        (str(10**30), "0"),
        ("0", '"a"'),
        ("1", "null"),
    ]


def test_the_last_name_of_a_process_counts_and_its_first_place():
    entries = read(
        lines(
            event(1), NAMED, event(2), NAMED | {"args": {"name": "other"}}, {"name": "x", "ph": "M"}
        )
    )
    assert entries.processes == {0: ("other", 1)}


@pytest.mark.parametrize(
    "args", [None, {}, {"name": None}, {"name": 5}, {"name": ["a"]}, [], "text", 7]
)
def test_a_process_name_of_another_shape_is_an_empty_one(args):
    entries = read(lines(NAMED | {"args": args}, event(1)))
    assert entries.processes == {0: ("", 0)}
    assert len(entries.ts) == 1


def test_a_process_name_without_a_pid_names_nothing():
    assert read(lines(NAMED | {"pid": None}, NAMED | {"pid": 1.5}, event(1))).processes == {}


@pytest.mark.parametrize("text", NASTY)
def test_brackets_inside_names_and_args_are_text(text):
    nasty = event(1, name=text, args={"l": [{"a": text}, {"b": text}], "deep": {"x": [[{}, {}]]}})
    for layout in (lines(nasty, NAMED, event(2)), json.dumps([nasty, NAMED, event(2)])):
        entries = read(layout)
        assert [ts for *_, ts in entry_rows(entries)] == [1, 2]
        assert not entries.bad
        assert entries.names[0] == text.replace("\ud800", "?")


@pytest.mark.parametrize("broken", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98"])
def test_broken_utf8_is_replaced_and_costs_nothing(broken):
    content = lines(event(1, name="NAME"), event(2)).encode().replace(b"NAME", b"a" + broken + b"b")
    entries = read(content)
    assert entries.ts.tolist() == [1, 2]
    assert entries.names[0] == f"a{'?' * len(broken)}b"
    assert not entries.bad


@pytest.mark.parametrize(
    "damage",
    [
        '{"name": broken}',
        '{"name": "A", "ts": 1',
        '{"name": "A", "ts": 01, "ph": "B"}',
        "{,}",
        "garbage",
        '{"a": [1, 2}',
        '{"a": ' + "[" * 5000 + "}",
        '{"ts": ' + "9" * 5000 + "}",
    ],
)
def test_damage_between_entries_costs_one_finding(damage):
    entries = read(
        f"[{json.dumps(event(1))},\n{damage},\n{json.dumps(event(2))},\n{json.dumps(event(3))}]"
    )
    assert entries.ts.tolist() == [1, 2, 3]
    assert dict(entries.bad) == {"not JSON": 1}
    assert entries.cut_at is None


def test_deep_nesting_does_not_stop_the_reader():
    deep = "[" * 100_000 + "]" * 100_000
    entries = read(f'[{json.dumps(event(1))},\n{{"args": {deep}}},\n{json.dumps(event(2))}]')
    assert entries.ts.tolist() == [1, 2]
    assert entries.bad["not JSON"] == 1


SMALL = [
    NAMED,
    event(10),
    event(11, "E", args={"l": [{"a": "}, {"}, {"b": [1, {"c": 2}]}]}),
    event(12, name="ü \U0001f600 ]"),
    event(13, "E", name='q\\"u'),
]


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("container", ["lines", "object"])
def test_d13_a_file_cut_at_any_byte_keeps_every_whole_entry(container):
    texts = [json.dumps(entry, ensure_ascii=False).encode() for entry in SMALL]
    head = b"[" if container == "lines" else b'{"displayTimeUnit": "ns", "traceEvents": ['
    content, ends = head, []
    for rank, text in enumerate(texts):
        content += (b",\n" if rank else b"") + text
        ends.append(len(content))
    content += b"]\n"
    for length in range(len(head), len(content) - 1):
        entries = read(content[:length])
        whole = sum(end <= length for end in ends)
        kept = [(bool(begin), int(ts)) for begin, ts in zip(entries.begin, entries.ts, strict=True)]
        want = [(entry["ph"] == "B", entry["ts"]) for entry in SMALL[1:whole]]
        assert kept == want
        assert not entries.bad
        assert entries.cut_at is not None
        assert entries.cut_at <= length
    assert read(content[:-1]).cut_at is None


def test_a_long_garbage_line_is_skipped_in_bounded_memory():
    content = (
        b"["
        + json.dumps(event(1)).encode()
        + b",\n"
        + b"x" * 3_000_000
        + b",\n"
        + json.dumps(event(2)).encode()
    )
    entries = read(content + b"]")
    assert entries.ts.tolist() == [1, 2]
    assert dict(entries.bad) == {"not JSON": 1}


@pytest.mark.slow
def test_an_entry_that_never_ends_is_given_up():
    content = (
        '[{"name": "A", "args": ['
        + "1, " * 1_200_000
        + f"\n,{json.dumps(event(7))},{json.dumps(event(8))}]"
    )
    entries = read(content)
    assert entries.ts.tolist() == [7, 8]
    assert entries.bad["not JSON"] == 1


def test_looking_into_damage_stops_when_it_has_cost_enough(monkeypatch):
    monkeypatch.setattr(json_entries, "MAX_DAMAGE_COST", 0)
    nested = '{"a":[' * 3_000
    entries = read(f"[{nested},\n{json.dumps(event(1))},\n{json.dumps(event(2))}]")
    assert entries.ts.tolist()[-1] == 2
    assert entries.bad["not JSON"] < 100


def test_a_block_of_many_entries_goes_past_a_block_border(monkeypatch):
    monkeypatch.setattr(json_entries, "BLOCK_BYTES", 1000)
    given = [NAMED, *(event(i, "BE"[i % 2], tid=i % 3) for i in range(500))]
    entries = read(lines(*given))
    assert entries.ts.tolist() == list(range(500))
    assert entries.total == 501


def test_cut_at_names_the_byte_at_which_the_text_ends():
    text = lines(event(1), event(2))[:-10]
    assert read(text).cut_at == len(text)


def test_entries_of_every_lane_of_a_unit_are_told_apart():
    entries = read(lines(*(event(i, name=f"N{i % 4}", tid=i % 8, pid=i % 3) for i in range(48))))
    assert len(entries.lanes) == 24
    assert [(pid, name, tid) for pid, name, tid, *_ in entry_rows(entries)] == [
        (str(i % 3), f"N{i % 4}", str(i % 8)) for i in range(48)
    ]
