"""Inert records for the classes in tinygrad's captures.

The table covers tinygrad 0.12 to 0.14 and the commits between; fields show which generation wrote a
capture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.reading.safe_pickle import (
    Event,
    Inert,
    Kept,
    Record,
    Unpickled,
    event_classes,
    record_classes,
    state_of,
    unpickle,
)

NAMESPACE = "tinygrad"
PICOSECONDS = 10**6
"""Picoseconds per microsecond."""

_HARDWARE_INSTRUCTIONS = re.compile(r"tinygrad\.runtime\.autogen\.amd\.\w+\.ins\.")
"""Classes of instructions in handwritten kernels: there are many, and their content is not used."""
_MEMBER = re.compile(r"[A-Z][A-Z0-9_]{0,60}")
MAX_DIGITS = 18
"""Maximum digits of the whole microseconds of a time, so that a sum of two fits into int64."""
_DECIMAL = re.compile(rf"(-?)([0-9]{{1,{MAX_DIGITS}}})(?:\.([0-9]{{1,80}}))?")
_USUAL_LENGTH = 25
"""Longest text of a time that the fast path parses, in characters."""
_BELOW_A_PICOSECOND = re.compile(r"-?[0-9](?:\.[0-9]{1,80})?E-[0-9]{1,2}")
"""A decimal with negative exponent: Python uses this notation only if the first nonzero digit is
the seventh or later.
"""

# A capture has millions of these objects: they are lists, which unpickle without a call of a Python
# function, and are validated when they are read.
_EVENTS = event_classes(
    (
        "tinygrad.helpers.ProfileRangeEvent",
        "tinygrad.helpers.ProfilePointEvent",
        "tinygrad.helpers.TracingKey",
        "tinygrad.device.ProfileDeviceEvent",
        "tinygrad.device.ProfileProgramEvent",
        "tinygrad.device.ProfileGraphEvent",
        "tinygrad.device.ProfileGraphEntry",
        "tinygrad.runtime.ops_amd.ProfileSQTTEvent",
        "tinygrad.runtime.ops_amd.ProfilePMCEvent",
    )
)
_READ = record_classes(
    (
        "tinygrad.codegen.opt.Opt",
        "tinygrad.codegen.opt.OptOps",
        "tinygrad.helpers.Metadata",
        "tinygrad.helpers.Target",
        "tinygrad.runtime.ops_amd.PMCSample",
        "tinygrad.dtype.DType",
        "tinygrad.dtype.PtrDType",
        "tinygrad.dtype.ImageDType",
        "tinygrad.dtype.AddrSpace",
        "tinygrad.dtype.ConstFloat",
        "tinygrad.dtype.InvalidType",
        "tinygrad.renderer.Estimates",
        "tinygrad.renderer.ProgramSpec",
        "tinygrad.uop.Ops",
        "tinygrad.uop.ops.UOp",
        "tinygrad.uop.ops.Kernel",
        "tinygrad.uop.ops.KernelInfo",
        "tinygrad.uop.ops.ParamArg",
        "tinygrad.uop.ops.ProgramInfo",
        "tinygrad.uop.ops.RewriteTrace",
        "tinygrad.uop.ops.TrackedGraphRewrite",
    )
)
# Classes that captures contain and this reader does not use.
_OPAQUE = record_classes(
    (
        "tinygrad.device.Buffer",
        "tinygrad.renderer.cstyle.ClangJITRenderer",
        "tinygrad.renderer.cstyle.ClangRenderer",
        "tinygrad.renderer.llvmir.AMDLLVMRenderer",
        "tinygrad.renderer.llvmir.CPULLVMRenderer",
        "tinygrad.runtime.ops_null.NullRenderer",
        "tinygrad.runtime.ops_nv.ProfilePMAEvent",
        "tinygrad.runtime.ops_python.PythonRenderer",
        "tinygrad.runtime.support.hcq2.HCQInfo",
        "tinygrad.schedule.indexing.BufferizeOpts",
        "tinygrad.uop.ops.AxisType",
        "tinygrad.uop.ops.CallInfo",
        "tinygrad.uop.ops.CustomKernel",
    )
)

RangeEvent = _EVENTS["tinygrad.helpers.ProfileRangeEvent"]
PointEvent = _EVENTS["tinygrad.helpers.ProfilePointEvent"]
TracingKey = _EVENTS["tinygrad.helpers.TracingKey"]
Metadata = _READ["tinygrad.helpers.Metadata"]
Target = _READ["tinygrad.helpers.Target"]
DeviceEvent = _EVENTS["tinygrad.device.ProfileDeviceEvent"]
ProgramEvent = _EVENTS["tinygrad.device.ProfileProgramEvent"]
GraphEvent = _EVENTS["tinygrad.device.ProfileGraphEvent"]
GraphEntry = _EVENTS["tinygrad.device.ProfileGraphEntry"]
SqttEvent = _EVENTS["tinygrad.runtime.ops_amd.ProfileSQTTEvent"]
PmcEvent = _EVENTS["tinygrad.runtime.ops_amd.ProfilePMCEvent"]
PmcSample = _READ["tinygrad.runtime.ops_amd.PMCSample"]
DType = _READ["tinygrad.dtype.DType"]
PtrDType = _READ["tinygrad.dtype.PtrDType"]
ImageDType = _READ["tinygrad.dtype.ImageDType"]
AddrSpace = _READ["tinygrad.dtype.AddrSpace"]
ConstFloat = _READ["tinygrad.dtype.ConstFloat"]
InvalidType = _READ["tinygrad.dtype.InvalidType"]
Estimates = _READ["tinygrad.renderer.Estimates"]
ProgramSpec = _READ["tinygrad.renderer.ProgramSpec"]
Opt = _READ["tinygrad.codegen.opt.Opt"]
OptOps = _READ["tinygrad.codegen.opt.OptOps"]
Ops = _READ["tinygrad.uop.Ops"]
UOp = _READ["tinygrad.uop.ops.UOp"]
Kernel = _READ["tinygrad.uop.ops.Kernel"]
KernelInfo = _READ["tinygrad.uop.ops.KernelInfo"]
ParamArg = _READ["tinygrad.uop.ops.ParamArg"]
ProgramInfo = _READ["tinygrad.uop.ops.ProgramInfo"]
RewriteTrace = _READ["tinygrad.uop.ops.RewriteTrace"]
TrackedRewrite = _READ["tinygrad.uop.ops.TrackedGraphRewrite"]


class Instant(Kept):
    """A decimal number of microseconds as text; `picoseconds` parses it."""

    __slots__ = ()
    __init__ = list.append


def picoseconds(instant: Instant) -> int:
    """Convert a pickled decimal of microseconds to whole picoseconds, rounded towards zero.

    Raise UnsafePickleError if the text is not a plain number. Digits below a picosecond are noise:
    tinygrad's clocks have a resolution of at most hundredths of nanoseconds.
    """
    text = instant[0] if instant else None
    if type(text) is str and len(text) <= _USUAL_LENGTH and text.isascii():
        whole, _, fraction = text.partition(".")
        if whole.isdigit() and fraction.isdigit() and len(whole) <= MAX_DIGITS:
            return int(f"{whole}{fraction:0<6.6}")
    return _picoseconds(text)


def _picoseconds(text: object) -> int:
    """Parse every text that a `Decimal` of a time in microseconds can have, to whole picoseconds
    rounded towards zero.

    Raises UnsafePickleError for other texts and types.
    """
    match = _DECIMAL.fullmatch(text) if type(text) is str else None
    if match is None:
        if type(text) is str and _BELOW_A_PICOSECOND.fullmatch(text):
            return 0
        shown = ascii(text)[:60] if type(text) is str else f"a {type(text).__name__}"
        raise UnsafePickleError(f"{shown} is not a time")
    sign, whole, fraction = match.groups()
    value = int(f"{whole}{fraction or '':0<6.6}")
    return -value if sign else value


class Member(metaclass=Inert):
    """Member of an enumeration as pickled by Python before 3.11.4: `getattr(Ops, "SINK")`.

    No attribute is looked up.
    """

    __slots__ = ()

    def __new__(cls, *args: object) -> Record:  # type: ignore[misc]  # a pickle gets the record
        """Return a record of the enumeration with the member's name.

        Raise UnsafePickleError for any other getattr.
        """
        owner, name = args if len(args) == 2 else (None, None)
        if not isinstance(owner, Inert) or not issubclass(owner, Record) or type(name) is not str:
            raise UnsafePickleError(
                "it uses builtins.getattr, which a capture may use only for enumerations"
            )
        if not _MEMBER.fullmatch(name):
            raise UnsafePickleError(f"{ascii(name)[:60]} is not a member of an enumeration")
        return owner(name)


_CLASSES: Mapping[str, type] = MappingProxyType(
    {**_EVENTS, **_READ, **_OPAQUE, "decimal.Decimal": Instant, "builtins.getattr": Member}
)


def read_pickle(data: bytes) -> Unpickled:
    """Unpickle a capture into records.

    `unknown` names tinygrad's classes that no table contains, except AMD instructions. Raises
    UnsafePickleError if the pickle is refused or broken; see `safe_pickle.unpickle`.
    """
    unpickled = unpickle(data, _CLASSES, NAMESPACE)
    check(unpickled.root)
    return Unpickled(
        unpickled.root,
        tuple(name for name in unpickled.unknown if not _HARDWARE_INSTRUCTIONS.match(name)),
    )


def check(value: object) -> None:
    """Raise UnsafePickleError if the value is a time or an event and malformed.

    Other values are accepted. The unpickler creates them without a check.
    """
    if isinstance(value, Instant):
        picoseconds(value)
    elif isinstance(value, Event):
        state_of(value)


def record_fields(value: object, kind: type[Record] | type[Event]) -> Mapping[str, object] | None:
    """Return the fields of a record or event of exactly this class; `None` for any other value.

    Raises UnsafePickleError if the state of an event is malformed.
    """
    if type(value) is not kind:
        return None
    return state_of(value) if isinstance(value, Event) else value.fields


def text_field(fields: Mapping[str, object], name: str) -> str:
    """Return a text field; "" if it is missing or not text."""
    value = fields.get(name)
    return value if type(value) is str else ""


def list_items(value: object) -> tuple[object, ...]:
    """Return the items of a list or tuple; () for any other value."""
    return tuple(value) if type(value) is list or type(value) is tuple else ()
