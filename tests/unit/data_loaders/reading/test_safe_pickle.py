import builtins
import functools
import operator
import os
import pickle
import struct
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.reading.safe_pickle import (
    MAX_UNKNOWN_CLASSES,
    Record,
    Symbol,
    event_classes,
    record_classes,
    state_of,
    unpickle,
)
from samples.tinygrad_objects import call_class, dumps, fields_class
from tests.support.hostile_pickles import P4, Call, named, text

TABLE = record_classes(["lib.events.Event", "lib.types.Size"])
Event, Size = TABLE["lib.events.Event"], TABLE["lib.types.Size"]


def read(data):
    return unpickle(data, TABLE, "lib")


EVENT = named("lib.events", "Event")


class TestWhatIsRead:
    def test_plain_values(self):
        value = [None, True, 1, -(2**70), 1.5, "é", b"x", (1, (2,)), {"a": [1]}, bytearray(b"y")]
        assert read(pickle.dumps(value, 5)).root == value

    def test_fields_of_an_object(self):
        made = fields_class("lib.events.Event")
        root = read(dumps([made(device="CPU", at=3)], made)).root
        assert type(root[0]) is Event
        assert root[0].fields == {"device": "CPU", "at": 3}
        assert root[0].args == ()

    def test_arguments_of_a_call(self):
        made = call_class("lib.types.Size")
        assert read(dumps(made(1, "b"), made)).root.args == (1, "b")

    def test_the_state_of_slots(self):
        state = b"N}" + text("a") + b"K\x01s\x86"
        assert read(P4 + EVENT + b")\x81" + state + b"b.").root.fields == {"a": 1}

    def test_attributes_and_slots_together(self):
        state = b"}" + text("a") + b"K\x01s}" + text("b") + b"K\x02s\x86"
        assert read(P4 + EVENT + b")\x81" + state + b"b.").root.fields == {"a": 1, "b": 2}

    def test_one_object_twice_is_one(self):
        made = fields_class("lib.events.Event")
        event = made(device="CPU")
        first, second = read(dumps([event, event], made)).root
        assert first is second

    def test_depth_costs_no_recursion(self):
        depth = 0
        root = read(P4 + b"N" + b"\x85" * 100_000 + b".").root
        while root is not None:
            (root,), depth = root, depth + 1
        assert depth == 100_000


class TestEvents:
    """Records of which there are millions: made unchecked, checked when they are read."""

    TABLE = event_classes(["lib.events.Event"])

    def read(self, data):
        return unpickle(data, self.TABLE, "lib").root

    def test_fields_of_an_event(self):
        made = fields_class("lib.events.Event")
        (event,) = self.read(dumps([made(device="CPU", at=3)], made))
        assert type(event) is self.TABLE["lib.events.Event"]
        assert state_of(event) == {"device": "CPU", "at": 3}

    def test_one_without_a_state_has_no_fields(self):
        assert state_of(self.read(P4 + EVENT + b")\x81.")) == {}

    def test_the_state_of_slots(self):
        state = b"N}" + text("a") + b"K\x01s\x86"
        assert state_of(self.read(P4 + EVENT + b")\x81" + state + b"b.")) == {"a": 1}

    @pytest.mark.parametrize(
        "stream",
        [
            b")\x81]b.",
            b")\x81}K\x01K\x02sb.",
            b")\x81NNN\x87b.",
            b")RK\x01a.",
            text("CPU") + b"\x85R.",
        ],
        ids=["a list", "a number for a name", "three parts", "something appended", "arguments"],
    )
    def test_a_state_that_is_no_mapping_of_names_is_refused(self, stream):
        event = self.read(P4 + EVENT + stream)
        with pytest.raises(UnsafePickleError, match="state of a Event"):
            state_of(event)

    @pytest.mark.parametrize(
        "stream", [b"}b.", b"N}" + text("append") + text("x") + b"s\x86b.", b")RK\x01K\x02s."]
    )
    def test_neither_it_nor_its_class_takes_anything_else(self, stream):
        with pytest.raises(UnsafePickleError):
            self.read(P4 + EVENT + stream)

    def test_they_compare_and_hash_by_identity(self):
        made = fields_class("lib.events.Event")
        first, second = self.read(dumps([made(a=1), made(a=1)], made))
        assert first != second
        assert len({first, second}) == 2


class TestUnknownNames:
    def test_a_class_of_the_library_is_an_opaque_record(self):
        found = read(P4 + named("lib.later", "Thing") + b"K\x01\x85R.")
        assert isinstance(found.root, Record)
        assert found.root.args == (1,)
        assert found.unknown == ("lib.later.Thing",)

    def test_a_function_of_the_library_is_a_symbol_that_cannot_be_called(self):
        found = read(P4 + named("lib.later", "helper") + b".")
        assert isinstance(found.root, Symbol)
        assert found.unknown == ("lib.later.helper",)
        with pytest.raises(UnsafePickleError, match=r"function lib\.later\.helper"):
            read(P4 + named("lib.later", "helper") + b")R.")

    def test_known_names_are_not_listed(self):
        assert read(P4 + EVENT + b")R.").unknown == ()

    def test_there_may_not_be_any_number_of_them(self):
        names = b"".join(named("lib.a", f"C{place}") for place in range(MAX_UNKNOWN_CLASSES + 1))
        with pytest.raises(UnsafePickleError, match="more than 300 unknown"):
            read(P4 + b"(" + names + b"t.")


