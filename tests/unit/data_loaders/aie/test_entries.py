"""Entries gathered from blocks and one by one: both ways give the same columns and count the same faults."""

import numpy as np
import pyarrow as pa
import pytest

from data_loaders.aie.entries import MAX_ADDRESS, MAX_TICK, EntryCollector
from data_loaders.aie.trace_entries import SCHEMA
from tests.support.aie_trace import entry_rows


def entry(ph="B", ts=5, **more):
    return {"name": "LOCK_STALL", "ph": ph, "ts": ts, "pid": 1, "tid": 0} | more


def named(pid, name):
    return {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}


def instant(order, address, **more):
    return entry("i", order, s="t", args={"pc": address}) | more


def gathered(*values, blocks=False):
    collector = EntryCollector()
    if blocks:
        rows = [dict.fromkeys(SCHEMA.names) | value for value in values]
        collector.add_table(pa.Table.from_pylist(rows, SCHEMA))
    else:
        collector.add_values(list(values))
    return collector.entries(None)


def addresses(entries):
    """Return (pid, name, tid, order, address) of every record of an address."""
    found, texts = entries.instants, (entries.pids, entries.names, entries.tids)
    codes = [
        [of[code] for code in column]
        for of, column in zip(texts, (found.pid, found.name, found.tid), strict=True)
    ]
    return list(zip(*codes, found.order.tolist(), found.pc.tolist(), strict=True))


@pytest.fixture(params=[False, True], ids=["one by one", "block"])
def gather(request):
    return lambda *values: gathered(*values, blocks=request.param)


def test_entries_have_lane_kind_and_time_in_the_order_of_the_file(gather):
    found = gather(entry(), entry("E", 9), entry("B", 3, pid=2, tid=None), entry("E", 4, name="x"))
    assert entry_rows(found) == [
        ("1", "LOCK_STALL", "0", True, 5),
        ("1", "LOCK_STALL", "0", False, 9),
        ("2", "LOCK_STALL", "null", True, 3),
        ("1", "x", "0", False, 4),
    ]
    assert (found.lane.dtype, found.begin.dtype, found.ts.dtype) == (np.int32, np.bool_, np.int64)
    assert (found.total, dict(found.bad)) == (4, {})


def test_processes_are_named_with_the_entries_before_the_first_name(gather):
    found = gather(
        entry(),
        named(1, "core"),
        entry(),
        named(2, "mem"),
        named(1, "core again"),
        entry("M", name="other"),
    )
    names = {found.pids[code]: named for code, named in found.processes.items()}
    assert names == {"1": ("core again", 1), "2": ("mem", 2)}
    assert (len(entry_rows(found)), dict(found.bad)) == (2, {})


def test_metadata_without_a_process_names_none(gather):
    assert gather(named(None, "x"), entry()).processes == {}
    found = gather(named(3, None), entry())
    assert list(found.processes.values()) == [("", 0)]


def test_what_lacks_something_is_counted_by_what_it_lacks(gather):
    found = gather(
        entry(ts=None),
        entry(name=None),
        entry(pid=None),
        entry(ts=MAX_TICK),
        entry(ts=-MAX_TICK),
        entry(None),
        entry("X"),
    )
    assert entry_rows(found) == []
    assert dict(found.bad) == {
        "no ts": 1,
        "no name": 1,
        "no pid": 1,
        "ts out of range": 2,
        "no ph": 1,
        "phase X": 1,
    }
    assert found.total == 7


def test_records_of_addresses_have_order_and_address_and_no_time(gather):
    found = gather(instant(0, 16), entry(), instant(1, MAX_ADDRESS - 1, tid=None, name="pc"))
    assert addresses(found) == [
        ("1", "LOCK_STALL", "0", 0, 16),
        ("1", "pc", "null", 1, MAX_ADDRESS - 1),
    ]
    assert (len(entry_rows(found)), found.total, dict(found.bad)) == (1, 3, {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"args": None},
        {"args": {"pc": None}},
        {"args": {"pc": -1}},
        {"args": {"pc": MAX_ADDRESS}},
        {"ts": None},
        {"ts": -1},
        {"s": "g"},
        {"name": None},
        {"pid": None},
    ],
)
def test_an_instant_that_is_no_record_of_an_address_is_counted(gather, wrong):
    found = gather(instant(0, 16, **wrong), instant(1, 20))
    assert [address for *_, address in addresses(found)] == [20]
    assert dict(found.bad) == {"phase i": 1}


@pytest.mark.parametrize("value", [7, None, "B", ["B"]])
def test_a_value_that_is_no_object_is_counted(value):
    assert dict(gathered(value).bad) == {"not an object": 1}


@pytest.mark.parametrize(("ts", "ticks"), [(5.9, 5), (-5.9, -5), ("12", 12), (" 7 ", 7)])
def test_times_are_read_as_the_reference_script_reads_them(ts, ticks):
    assert gathered(entry(ts=ts)).ts.tolist() == [ticks]


@pytest.mark.parametrize("ts", [True, [], {}, "x", "1.5", float("nan"), float("inf"), "9" * 5_000])
def test_what_is_no_time_is_counted(ts):
    found = gathered(entry(ts=ts))
    assert (entry_rows(found), dict(found.bad)) == ([], {"ts is not a number": 1})


@pytest.mark.parametrize("pid", [True, 1.5, [], {}])
def test_what_is_no_id_is_counted(pid):
    assert dict(gathered(entry(pid=pid)).bad) == {"no pid": 1}


def test_texts_that_no_file_can_hold_are_replaced():
    found = gathered(entry(pid="\ud800", name="\udfffx", tid="王"), entry("\ud800"))
    assert entry_rows(found) == [('"?"', "?x", '"王"', True, 5)]
    assert dict(found.bad) == {"phase ?": 1}


def test_blocks_and_single_values_are_one_sequence():
    collector = EntryCollector()
    table = pa.Table.from_pylist([dict.fromkeys(SCHEMA.names) | entry()], SCHEMA)
    collector.add_values([entry("B", 1), instant(0, 4)])
    collector.add_table(table)
    collector.add_values([named(1, "core"), entry("E", 9)])
    found = collector.entries(120)
    assert [row[-1] for row in entry_rows(found)] == [1, 5, 9]
    assert (found.processes, found.total, found.cut_at) == ({0: ("core", 2)}, 5, 120)
    assert len(collector.entries(None).ts) == 0, "what was gathered is forgotten"
