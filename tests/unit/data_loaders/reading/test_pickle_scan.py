import pickle
import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.reading.pickle_scan import MAX_INTEGER_BYTES, UnsafePickleError, scan, scan_plain
from data_loaders.reading.safe_pickle import unpickle_plain

P4 = b"\x80\x04"
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats()
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner, inner, inner) | st.dictionaries(st.text(), inner)
    ),
)


@given(value=PLAIN, protocol=st.sampled_from([4, 5]))
def test_plain_values_pass(value, protocol):
    scan(pickle.dumps(value, protocol))


@pytest.mark.slow
@given(value=PLAIN, keep=st.floats(0, 0.999))
def test_no_part_of_a_pickle_passes(value, keep):
    whole = pickle.dumps(value, 4)
    with pytest.raises(UnsafePickleError):
        scan(whole[: int(len(whole) * keep)])


@given(noise=st.binary(max_size=200))
def test_noise_is_refused_in_a_sentence(noise):
    for data in (noise, P4 + noise):
        try:
            scan(data)
        except UnsafePickleError as error:
            assert str(error)
            assert "\n" not in str(error)


def test_what_captures_are_made_of_passes():
    scan(
        pickle.dumps(
            [Decimal("1.5"), {"a": (1, 2, 3)}, b"x" * 300, "y" * 300, 2**70, 1.5, None, True], 4
        )
    )
    scan(pickle.dumps(b"x" * 100_000, 4))


@pytest.mark.parametrize("length", [0, 1, 62, 63, 64, 65, 255, 256])
def test_a_text_of_any_length_is_passed_over_and_what_follows_is_looked_at(length):
    text = pickle.dumps("c" * length, 4)[:-1]
    scan(text + b".")
    with pytest.raises(UnsafePickleError, match=f"opcode GLOBAL at byte {len(text)}"):
        scan(text + b"cos\nsystem\n.")
    if length:
        with pytest.raises(UnsafePickleError, match=r"declares|cut off"):
            scan(text.rstrip(b"\x94")[:-1])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"hello", "not a pickle of protocol 4 or 5"),
        (b"\x80", "not a pickle of protocol 4 or 5"),
        (pickle.dumps([1], 0), "not a pickle of protocol 4 or 5"),
        (pickle.dumps([1], 2), "protocol 2"),
        (pickle.dumps([1], 3), "protocol 3"),
        (P4 + b"cos\nsystem\n.", "opcode GLOBAL at byte 2"),
        (P4 + b"(ios\nsystem\n.", "opcode INST at byte 3"),
        (P4 + b"(o.", "opcode OBJ"),
        (P4 + b"))}\x92.", "opcode NEWOBJ_EX"),
        (P4 + b"Np0\n.", "opcode PUT"),
        (P4 + b"Nq\x00.", "opcode BINPUT"),
        (P4 + b"Nr\xff\xff\xff\x7f.", "opcode LONG_BINPUT"),
        (P4 + b"g0\n.", "opcode GET"),
        (P4 + b"Pa\n.", "opcode PERSID"),
        (P4 + b"NQ.", "opcode BINPERSID"),
        (P4 + b"\x82\x01.", "opcode EXT1"),
        (P4 + b"\x83\x01\x00.", "opcode EXT2"),
        (P4 + b"\x84\x01\x00\x00\x00.", "opcode EXT4"),
        (P4 + b"\x8f.", "opcode EMPTY_SET"),
        (P4 + b"(\x91.", "opcode FROZENSET"),
        (P4 + b"\x8f(\x90.", "opcode EMPTY_SET"),
        (P4 + b"N0N.", "opcode POP"),
        (P4 + b"(1N.", "opcode POP_MARK"),
        (P4 + b"N2.", "opcode DUP"),
        (P4 + b"\x97.", "opcode NEXT_BUFFER"),
        (P4 + b"\x98.", "opcode READONLY_BUFFER"),
        (P4 + P4 + b"N.", "opcode PROTO at byte 2"),
        (P4 + b"I1\n.", "opcode 0x49"),
        (P4 + b"S'a'\n.", "opcode 0x53"),
        (P4 + b"F1.0\n.", "opcode 0x46"),
        (P4 + b"V1\n.", "opcode 0x56"),
        (P4 + b"l.", "opcode LIST"),
        (P4 + b"\xff.", "opcode 0xff"),
        (P4, "cut off"),
        (P4 + b"N", "cut off"),
        (P4 + b"M\x01", "cut off"),
        (P4 + b"\x8c", "cut off"),
        (P4 + b"X\x01\x00", "cut off"),
        (P4 + b"N.x", "1 byte after"),
        (P4 + b"\x8c\x05abc.", "declares 5 bytes, .*4"),
        (P4 + b"\x8e" + struct.pack("<Q", 2**40) + b"x.", "declares 1099511627776 bytes"),
        (P4 + b"\x8d" + struct.pack("<Q", 2**63) + b"x.", "declares"),
        (P4 + b"\x96" + struct.pack("<Q", 2**40) + b"x.", "declares"),
        (P4 + b"B" + struct.pack("<I", 2**32 - 1) + b"x.", "declares"),
        (P4 + b"\x95" + struct.pack("<Q", 2**40) + b"N.", "declares"),
        (
            P4 + b"\x8b" + struct.pack("<i", 2_000_000) + b"\x7f" * 2_000_000 + b".",
            "an integer of 2000000 bytes",
        ),
        (P4 + b"\x8b" + struct.pack("<i", -1) + b".", "declares"),
        (P4 + b"\x8a\x81" + b"\x01" * 0x81 + b".", f"an integer of {MAX_INTEGER_BYTES + 1} bytes"),
    ],
)
def test_what_no_capture_has_is_refused(data, why):
    with pytest.raises(UnsafePickleError, match=why):
        scan(data)


def test_an_integer_of_the_longest_kind_passes():
    scan(pickle.dumps(2 ** (8 * MAX_INTEGER_BYTES - 2), 4))


class TestPlain:
    """Plain values alone: no class is named and nothing is called, in older protocols either."""

    @pytest.mark.parametrize("protocol", [2, 3, 4, 5])
    @pytest.mark.parametrize(
        "value", [{"a": [1, 2.5, None, True, ("x", -3)]}, [10**30, "é" * 300, {}], "text"]
    )
    def test_values_of_every_protocol_pass_and_come_back(self, protocol, value):
        data = pickle.dumps(value, protocol)
        scan_plain(data)
        assert unpickle_plain(data) == value

    @pytest.mark.parametrize(
        ("value", "protocol"),
        [
            (print, 2),
            (print, 4),
            ({1, 2}, 4),
            (b"bytes", 3),
            (bytearray(b"x"), 5),
            (ValueError("x"), 4),
            (1 + 2j, 2),
        ],
    )
    def test_anything_else_is_refused(self, value, protocol):
        with pytest.raises(UnsafePickleError):
            scan_plain(pickle.dumps(value, protocol))

    @pytest.mark.parametrize(
        "data", [b"", b"\x80\x01N.", b"(lp0\n.", b"\x80\x02", b"\x80\x02r\x00", b"\x80\x02N.N"]
    )
    def test_what_is_no_whole_pickle_is_refused(self, data):
        with pytest.raises(UnsafePickleError):
            scan_plain(data)