def hostile(mark):
    """Return what -> bytes that want something executed, opened, used up or mixed up."""
    touch = f"touch {mark}"
    write = f"open({str(mark)!r}, 'w')"
    calls = {
        "system": Call(os.system, touch),
        "popen": Call(os.popen, touch),
        "execv": Call(os.execv, "/usr/bin/touch", ("touch", str(mark))),
        "remove": Call(os.remove, str(mark)),
        "subprocess": Call(subprocess.call, ["touch", str(mark)]),
        "process": Call(subprocess.Popen, ("touch", str(mark))),
        "eval": Call(eval, write),
        "exec": Call(exec, write),
        "compile": Call(compile, write, "x", "exec"),
        "import": Call(__import__, "os"),
        "open": Call(open, str(mark), "w"),
        "getattr": Call(getattr, "text", "upper"),
        "setattr": Call(setattr, SimpleNamespace(), "a", 1),
        "map": Call(map, os.system, (touch,)),
        "partial": functools.partial(os.system, touch),
        "attrgetter": operator.attrgetter("system"),
        "methodcaller": operator.methodcaller("system", touch),
        "unpickler inside": Call(pickle.loads, pickle.dumps(Call(os.system, touch))),
        "breakpoint": Call(breakpoint),
        "exit": Call(sys.exit, 0),
        "object": object(),
        "type": Call(type, "X", (), {}),
        "complex": 1 + 2j,
        "fraction": Fraction(1, 3),
        "date": datetime(2026, 1, 1),
        "path": PurePosixPath("/etc/passwd"),
        "ordered": OrderedDict(a=1),
        "deque": deque([1]),
        "counter": Counter("ab"),
        "namespace": SimpleNamespace(a=1),
        "set": {1, 2},
        "frozenset": frozenset({1}),
        "decimal, which this table does not have": Decimal(1),
        "error": ValueError("x"),
        "class": int,
        "builtin": builtins.print,
    }
    streams = {
        "dotted name": named("lib.events", "Event.__init__.__globals__") + b".",
        "dunder": named("lib.events", "__builtins__") + b".",
        "dunder module": named("lib.__main__", "Event") + b".",
        "look-alike module": named("library.events", "Event") + b")R.",
        "module above": named("lib", "os.system") + b".",
        "empty module": named("", "system") + b".",
        "empty name": named("lib.events", "") + b".",
        "spaces": named("lib.events", "Ev ent") + b".",
        "long name": named("lib.events", "E" * 200) + b".",
        "other alphabet": named("lib.events", "\u0415vent") + b".",
        "name that is a number": b"K\x01" + text("a") + b"\x93.",
        "write to a class": EVENT + b"}" + text("device") + text("x") + b"sb.",
        "write to slots of a class": EVENT + b"N}" + text("device") + text("x") + b"s\x86b.",
        "replace the setter of a class": EVENT + b"N}" + text("__setstate__") + EVENT + b"s\x86b.",
        "write to a function": named("lib.events", "helper")
        + b"N}"
        + text("__code__")
        + b"Ns\x86b.",
        "state that is a list": EVENT + b")\x81]b.",
        "state with a number for a name": EVENT + b")\x81}K\x01K\x02sb.",
        "state of three": EVENT + b")\x81NNN\x87b.",
        "call of a record": EVENT + b")R)R.",
        "call of text": text("os.system") + b")R.",
        "call of a number": b"K\x01)R.",
        "new of text": text("a") + b")\x81.",
        "append to a record": EVENT + b")RK\x01a.",
        "item of a record": EVENT + b")RK\x01K\x02s.",
        "append to a class": EVENT + b"K\x01a.",
        "odd number of items": b"}(K\x01u.",
        "a list as a key": b"}]K\x01s.",
        "memo that is not there": b"h\x05.",
        "memo far away": b"j\xff\xff\xff\x7f.",
        "end without a begin": b"t.",
        "nothing": b".",
        "stack below the mark": b"(a.",
        "memo of nothing": b"\x94.",
        "text that is no text": b"\x8c\x02\xff\xfe.",
        "float that is cut": b"G\x00\x00.",
        "frame that is too short": b"\x95" + struct.pack("<Q", 1) + b"N",
    }
    made = {f"pickled {name}": pickle.dumps([value], 4) for name, value in calls.items()}
    return made | {name: P4 + stream for name, stream in streams.items()}


HOSTILE = hostile("/nowhere/executed")


class TestHostile:
    def test_there_are_enough_of_them(self):
        assert len(HOSTILE) >= 40

    @pytest.mark.parametrize("name", HOSTILE)
    def test_it_is_refused_in_a_sentence_and_nothing_happens(self, name, tmp_path):
        mark = tmp_path / "executed"
        with pytest.raises(UnsafePickleError) as caught:
            read(hostile(mark)[name])
        assert not mark.exists()
        assert str(caught.value).strip()
        assert "\n" not in str(caught.value)
        assert str(caught.value).isascii()

    def test_classes_are_the_same_afterwards(self, tmp_path):
        before = {kind: dict(vars(kind)) for kind in (Record, Event, Size, Symbol)}
        for data in HOSTILE.values():
            with pytest.raises(UnsafePickleError):
                read(data)
        assert {kind: dict(vars(kind)) for kind in before} == before

    def test_classes_cannot_be_written_to(self):
        with pytest.raises(UnsafePickleError, match="writes to the class Event"):
            Event.device = "x"
        with pytest.raises(UnsafePickleError, match="deletes from the class Record"):
            del Record.args

    def test_records_compare_and_hash_by_identity(self):
        made = call_class("lib.types.Size")
        first, second = read(dumps([made(1), made(1)], made)).root
        assert first != second
        assert len({first, second}) == 2

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_damage_gives_inert_things_or_a_sentence(self, data):
        made = fields_class("lib.events.Event")
        whole = dumps([made(a=1, b=[2, "three"], c=(4.5, None))] * 3, made)
        content = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 5))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        try:
            read(bytes(content))
        except UnsafePickleError as error:
            assert "\n" not in str(error)
