"""Pickles that try to execute code, open files, exhaust memory or mix up values, against the reader
of tinygrad's captures.

`refused(mark)` are pickles that are rejected before any effect; EXHAUSTING end only at the limits
of the reading process. `mark` is a file that would be created if an attempt succeeded.
"""

import functools
import operator
import os
import pickle
import shutil
import socket
import struct
import subprocess
import tempfile
import types
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from samples.tinygrad_capture import training
from samples.tinygrad_objects import DType, TracingKey, dumps
from samples.tinygrad_writer import Maker

P4 = b"\x80\x04"


class Hostile(NamedTuple):
    """What the pickle tries, its bytes, and a part of the error that rejects it."""

    tries: str
    content: bytes
    why: str


class Call:
    """Pickles as a call of a function with arguments."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def text(value):
    """Return the opcode of a short text."""
    raw = value.encode("utf-8", "surrogatepass")
    return b"\x8c" + bytes([len(raw)]) + raw


def long_text(value):
    """Return the opcode of a text of any length."""
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def named(module, name):
    """Return the opcodes that put the class or function of this name on the stack."""
    return text(module) + text(name) + b"\x93"


RANGE = named("tinygrad.helpers", "ProfileRangeEvent")
DECIMAL = named("decimal", "Decimal")
OPS = named("tinygrad.uop", "Ops")
GETATTR = named("builtins", "getattr")


def refused(mark):
    """Map each attempt to its `Hostile`, for all pickles that are rejected before any effect."""
    found = [*_calls(mark), *_inside_a_capture(mark), *_names(), *_attributes(), *_writes()]
    found += [*_misuse(), *_streams(), *_numbers()]
    return {hostile.tries: hostile for hostile in found}


def _calls(mark):
    """List pickles of calls, as Python writes them."""
    touch, argv = f"touch {mark}", ["touch", str(mark)]
    calls = {
        "run a shell command": (Call(os.system, touch), "posix.system"),
        "open a pipe": (Call(os.popen, touch), "os.popen"),
        "start a process": (Call(subprocess.Popen, argv), "subprocess.Popen"),
        "start a process and wait": (
            Call(subprocess.check_output, argv),
            "subprocess.check_output",
        ),
        "replace the process": (Call(os.execv, "/usr/bin/touch", argv), "posix.execv"),
        "evaluate text": (Call(eval, f"open({str(mark)!r}, 'w')"), "builtins.eval"),
        "execute text": (Call(exec, f"open({str(mark)!r}, 'w')"), "builtins.exec"),
        "compile text": (Call(compile, "1", "x", "eval"), "builtins.compile"),
        "import a module": (Call(__import__, "antigravity"), "builtins.__import__"),
        "open a file for writing": (Call(open, str(mark), "w"), "open, which"),
        "write a file by pathlib": (
            Call(Path.write_text, Path(str(mark)), "x"),
            "which is not allowed in a capture",
        ),
        "remove a tree": (Call(shutil.rmtree, str(mark)), "shutil.rmtree"),
        "make a temporary file": (Call(tempfile.mkstemp), "tempfile.mkstemp"),
        "open a connection": (
            Call(socket.create_connection, ("127.0.0.1", 9)),
            "socket.create_connection",
        ),
        "read an attribute": (Call(getattr, "text", "upper"), "builtins.getattr"),
        "set an attribute": (Call(setattr, types.SimpleNamespace(), "a", 1), "builtins.setattr"),
        "make a class": (Call(type, "X", (), {}), "builtins.type"),
        "a partial call": (functools.partial(os.system, touch), "functools.partial"),
        "an attribute getter": (operator.attrgetter("system"), "operator.attrgetter"),
        "a caller of methods": (operator.methodcaller("system", touch), "operator.methodcaller"),
        "a pickle inside of the pickle": (Call(pickle.loads, pickle.dumps(1)), "_pickle.loads"),
        "an ordered mapping": (OrderedDict(a=1), "collections.OrderedDict"),
        "a class of Python": (int, "builtins.int"),
        "an exception": (Call(SystemExit, 0), "builtins.SystemExit"),
        "make the process read input": (Call(input), "builtins.input"),
        "break into a debugger": (Call(breakpoint), "builtins.breakpoint"),
    }
    return [Hostile(tries, pickle.dumps([value], 4), why) for tries, (value, why) in calls.items()]


def _inside_a_capture(mark):
    """List captures that are valid except for a call hidden in a field."""
    call = Call(os.system, f"touch {mark}")
    stack = Maker().range(
        "USER", TracingKey(display_name="x", keys=(), ret=None, tb=((call, 1, "f", "x"),)), 0, 1
    )
    places = {
        "a call as the last event": training().add(call).profile(),
        "a call as a marker's colour": training().marker("m", 5, call).profile(),
        "a call as a kernel's name": training().range("CPU", call, 0, 1).profile(),
        "a call as a buffer's size": training().alloc("CPU", 9, call, 5).profile(),
        "a call in a call stack": stack.profile(),
        "a call in a device's properties": Maker()
        .device("CPU", properties={"a": [call]})
        .profile(),
        "a call as the code of a program": Maker("0.13").program("CPU", "k", call).profile(),
        "a call among the arguments of a type": dumps([DType(1, call)]),
    }
    return [Hostile(tries, content, "posix.system") for tries, content in places.items()]


def _names():
    """List pickles with names that resemble known names, or lead out of the known modules."""
    plain = {
        "a module that begins like the library's": ("tinygradevil", "ProfileRangeEvent"),
        "the library as a submodule": ("evil.tinygrad.helpers", "ProfileRangeEvent"),
        "a Cyrillic letter in the module": ("t\u0456nygrad.helpers", "ProfileRangeEvent"),
        "a Cyrillic letter in the class": ("tinygrad.helpers", "Profile\u0420ointEvent"),
        "full-width letters": ("\uff54inygrad.helpers", "ProfileRangeEvent"),
        "a combining mark": ("tinygrad.helpers", "ProfileRangeEvent\u0301"),
        "an invisible space": ("tinygrad.helpers", "ProfileRangeEvent\u200b"),
        "text that runs backwards": ("tinygrad.helpers", "\u202eProfileRangeEvent"),
        "another case": ("TinyGrad.helpers", "ProfileRangeEvent"),
        "a line break": ("tinygrad.helpers", "ProfileRangeEvent\nx"),
        "a null character": ("tinygrad.helpers\0", "ProfileRangeEvent"),
        "half a character": ("tinygrad.\ud800", "ProfileRangeEvent"),
        "a terminal's escape code": ("\x1b[2J\x1b]0;x\x07", "x"),
        "an attribute of a class": ("tinygrad.dtype", "DType.__init__.__globals__"),
        "the subclasses of everything": ("tinygrad.dtype", "DType.__subclasses__"),
        "the builtins of a module": ("tinygrad.helpers", "__builtins__"),
        "a private module": ("tinygrad.__main__", "Event"),
        "a path above": ("tinygrad...os", "System"),
        "a module without a name": ("", "System"),
        "a class without a name": ("tinygrad.helpers", ""),
        "our own reader": ("data_loaders.reading.safe_pickle", "Record"),
        "our own table": ("data_loaders.tinygrad.records", "Instant"),
        "this file's loader": ("pickle", "Unpickler"),
        "decimal's context": ("decimal", "setcontext"),
        "decimal's old name": ("_pydecimal", "Decimal"),
    }
    return [
        Hostile(tries, P4 + named(*name) + b")R.", "which is not allowed in a capture")
        for tries, name in plain.items()
    ]


def _attributes():
    """List pickles that read attributes by `getattr`, with which older Pythons name members of
    enumerations.
    """
    alone = "only for enumerations"
    asked = {
        "an attribute's own attributes": (GETATTR + GETATTR + text("SELF") + b"\x86R.", alone),
        "an attribute of a time's class": (GETATTR + DECIMAL + text("REAL") + b"\x86R.", alone),
        "an attribute of a record": (GETATTR + RANGE + b")R" + text("ARGS") + b"\x86R.", alone),
        "an attribute of a function": (
            GETATTR + named("tinygrad.helpers", "fetch") + text("CODE") + b"\x86R.",
            alone,
        ),
        "an attribute with an answer of its own": (
            GETATTR + OPS + text("SINK") + b"N\x87R.",
            alone,
        ),
        "an attribute without a name": (GETATTR + OPS + b"K\x01\x86R.", alone),
        "the class of a class": (
            GETATTR + OPS + text("__class__") + b"\x86R.",
            "is not a member of an enumeration",
        ),
        "a member in other letters": (
            GETATTR + OPS + text("\u0421ONST") + b"\x86R.",
            "is not a member of an enumeration",
        ),
        "a member with a path": (
            GETATTR + OPS + text("SINK.X") + b"\x86R.",
            "is not a member of an enumeration",
        ),
        "call a member": (GETATTR + OPS + text("SINK") + b"\x86R)R.", "not callable"),
        "write to the reader of attributes": (GETATTR + b"}b.", "writes to the class Member"),
    }
    return [Hostile(tries, P4 + stream, why) for tries, (stream, why) in asked.items()]


def _writes():
    """List pickles that write to classes, which would change how later captures are read."""
    method, field = b"N}" + text("__setstate__"), b"N}" + text("device") + text("x")
    return [
        Hostile(
            "set a field of a class",
            P4 + RANGE + field + b"s\x86b.",
            "writes to the class ProfileRangeEvent",
        ),
        Hostile(
            "set a field of a class at once",
            P4 + RANGE + b"}b.",
            "writes to the class ProfileRangeEvent",
        ),
        Hostile(
            "replace a method of a class",
            P4 + RANGE + method + RANGE + b"s\x86b.",
            "writes to the class",
        ),
        Hostile(
            "write to the class of times", P4 + DECIMAL + b"N}s\x86b.", "pickle cannot be read"
        ),
        Hostile(
            "set a field of the class of times",
            P4 + DECIMAL + field + b"s\x86b.",
            "writes to the class Instant",
        ),
        Hostile(
            "write to a function of the library",
            P4 + named("tinygrad.helpers", "fetch") + b"N}" + text("__code__") + b"Ns\x86b.",
            "writes to the function tinygrad.helpers.fetch",
        ),
        Hostile(
            "write to a time",
            P4 + DECIMAL + text("1.5") + b"\x85R" + field + b"s\x86b.",
            "pickle cannot be read",
        ),
        Hostile(
            "a state that is no mapping", P4 + RANGE + b")\x81]b.", "is not a mapping of names"
        ),
        Hostile(
            "a state with numbers as names",
            P4 + RANGE + b")\x81}K\x01K\x02sb.",
            "is not a mapping of names",
        ),
        Hostile(
            "append to an event", P4 + b"]" + RANGE + b")RK\x01aa.", "is not a mapping of names"
        ),
        Hostile(
            "arguments of an event",
            P4 + b"]" + RANGE + text("st") + b"\x85Ra.",
            "is not a mapping of names",
        ),
        Hostile(
            "a state of three parts", P4 + RANGE + b")\x81NNN\x87b.", "is not a mapping of names"
        ),
    ]


def _misuse():
    """List pickles that call values that are not callable, or have values of the wrong type."""
    fetch = named("tinygrad.helpers", "fetch")
    return [
        Hostile(
            "call a function of the library",
            P4 + fetch + text("http://127.0.0.1:9/") + b"\x85R.",
            "not callable",
        ),
        Hostile("call a record", P4 + RANGE + b")R)R.", "not callable"),
        Hostile("call a text", P4 + text("os.system") + b")R.", "not callable"),
        Hostile("make an object of a function", P4 + fetch + b")\x81.", "pickle cannot be read"),
        Hostile(
            "make an object of a text", P4 + text("object") + b")\x81.", "pickle cannot be read"
        ),
        Hostile("append to a class", P4 + RANGE + b"K\x01a.", "pickle cannot be read"),
        Hostile("put an item into a class", P4 + RANGE + b"K\x01K\x02s.", "pickle cannot be read"),
        Hostile(
            "put an item into a record", P4 + RANGE + b")RK\x01K\x02s.", "pickle cannot be read"
        ),
        Hostile("a list as a key", P4 + b"}]K\x01s.", "pickle cannot be read"),
        Hostile(
            "a name that is a number", P4 + b"K\x01" + text("a") + b"\x93.", "pickle cannot be read"
        ),
        Hostile("arguments that are no tuple", P4 + OPS + b"K\x01R.", "pickle cannot be read"),
        Hostile("items without a partner", P4 + b"}(K\x01u.", "pickle cannot be read"),
        Hostile("take from an empty stack", P4 + b".", "pickle cannot be read"),
        Hostile("take from below the mark", P4 + b"N(a.", "pickle cannot be read"),
        Hostile("a mark as the whole", P4 + b"(.", "pickle cannot be read"),
        Hostile("remember nothing", P4 + b"\x94.", "pickle cannot be read"),
        Hostile("recall what was never remembered", P4 + b"h\x05.", "pickle cannot be read"),
        Hostile("recall from far away", P4 + b"j\xff\xff\xff\x7f.", "pickle cannot be read"),
        Hostile(
            "more unknown classes than any version has",
            P4 + b"(" + _MANY_NAMES + b"t.",
            "more than 300 unknown",
        ),
        Hostile(
            "a mapping that is no capture", pickle.dumps({"a": 1}, 4), "neither a list of events"
        ),
        Hostile("a list that holds itself", P4 + b"]\x94h\x00a.", "no events"),
        Hostile("events in the wrong generation", P4 + b"]" + OPS + b"K\x01\x85Ra.", "no events"),
    ]


_MANY_NAMES = b"".join(named("tinygrad.a", f"C{place}") for place in range(301))


def _streams():
    """List pickles with opcodes that captures never have, and with wrong lengths."""
    terabyte = struct.pack("<Q", 2**40)
    streams = {
        "the old way to name a function": (b"cos\nsystem\n.", "opcode GLOBAL"),
        "an instance by text": (b"(ios\nsystem\n.", "opcode INST"),
        "an instance by mark": (b"(o.", "opcode OBJ"),
        "keyword arguments": (RANGE + b")}\x92.", "opcode NEWOBJ_EX"),
        "a persistent name": (b"Pid\n.", "opcode PERSID"),
        "an extension's number": (b"\x82\x01.", "opcode EXT1"),
        "a set of shared tuples": (b"\x8f.", "opcode EMPTY_SET"),
        "a frozen set": (b"(\x91.", "opcode FROZENSET"),
        "a place in memory of its own choice": (b"Nr\xff\xff\xff\x7f.", "opcode LONG_BINPUT"),
        "a number as text": (b"I9\n.", "opcode 0x49"),
        "a buffer from outside": (b"\x97.", "opcode NEXT_BUFFER"),
        "a second protocol": (P4 + b"N.", "opcode PROTO"),
        "a terabyte of bytes": (b"\x8e" + terabyte + b"x.", "declares"),
        "a terabyte of text": (b"\x8d" + terabyte + b"x.", "declares"),
        "a terabyte that can be written to": (b"\x96" + terabyte + b"x.", "declares"),
        "a frame of a terabyte": (b"\x95" + terabyte + b"N.", "declares"),
        "a frame that ends in the middle": (
            b"\x95" + struct.pack("<Q", 2) + b"\x8c\x05abcde.",
            "neither a list of events",
        ),
        "a second pickle behind the first": (b"N." + pickle.dumps(1, 4), "after the end"),
        "a pickle without an end": (b"(" * 1000, "cut off"),
        "text that is no text": (b"\x8c\x02\xff\xfe.", "pickle cannot be read"),
    }
    made = [Hostile(tries, P4 + stream, why) for tries, (stream, why) in streams.items()]
    first = Hostile("protocol 0", b"cos\nsystem\n(S'true'\ntR.", "not a pickle of protocol 4 or 5")
    return [*made, first, Hostile("protocol 2", pickle.dumps([1], 2), "protocol 2")]


def _numbers():
    """List pickles with numbers that take very long to format, or that are invalid."""
    times = [
        "1E+999999999",
        "1e5",
        "NaN",
        "sNaN",
        "Infinity",
        "-Infinity",
        "1" * 19,
        "0x10",
        "\u0661",
        "1_000",
        "+1",
        "",
    ]
    made = [
        Hostile(
            f"a time of {time[:12]!a}",
            P4 + b"]" + DECIMAL + text(time) + b"\x85Ra.",
            "is not a time",
        )
        for time in times
    ]
    huge = b"\x8b" + struct.pack("<i", 1_000_000) + b"\x7f" * 1_000_000
    return [
        *made,
        Hostile(
            "a time of a million digits",
            P4 + DECIMAL + long_text("9" * 10**6) + b"\x85R.",
            "is not a time",
        ),
        Hostile("a time that is a number", P4 + DECIMAL + b"K\x01\x85R.", "is not a time"),
        Hostile(
            "a time of two values", P4 + DECIMAL + text("1") + b"N\x86R.", "pickle cannot be read"
        ),
        Hostile("a time without a value", P4 + DECIMAL + b")R.", "pickle cannot be read"),
        Hostile(
            "a time by the other opcode", P4 + DECIMAL + text("NaN") + b"\x85\x81.", "is not a time"
        ),
        Hostile("an integer of a megabyte", P4 + huge + b".", "an integer of 1000000 bytes"),
        Hostile("an integer of a negative length", P4 + b"\x8b\xff\xff\xff\xff.", "declares"),
    ]
