"""Blocks of entries of one shape: what a JSON reader reads of them, or nothing."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.reading.uniform_entries import read_uniform

POOL = pa.system_memory_pool()
KEYS = ("name", "ph", "pid", "tid", "ts")
NAMES = st.sampled_from(
    ["LOCK_STALL", "a, b", 'q"uote', "", "\u00b5", "\ud800", "{", "x" * 40]
) | st.text(max_size=6)
NUMBERS = st.integers(0, 3) | st.sampled_from([-1, 2**31, 2**63 - 1, 2**63, 2**64])
ENTRIES = st.fixed_dictionaries(
    {
        "name": NAMES,
        "ts": NUMBERS,
        "ph": st.sampled_from("BEBEBEM"),
        "pid": NUMBERS,
        "tid": NUMBERS,
    },
    optional={
        "args": st.just({}) | st.dictionaries(st.sampled_from(["name", "x"]), NUMBERS, max_size=2)
    },
)
OTHER = st.sampled_from(
    ["1.5", "true", "null", '"7"', "007", "+1", "0x1F", "1e3", "NaN", " 4 ", "[1]", "{}", "\u0664"]
)


def block_of(entries, separator=",\n"):
    return separator.join(map(json.dumps, entries)).encode("utf-8", "surrogatepass")


def rows(table):
    return [tuple(row[key] for key in KEYS) for row in table.to_pylist()]


def expected(block):
    """Return the entries by Python's own reader."""
    return [tuple(entry[key] for key in KEYS) for entry in json.loads(b"[" + block + b"]")]


ENTRY = {"name": "LOCK_STALL", "ts": 13, "ph": "B", "pid": 5, "tid": 5, "args": {}}


@pytest.mark.parametrize("separator", [",\n", ",\r\n", ", \n", ",\n\n"])
def test_entries_as_a_trace_writer_prints_them_are_read(separator):
    entries = [
        ENTRY | {"ts": ts, "ph": phase, "name": name}
        for ts, phase, name in ((0, "B", "x"), (2**62, "E", "y"))
    ]
    table = read_uniform(block_of(entries * 9, separator), POOL)
    assert rows(table) == [tuple(entry[key] for key in KEYS) for entry in entries * 9]


@given(entries=st.lists(ENTRIES, min_size=1, max_size=6))
def test_what_is_read_is_what_a_json_reader_reads(entries):
    block = block_of(entries)
    table = read_uniform(block, POOL)
    assert table is None or rows(table) == expected(block)


@given(
    entries=st.lists(st.just(ENTRY) | ENTRIES, min_size=2, max_size=5),
    key=st.sampled_from(KEYS),
    value=OTHER,
    at=st.integers(0, 4),
)
def test_a_value_of_another_kind_is_never_taken_for_one_of_its_own(entries, key, value, at):
    lines = [json.dumps(entry) for entry in entries]
    entry = entries[at % len(entries)]
    lines[at % len(entries)] = json.dumps(entry).replace(json.dumps(entry[key]), value, 1)
    block = ",\n".join(lines).encode("utf-8", "surrogatepass")
    table = read_uniform(block, POOL)
    assert table is None or rows(table) == expected(block)


@given(
    entries=st.lists(st.just(ENTRY), min_size=2, max_size=4),
    at=st.integers(0, 400),
    put=st.sampled_from(
        [
            b"",
            b",",
            b"}",
            b"{",
            b'"',
            b"\n",
            b"\\",
            b"\0",
            b"\xff",
            b'},{"x":1',
            b'"name": "z", ',
            b"NA",
        ]
    ),
    cut=st.integers(0, 12),
)
def test_a_damaged_block_is_left_alone(entries, at, put, cut):
    block = block_of(entries)
    at %= len(block)
    damaged = block[:at] + put + block[at + cut :]
    table = read_uniform(damaged, POOL)
    assert table is None or rows(table) == expected(damaged)


@pytest.mark.parametrize(
    "entries",
    [
        [ENTRY, {key: ENTRY[key] for key in reversed(ENTRY)}],
        [ENTRY, ENTRY | {"ph": "M"}],
        [ENTRY, ENTRY | {"cat": "x"}],
        [{key: value for key, value in ENTRY.items() if key != "pid"}] * 2,
        [ENTRY | {"pid": pid} for pid in range(2000)],
        [3, ENTRY],
    ],
    ids=["order", "metadata", "another key", "no pid", "too many texts", "a number"],
)
def test_entries_of_no_one_shape_are_left_alone(entries):
    assert read_uniform(block_of(entries), POOL) is None


@pytest.mark.parametrize("space", ["\u00a0", "\f", "\u2003"])
@pytest.mark.parametrize("before", ["\n", '"ts"', ": 13", ', "ph"'])
def test_what_is_no_space_in_json_is_damage(space, before):
    damaged = block_of([ENTRY, ENTRY]).decode().replace(before, space + before)
    assert read_uniform(damaged.encode(), POOL) is None


def test_an_entry_over_several_lines_is_left_alone():
    assert read_uniform(json.dumps(ENTRY, indent=1).encode(), POOL) is None
    assert read_uniform(b"", POOL) is None
    assert read_uniform(b"[" * 100_000 + b"\n", POOL) is None
