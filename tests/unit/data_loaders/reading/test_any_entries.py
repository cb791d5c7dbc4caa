"""Entries drawn at random, blocks of any size and any bytes: all ways of reading agree."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.reading import json_entries
from tests.support.aie_entries import EVENT, NAMED, NASTY, read, told


def _value():
    scalars = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=6)
        | st.sampled_from(NASTY)
    )
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=4,
    )


def _entry():
    ticks = (
        st.integers(-(2**63), 2**64)
        | st.integers(0, 50)
        | st.floats()
        | st.sampled_from(["7", "x", None, True])
    )
    ids = st.integers(0, 3) | st.sampled_from([None, "0", 1.5, 10**20, True])
    plain = st.fixed_dictionaries(
        {
            "name": st.sampled_from(["INSTR_EVENT_0", "A", *NASTY]),
            "ph": st.sampled_from("BE"),
            "ts": st.integers(0, 99),
        },
        optional={"pid": st.integers(0, 2), "tid": st.integers(0, 2), "args": _value()},
    )
    odd = st.fixed_dictionaries(
        {},
        optional={
            "name": _value(),
            "ph": st.sampled_from(["B", "E", "M", "X", 1]),
            "ts": ticks,
            "pid": ids,
            "tid": ids,
        },
    )
    process = st.builds(lambda pid, args: NAMED | {"pid": pid, "args": args}, ids, _value())
    return plain | odd | process | _value()


@given(
    entries=st.lists(_entry(), max_size=12),
    separator=st.sampled_from([", ", ",\n", ",", " , \r\n "]),
    block=st.integers(64, 700),
)
def test_neither_block_borders_nor_the_quick_way_change_what_is_read(entries, separator, block):
    """Small blocks give what one block gives, and both give what a plain loop over the parsed entries gives."""
    content = ("[" + separator.join(json.dumps(entry) for entry in entries) + "]").encode()
    whole = told(read(content))
    assert whole[0] == _loop(entries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_entries, "BLOCK_BYTES", block)
        assert told(read(content)) == whole


@pytest.mark.parametrize("word", ["3.4180105069274136e+16", "-12", "1e5", "false"])
@pytest.mark.parametrize("block", range(64, 84))
def test_a_number_or_word_across_a_border_is_one_entry(word, block, monkeypatch):
    content = (
        "["
        + ", ".join([json.dumps({"ph": "B", "ts": 1, "pid": 0, "name": "x" * 30}), *[word] * 4])
        + "]"
    ).encode()
    whole = told(read(content))
    monkeypatch.setattr(json_entries, "BLOCK_BYTES", block)
    assert told(read(content)) == whole


def _loop(entries):
    """Return the rows of a list of entries, one after the other."""
    found = []
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("ph") not in ("B", "E"):
            continue
        name, pid, tid = entry.get("name"), entry.get("pid"), entry.get("tid")
        try:
            ts = None if isinstance(entry.get("ts"), bool) else int(entry.get("ts"))
        except (TypeError, ValueError, OverflowError):
            continue
        if (
            ts is None
            or abs(ts) >= 2**61
            or not isinstance(name, str)
            or type(pid) not in (int, str)
        ):
            continue
        found.append(
            (
                json.dumps(pid),
                name.encode("utf-8", "replace").decode(),
                json.dumps(tid) if type(tid) in (int, str) else "null",
                entry["ph"] == "B",
                ts,
            )
        )
    return found


@given(content=st.binary(max_size=300), block=st.integers(16, 100))
def test_any_bytes_are_read_or_refused(content, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_entries, "BLOCK_BYTES", block)
        entries = read(b"[" + content)
    assert len(entries.lane) == len(entries.ts) == len(entries.begin) <= entries.total


@given(
    pieces=st.lists(
        st.sampled_from([*'{}[]",:1 \n', json.dumps(EVENT), json.dumps(NAMED), "\\", "NaN"]),
        max_size=30,
    )
)
def test_any_mixture_of_json_pieces_is_read(pieces):
    entries = read("[" + "".join(pieces))
    assert len(entries.ts) <= entries.total
