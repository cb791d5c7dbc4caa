import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.run import read_export
from data_loaders.tinygrad.sniff import is_export, refusal
from schema.frames import conform
from tests.support.tinygrad_export import export_lines

KERNEL = {
    "device": "CPU",
    "name": "k",
    "dur_ms": 0.5,
    "st_ms": 1.0,
    "fmt": {},
    "ref": None,
    "ext": "",
}


def read(*rows):
    data = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()
    return read_export(data, strip=False)


def test_an_export_gives_the_timeline():
    reading = read_export(export_lines().encode(), strip=False)
    for name in ("tracks", "events"):
        conform(name, reading.frames[name])
    frame = reading.frames["events"]
    assert frame[["track", "name", "start", "end"]].to_numpy().tolist() == [
        ["USER", "matmul", 0, 3_500_000],
        ["TINY", "linearize", 700_000, 702_300],
        ["CPU", "r_8_8", 1_125_000, 1_625_000],
        ["CPU Graph", "batched 2", 2_000_000, 3_000_000],
        ["CPU:COPY", "TINY -> CPU", 2_500_000, 2_750_000],
    ]
    assert reading.frames["tracks"]["kind"].tolist() == [
        "user",
        "compiler",
        "device",
        "graph",
        "copy",
    ]
    assert reading.frames["markers"][["name", "start"]].to_numpy().tolist() == [
        ["train @ 0", 500_000]
    ]
    assert reading.metadata == {"hwid": "CPU", "time_unit": "ns"}
    assert [finding.code for finding in reading.findings] == ["export_partial"]


def test_rates_become_operations_and_bytes():
    frame = read_export(export_lines().encode(), strip=False).frames["kernels"]
    columns = ["name", "operations", "memory_bytes", "moved_bytes", "copied_bytes", "missing"]
    assert frame[columns].astype(object).fillna(-1).to_numpy().tolist() == [
        ["r_8_8", 500_000, 1000, 1500, -1, ""],
        ["TINY -> CPU", -1, -1, -1, 64, ""],
    ]


@pytest.mark.slow
def test_rates_that_are_none_leave_the_kernel_without():
    for odd in ("ERR", None, -1, True, 1e400, 10**400, [1]):
        frame = read({**KERNEL, "fmt": {"FLOPS": odd}}).frames["kernels"]
        assert frame["operations"].isna().all()
        assert frame["missing"].tolist() == ["rewrites"]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[" * 100_000,
        '{"device": "CPU"',
        {"device": 3, "name": "k", "dur_ms": 1, "st_ms": 1},
        {"device": "CPU", "name": None, "dur_ms": 1, "st_ms": 1},
        {**KERNEL, "st_ms": "1"},
        {**KERNEL, "st_ms": 1e300},
        {**KERNEL, "st_ms": 10**400},
        {**KERNEL, "dur_ms": -(10**400)},
        {**KERNEL, "st_ms": float("nan")},
        {**KERNEL, "st_ms": True},
        {**KERNEL, "dur_ms": None},
        {"name": "k", "dur_ms": 1, "count": 3, "pct": 5, "ref": None},
        '{"device": "CPU", "name": "k", "dur_ms": ' + "1" * 5000 + ', "st_ms": 1}',
    ],
)
def test_a_line_that_is_no_event_is_counted(line):
    reading = read(KERNEL, line)
    assert len(reading.frames["events"]) == 1
    assert {finding.code for finding in reading.findings} == {"export_partial", "events_skipped"}


def test_printed_steps_are_no_events():
    assert [f.code for f in read(KERNEL, {"value": "step"}, "", "3").findings] == ["export_partial"]


def test_an_export_of_nothing_is_refused():
    for rows in (
        [],
        [{"value": 3}],
        [{"device": "SOURCE", "name": "CPU Memory", "st_ms": 0}],
        ["x"],
    ):
        with pytest.raises(LoadError, match="it contains no events"):
            read(*rows)


def test_a_summary_is_refused_by_its_name():
    with pytest.raises(LoadError, match="summary"):
        read({"name": "k", "dur_ms": 1, "count": 3, "pct": 5, "ref": None})


def test_it_is_told_from_other_files():
    assert is_export(export_lines().encode())
    assert is_export(b"  \n" + export_lines().encode())
    for head in (b"", b"{}", b'{"a": 1}\n', b'[{"device": 1, "name": 1, "st_ms": 1}]', b"\x80\x04"):
        assert not is_export(head)
        assert refusal(head)


NUMBER = st.floats() | st.integers() | st.integers(0, 4000).map(lambda digits: 10**digits)
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | st.text(),
    lambda x: st.dictionaries(st.text(), x, max_size=3),
    max_leaves=4,
)
FIELDS = st.fixed_dictionaries({}, optional=dict.fromkeys([*KERNEL, "count", "value"], VALUE))
FMT = st.fixed_dictionaries({}, optional=dict.fromkeys(("FLOPS", "B/s mem", "B/s lds", "B"), VALUE))


@pytest.mark.slow
@given(st.lists(VALUE, max_size=3), st.lists(FIELDS, max_size=3), st.lists(FMT, max_size=3))
def test_any_json_is_read_or_refused(values, fields, rates):
    reading = read(
        KERNEL,
        *values,
        *({**KERNEL, **some} for some in fields),
        *({**KERNEL, "fmt": f} for f in rates),
    )
    for name, frame in reading.frames.items():
        conform(name, frame)
